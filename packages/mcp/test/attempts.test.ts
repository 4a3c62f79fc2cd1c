import { describe, expect, onTestFinished, test, vi } from "vitest";
import { KnownWay } from "../src/mount/known-way.ts";
import { Attempts, describeConnection } from "../src/mount/attempts.ts";
import { config } from "../src/mount/config.ts";

const settings = config.parse({ name: "files", url: "http://127.0.0.1/mcp" });

describe("the attempts to connect to a server", () => {
  const facts = {
    client: undefined,
    isClosed: false,
    isConnecting: false,
    connections: 2,
    pid: 7,
    known: new KnownWay(),
  };

  test("wait longer after each failure, up to half a minute", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    const attempts = new Attempts({ settings });
    const waits = Array.from({ length: 11 }, () => {
      const before = attempts.backOffMs;
      attempts.failed(new Error("no"), undefined);
      return before;
    });
    expect(waits).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    vi.setSystemTime(29_000);
    expect([attempts.backOffMs, attempts.pauseMs]).toEqual([1_000, 1_000]);
    vi.setSystemTime(30_001);
    expect(attempts.backOffMs).toBe(0);
    attempts.refused();
    expect(attempts.pauseMs).toBe(1_000);
    attempts.renewed();
    expect(attempts.backOffMs).toBe(0);
  });

  test("say whether the cause is the one before, and forget it when one succeeds", () => {
    const attempts = new Attempts({ settings });
    expect([attempts.failed(new Error("a"), undefined), attempts.failed(new Error("a"), undefined)]).toEqual([
      false,
      true,
    ]);
    expect(attempts.failed(new Error("b"), undefined)).toBe(false);
    attempts.refused();
    attempts.succeeded();
    expect([attempts.cause, attempts.needsAuth, attempts.backOffMs, attempts.refusal]).toEqual([
      undefined,
      false,
      0,
      undefined,
    ]);
  });

  test("are shown as the state of the server", () => {
    const attempts = new Attempts({ settings });
    const state = (more: object = {}) => describeConnection({ ...facts, attempts, ...more });
    const client = {
      getNegotiatedProtocolVersion: () => "2026-07-28",
      getServerVersion: () => ({ name: "files", version: "1" }),
    };
    expect(state()).toEqual({ state: "asleep", connections: 2 });
    attempts.ended("it ended");
    expect(state()).toEqual({ state: "down", connections: 2, cause: "it ended" });
    attempts.refused();
    expect(state().state).toBe("needs_auth");
    expect(state({ isConnecting: true }).state).toBe("connecting");
    expect(state({ isConnecting: true, client, known: { at: 0, says: "it speaks SSE" } })).toEqual({
      state: "connected",
      connections: 2,
      protocol: "2026-07-28",
      protocolAt: "1970-01-01T00:00:00.000Z",
      way: "it speaks SSE",
      server: "files 1",
      pid: 7,
    });
    expect(state({ client, pid: null })).not.toHaveProperty("pid");
    expect(state({ isClosed: true, client }).state).toBe("closed");
  });
});

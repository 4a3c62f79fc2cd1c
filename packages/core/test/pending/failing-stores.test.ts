import { describe, expect, test } from "vitest";
import { createMemoryStore, data, type StateStore } from "../../src/index.ts";
import { called } from "../logged-host.ts";

describe("a store that fails", () => {
  const failing = (part: "approvals" | "sessions", methods: readonly string[]) => {
    const store = createMemoryStore({ audit: "durable" });
    const broken = Object.fromEntries(
      methods.map((method) => [method, () => Promise.reject(new Error("boom"))]),
    );
    return { ...store, [part]: { ...store[part], ...broken } } as StateStore;
  };
  const ids = { sessionId: "s" };

  test("when a question is stored denies, and is in the log", async () => {
    const { outcome, said } = await called(
      () => {},
      { requiresConfirmation: true },
      { store: failing("approvals", ["add"]) },
      ids,
    );

    expect(outcome.result.error).toBe('"probe" was not run: its approval could not be stored');
    expect(said[0]).toEqual([
      "error",
      expect.anything(),
      "the store of approvals failed: the store failed and confirmed nothing; see the host's log, then try again",
    ]);
  });

  test("when a call is handed to the client is unavailable", async () => {
    const { outcome, said } = await called(
      () => {},
      { execution: "client" },
      { store: failing("approvals", ["add"]) },
      ids,
    );

    expect(outcome.result.error).toBe('"probe" cannot run now: the call could not be stored for the client');
    expect(said.map(([level, , text]) => [level, text])).toContainEqual([
      "error",
      "the store of approvals failed",
    ]);
  });

  test("when the state of a session is saved is a warning of the call", async () => {
    const execute = (_: object, { session }: { session: { set(key: string, value: unknown): void } }) => {
      session.set("a", 1);
      return data(1);
    };
    const { outcome, said } = await called(
      () => {},
      { execute },
      { store: failing("sessions", ["writeState"]) },
      ids,
    );

    expect([outcome.status, outcome.result.warnings]).toEqual([
      "ok",
      ["its changes of its session's state could not be stored"],
    ]);
    expect(said.map(([level, , text]) => [level, text])).toContainEqual([
      "error",
      "the state of a session could not be stored",
    ]);
  });

  test("when a result is kept for a policy is a warning of the call", async () => {
    const { outcome, said } = await called(
      ({ coordinator }) => {
        coordinator.mount("policies", { name: "flow", seesResults: true, prepare: () => () => null });
      },
      {},
      { store: failing("sessions", ["append"]) },
      ids,
    );

    expect(outcome.result.warnings).toEqual(["its result could not be kept: later calls may be asked about"]);
    expect(said.map(([level, , text]) => [level, text])).toEqual([
      ["error", "a result could not be kept for later calls"],
    ]);
  });
});

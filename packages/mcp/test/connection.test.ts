import { describe, expect, test, vi } from "vitest";
import { connectionWorld, network, status, sum, type Answer } from "./connection-world.ts";

const unavailable = (cause: string) => ({
  code: "MCP_SERVER_UNAVAILABLE",
  message: `the MCP server "files" cannot be reached: ${cause}`,
});

describe("a connection", () => {
  test("is made by the first call, used by the next, and made again after a rest", async () => {
    const { connection, call, listed, count } = connectionWorld();
    expect(connection.status).toEqual({ state: "asleep", connections: 0 });
    const first = call();
    expect(connection.status).toEqual({ state: "connecting", connections: 0 });
    expect(await first).toMatchObject(sum);
    const connected = { state: "connected", protocol: "2026-07-28", server: "files 2" };
    expect(connection.status).toEqual({ ...connected, connections: 1 });
    await Promise.all([call(), call()]);
    expect([count("tools/list"), listed]).toEqual([1, [["add", "wait"]]]);
    await connection.rest();
    expect(connection.status).toEqual({ state: "asleep", connections: 1 });
    await Promise.all([call(), call()]);
    expect(connection.status).toEqual({ ...connected, connections: 2 });
    expect([count("tools/list"), listed]).toEqual([
      2,
      [
        ["add", "wait"],
        ["add", "wait"],
      ],
    ]);
  });

  test("that is closed makes no other one", async () => {
    const { connection, call, lines, asked } = connectionWorld();
    await call();
    await connection.close();
    await connection.close();
    expect(connection.status).toEqual({ state: "closed", connections: 1, cause: "the connection ended" });
    const before = asked.length;
    await expect(call()).rejects.toMatchObject(unavailable("its host is closed"));
    expect(asked).toHaveLength(before);
    expect(lines.filter(([level]) => level === "warn")).toEqual([]);
  });

  test("to a server that is away fails, and the log warns once of the same reason", async () => {
    const { connection, call, failing, warnings, lines } = connectionWorld({ era: "legacy" });
    failing["initialize"] = [
      network("ECONNREFUSED"),
      network("ECONNREFUSED"),
      network("ENOTFOUND", "no name"),
    ];
    const cause = "fetch failed: no route";
    const logged = (words: string) => [
      { server: "files", err: expect.any(Error) },
      `an MCP server cannot be reached: ${words}`,
    ];
    await expect(call()).rejects.toMatchObject(unavailable(cause));
    expect(connection.status).toEqual({ state: "down", connections: 0, cause });
    await expect(call()).rejects.toMatchObject(unavailable(cause));
    expect(lines.filter(([level, , words]) => level === "debug" && words?.startsWith("an MCP"))).toEqual([
      ["debug", ...logged(cause)],
    ]);
    await expect(call()).rejects.toMatchObject(unavailable("fetch failed: no name"));
    expect(warnings()).toEqual([
      ["warn", ...logged(cause)],
      ["warn", ...logged("fetch failed: no name")],
    ]);
    expect(await call()).toMatchObject(sum);
    expect(connection.status).toMatchObject({ state: "connected", connections: 1 });
    expect(connection.status).not.toHaveProperty("cause");
  });

  test("to a server that connects but does not list its tools is not used", async () => {
    const { connection, call, failing, known } = connectionWorld({ era: "auto" });
    failing["tools/list"] = [status(500)];
    await expect(call()).rejects.toMatchObject({ code: "MCP_SERVER_UNAVAILABLE" });
    expect(connection.status).toMatchObject({ state: "down", connections: 0 });
    expect(await known.recall()).toMatchObject({ prior: { kind: "modern" } });
    expect(await call()).toMatchObject(sum);
    expect(connection.status.connections).toBe(1);
  });

  test("to a server that lists its tools too late is not used", async () => {
    const { call, failing } = connectionWorld({ startTimeoutMs: 300 });
    failing["tools/list"] = [() => new Promise<Response>(() => {})];
    await expect(call()).rejects.toMatchObject(unavailable("it did not answer within 300 ms"));
  });

  test.each<[string, Answer]>([
    ["refuses it", status(502)],
    ["does not answer it", () => new Promise<Response>(() => {})],
  ])("to a server that %s, the question for its revision, is one of before 2026", async (_, answer) => {
    const { call, failing, known, connection } = connectionWorld({ era: "auto", startTimeoutMs: 3_000 });
    failing["server/discover"] = [answer];
    expect(await call()).toMatchObject(sum);
    expect([(await known.recall()).prior?.kind, connection.status.protocol]).toEqual([
      "legacy",
      "2025-11-25",
    ]);
  });

  test.each([
    ["auto", "modern"],
    ["modern", undefined],
    ["legacy", undefined],
  ])("of the era %s notes which revision the server speaks: %s", async (era, kind) => {
    const { call, known, connection } = connectionWorld({ era });
    await call();
    expect((await known.recall()).prior?.kind).toBe(kind);
    expect(connection.status.protocol).toBe(era === "legacy" ? "2025-11-25" : "2026-07-28");
  });

  test("asks no more which revision is spoken, and listens to changes itself", async () => {
    const { call, connection, count, host, listed } = connectionWorld({ era: "auto" });
    await call();
    await connection.rest();
    await call();
    expect(count("server/discover")).toBe(1);
    host.coordinator.unmount("tools", "wait");
    await host.coordinator.hooks.emit("mcp:changed", {});
    await vi.waitUntil(() => listed.length === 3, 60_000);
    expect(listed.at(-1)).toEqual(["add"]);
  });
});

describe("a call whose connection fails", () => {
  test.each<[string, Answer, boolean, number]>([
    ["that was not sent", network("ECONNREFUSED"), false, 2],
    ["that was not sent, and is idempotent", network("ECONNREFUSED"), true, 2],
    ["whose session the server has forgotten", status(404), false, 2],
    ["that may have run, and is idempotent", network("ECONNRESET"), true, 2],
  ])("%s is made again, once", async (_, answer, idempotent, calls) => {
    const { call, failing, count, connection } = connectionWorld();
    await call();
    failing["tools/call"] = [answer];
    expect(await call("add", { idempotent })).toMatchObject(sum);
    expect(count("tools/call")).toBe(1 + calls);
    failing["tools/call"] = [answer, answer];
    await expect(call("add", { idempotent })).rejects.toThrow(/^(?:fetch failed|Error POSTing)/);
    expect(count("tools/call")).toBe(1 + 2 * calls);
    expect(connection.status.connections).toBeGreaterThan(0);
  });

  test.each<[string, Answer]>([
    ["may have run", network("ECONNRESET")],
    ["has a status of HTTP", status(500)],
  ])("that %s is not made again", async (_, answer) => {
    const { call, failing, count } = connectionWorld();
    await call();
    failing["tools/call"] = [answer];
    await expect(call()).rejects.toThrow(/^(?:fetch failed|Error POSTing)/);
    expect(count("tools/call")).toBe(2);
  });

  test("of a forgotten session makes another connection, and the log says why", async () => {
    const { call, failing, connection, warnings } = connectionWorld();
    await call();
    failing["tools/call"] = [status(404)];
    await call();
    expect(connection.status).toMatchObject({ state: "connected", connections: 2 });
    expect(warnings()).toEqual([
      [
        "warn",
        { server: "files", cause: "the server has forgotten the session" },
        "the connection to an MCP server ended",
      ],
    ]);
  });

  test("that its caller cancelled is not made again", async () => {
    const { call, count } = connectionWorld();
    await call();
    const controller = new AbortController();
    const running = call("wait", { idempotent: true, signal: controller.signal });
    await vi.waitUntil(() => count("tools/call") === 2, 60_000);
    controller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    expect(count("tools/call")).toBe(2);
  });

  test("that its caller cancels while the server is connected does not wait", async () => {
    const { call, failing } = connectionWorld();
    failing["tools/list"] = [() => new Promise<Response>(() => {})];
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(call("add", { signal })).rejects.toThrow("enough");
  });
});

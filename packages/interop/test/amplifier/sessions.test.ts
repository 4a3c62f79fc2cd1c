import type { ToolContext } from "@toolmount/core";
import { expect, test } from "vitest";
import { createAmplifierSessions, Stopped } from "../../src/amplifier/sessions.ts";
import { hostWithAdapters } from "../support/world.ts";

const context = (more: object = {}) => ({ callId: "c-1", tool: "say", ...more }) as unknown as ToolContext;

test("a call has the session of its context, and the run of the call that made it", async () => {
  const sessions = createAmplifierSessions();
  const seen = async (given: ToolContext) =>
    sessions.within(given, () => {
      const { id, parentId } = sessions.current();
      return [id, parentId, sessions.call() === given];
    });

  expect(await seen(context({ sessionId: "s", parentRunId: "r-1" }))).toEqual(["s", "r-1", true]);
  expect(await seen(context({ sessionId: "t" }))).toEqual(["t", null, true]);
  expect(await seen(context())).toEqual(["host", null, true]);
  expect([sessions.current().id, sessions.call()]).toEqual(["host", undefined]);
});

test("an event has the session that it names, and that of its call where it names none", async () => {
  const sessions = createAmplifierSessions();
  const at = (id: unknown) => sessions.inSession(id, () => sessions.current().id);

  expect([at("s"), at(""), at(undefined), at(7)]).toEqual(["s", "host", "host", "host"]);
  await sessions.within(context({ sessionId: "s" }), () => {
    expect([at("t"), at("s"), at(undefined), at("")]).toEqual(["t", "s", "s", "s"]);
    // In its own session, an event is still inside the call.
    expect(sessions.inSession("s", () => sessions.call()?.callId)).toBe("c-1");
    expect(sessions.inSession("t", () => sessions.call())).toBeUndefined();
  });
});

test("a session keeps its state, and ten thousand are kept: the one that was used longest ago is dropped", () => {
  const sessions = createAmplifierSessions();
  const count = (id: string) =>
    sessions.inSession(id, () => {
      const { state } = sessions.current();
      return (state["count"] = Number(state["count"] ?? 0) + 1);
    });
  for (let at = 1; at <= 10_000; at++) count(`s${at}`);
  expect(count("s1")).toBe(2);
  expect(count("new")).toBe(1);

  expect(count("s1")).toBe(3);
  expect(count("s3")).toBe(2);
  expect(count("s2")).toBe(1);
});

test("a tool is listed as running while it runs, and a cancelled session runs none", async () => {
  const sessions = createAmplifierSessions();
  const token = () => sessions.inSession("s", () => sessions.current().cancellation);
  const run = (work: () => unknown) => sessions.within(context({ sessionId: "s" }), work);
  const names = await run(() => [...token().runningToolNames]);

  expect(names).toEqual(["say"]);
  expect(token().runningToolNames).toEqual([]);
  await expect(run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(token().runningToolNames).toEqual([]);

  token().requestGraceful();
  let ran = 0;
  const stopped = (await run(() => ++ran)) as Stopped;
  expect(ran).toBe(0);
  expect(stopped).toBeInstanceOf(Stopped);
  expect({ ...stopped.toResult() }).toEqual({
    error: "Request was cancelled",
    details: { cancelled: true, tool: "say" },
  });
});

test("a tool that runs is waited for after a graceful cancel, and not after an immediate one", async () => {
  const sessions = createAmplifierSessions();
  const token = () => sessions.inSession("s", () => sessions.current().cancellation);
  const graceful = sessions.within(context({ sessionId: "s" }), async () => {
    token().requestGraceful();
    return "done";
  });
  expect(await graceful).toBe("done");
  token().reset();
  const immediate = sessions.within(context({ sessionId: "s" }), () => {
    token().requestImmediate();
    return new Promise(() => {});
  });
  expect(await immediate).toBeInstanceOf(Stopped);
});

test("a tool without a schema or a description is warned of, and a summary that is no text is left out", async () => {
  const { host, lines } = await hostWithAdapters();
  const bare = { name: "bare", execute: () => ({ output: 1 }), summary: 7 };
  host.coordinator.mount("tools", bare);
  host.coordinator.mount("tools", {
    ...bare,
    name: "empty",
    description: "Is empty.",
    input_schema: {},
  } as never);

  expect(host.tools().map(({ name, summary, inputSchema }) => [name, summary, inputSchema])).toEqual([
    ["bare", undefined, { type: "object" }],
    ["empty", undefined, { type: "object" }],
  ]);
  const noSchema = "a tool has no input schema: any object is passed on to it";
  expect(lines.map(({ fields, message }) => [fields["tool"], message])).toEqual([
    ["bare", "a tool has no description: a model sees its name alone"],
    ["bare", noSchema],
    ["empty", noSchema],
  ]);
});

test("a refused tool is named by the beginning of its name, and what it throws has a bound", async () => {
  const { host } = await hostWithAdapters();
  const long = "n".repeat(200);
  expect(() =>
    host.coordinator.mount("tools", { name: long, description: "d", execute: 1 } as never),
  ).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ tool: "n".repeat(128) }) }) as Error,
  );
  const keys = [`ghp_${"a1B2".repeat(9)}`, `ghp_${"c3D4".repeat(9)}`];
  const execute = () => {
    throw new Error(`${keys[0]} and ${keys[1]} ${"x".repeat(1_000)}`);
  };
  host.coordinator.mount("tools", {
    name: "leak",
    description: "d",
    input_schema: { type: "object" },
    execute,
  } as never);

  const said = "[redacted] and [redacted] ";
  expect((await host.call({ name: "leak" })).result.error).toBe(said + "x".repeat(1_000 - said.length));
});

test("two users of one session name have a state each, and a hook has that of its event's user", async () => {
  const sessions = createAmplifierSessions();
  const setIn = (userId: string) =>
    sessions.within(context({ sessionId: "s", userId }), () => {
      sessions.current().state["whose"] = userId;
      return sessions.inSession("s", () => sessions.current().state["whose"]);
    });
  expect([await setIn("ana"), await setIn("bob")]).toEqual(["ana", "bob"]);
  const seen = (userId?: string) =>
    sessions.inSession("s", () => [sessions.current().id, sessions.current().state["whose"]], userId);
  expect([seen("ana"), seen("bob"), seen()]).toEqual([
    ["s", "ana"],
    ["s", "bob"],
    ["s", undefined],
  ]);
});

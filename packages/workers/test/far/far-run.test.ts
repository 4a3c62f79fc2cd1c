import { data, ToolError, type CallInfo, type ToolContext, type ToolDefinition } from "@toolmount/core";
import { expect, test } from "vitest";
import { messageText, runFar } from "../../src/far/far-run.ts";
import type { FarMessage } from "../../src/far/far-message.ts";
import type { HostMessage } from "../../src/far/messages.ts";

type Execute = (given: object, context: ToolContext) => unknown;
type RunRequest = Extract<HostMessage, { type: "run" }>;

/** Runs a tool as a process does, and returns what the process sends. */
async function run(execute: Execute, more: Partial<RunRequest> = {}, host: object = {}, tool: object = {}) {
  const sent: FarMessage[] = [];
  const info = { tool: "pay", callId: "c", runId: "r", depth: 0, sessionId: "s", rehearsalId: "x" };
  const request = {
    type: "run",
    runId: "r",
    tool: "pay",
    info: info as unknown as CallInfo,
    arguments: { a: 1 },
    state: { kept: 1 },
    ...more,
  } as RunRequest;
  const definition = { name: "pay", execute, ...tool } as unknown as ToolDefinition;
  await runFar(definition, request, new AbortController().signal, (message) => sent.push(message), {
    call: async () => ({ status: "ok" }) as never,
    ...host,
  });
  return sent;
}
const returned = (value: unknown) => ({ type: "returned", runId: "r", value });

test("a tool gets its arguments, and what it returns is the last message", async () => {
  expect(await run((given) => data({ given }))).toEqual([returned({ data: { given: { a: 1 } } })]);
  expect(await run(() => undefined)).toEqual([returned(undefined)]);
});

test("what a tool throws is the last message, also where it throws at once", async () => {
  const sent = await run(() => {
    throw new ToolError("no money", { code: "POOR", details: { left: 0 } });
  });
  expect(sent).toMatchObject([
    {
      type: "threw",
      runId: "r",
      thrown: { kind: "error", name: "ToolError", message: "no money", code: "POOR", details: { left: 0 } },
    },
  ]);
});

test("a preview returns its effects and its result, and an undo gets what was kept", async () => {
  const tool = {
    preview: async (given: object) => ({ effects: [{ given }], result: data("paid") }),
    undo: async (kept: unknown) => data({ undone: kept }),
  };
  const refuse = () => data("it ran");
  expect(await run(refuse, { instead: { preview: true } as never }, {}, tool)).toEqual([
    returned({ effects: [{ given: { a: 1 } }], result: { data: "paid" } }),
  ]);
  expect(await run(refuse, { instead: { undo: 7 } as never }, {}, tool)).toEqual([
    returned({ data: { undone: 7 } }),
  ]);
});

test("the session's values are those of the call's begin, and changes go to the host as plain JSON", async () => {
  const seen: unknown[] = [];
  const sent = await run((_, { session }) => {
    const value = { n: [1] };
    session.set("new", value);
    value.n.push(2);
    seen.push(
      session.get("kept"),
      session.get("new"),
      session.delete("kept"),
      session.delete("kept"),
      session.get("kept"),
    );
    return data(null);
  });
  expect(seen).toEqual([1, { n: [1] }, true, false, undefined]);
  expect(sent).toEqual([
    { type: "set", runId: "r", key: "new", value: { n: [1] } },
    { type: "delete", runId: "r", key: "kept" },
    { type: "delete", runId: "r", key: "kept" },
    returned({ data: null }),
  ]);
});

test("logs go to the host by level, with the members of their logger, and errors as their words", async () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const sent = await run((_, { logger }) => {
    for (const level of ["trace", "debug", "info", "warn", "error"] as const)
      logger[level]({ at: level }, "said");
    logger
      .child({ a: 1 })
      .child({ b: 2 })
      .info({ err: new TypeError("broken"), b: 3 });
    logger.info(circular, "odd");
    logger.error(new TypeError("in place of fields"));
    // @ts-expect-error -- a module in JavaScript may log a text alone
    logger.warn("a text alone");
    return data(null);
  });
  const log = (level: string, fields: object, message?: string) => ({
    type: "log",
    runId: "r",
    level,
    fields,
    ...(message !== undefined && { message }),
  });
  expect(sent.slice(0, -1)).toEqual([
    ...["trace", "debug", "info", "warn", "error"].map((level) => log(level, { at: level }, "said")),
    log("info", { a: 1, b: 3, err: { type: "TypeError", message: "broken", stack: expect.any(String) } }),
    log("info", { unreadable: true }, "odd"),
    log("error", { err: { type: "TypeError", message: "in place of fields", stack: expect.any(String) } }),
    log("warn", {}, "a text alone"),
  ]);
});

test("progress goes to the host before the end, with what was given, and numbers that JSON does not have do not", async () => {
  const sent = await run((_, { progress }) => {
    progress({ progress: 1 });
    progress({ progress: Number.NaN });
    progress({ progress: 2, total: 3, message: "m" });
    return data(null);
  });
  expect(sent[0]).toEqual({ type: "progress", runId: "r", progress: { progress: 1 } });
  expect(sent.at(-2)).toEqual({
    type: "progress",
    runId: "r",
    progress: { progress: 2, total: 3, message: "m" },
  });
  expect(sent.at(-1)).toEqual(returned({ data: null }));
  expect(sent).toHaveLength(3);
});

test("a tool that calls another one waits for the host, and its change is kept where the host keeps any", async () => {
  const asked: unknown[] = [];
  const host = {
    call: async (runId: string, request: object) => (asked.push([runId, request]), { status: "ok" }),
    keep: async (runId: string, kept: object) => void asked.push([runId, kept]),
  };
  const execute: Execute = async (_, context) => {
    const { status } = await context.call({ name: "other", arguments: {} });
    await context.undoable?.({ id: 1 });
    await context.irreversible?.("sent");
    return data([status, context.undoable === undefined]);
  };
  expect(await run(execute, { keeps: true }, host)).toEqual([returned({ data: ["ok", false] })]);
  expect(asked).toEqual([
    ["r", { name: "other", arguments: {} }],
    ["r", { type: "keep", data: { id: 1 } }],
    ["r", { type: "keep-irreversible", reason: "sent" }],
  ]);
  expect(await run(execute, { keeps: false }, host)).toEqual([returned({ data: ["ok", true] })]);
});

test("the effects of a rehearsal are those of the host's process, and no other call has any", async () => {
  const asked: unknown[] = [];
  const host = { stage: (id: string, which: string) => (asked.push([id, which]), { which }) };
  const rehearsal: Execute = (_, context) => data((context.rehearsal as object | undefined) ?? null);
  expect(await run(rehearsal, { staged: "again" }, host)).toEqual([returned({ data: { which: "again" } })]);
  expect(await run(rehearsal, {}, host)).toEqual([returned({ data: null })]);
  expect(asked).toEqual([["x", "again"]]);
});

test("a tool that reads what another module of the host adds fails with the line that allows it", async () => {
  const read: Execute = (_, context) => data((context as unknown as { notes: unknown }).notes);
  expect(await run(read, { withheld: ["notes"] })).toMatchObject([
    {
      type: "threw",
      thrown: {
        name: "ToolError",
        message:
          "context.notes is made by another module in the host, and does not reach the process of this tool; a plan that trusts the tool says run: { in: inline }",
      },
    },
  ]);
  expect(await run(read, {})).toMatchObject([{ type: "returned" }]);
});

test("an answer of 64 MB is sent, and a larger one is a breach of the contract", () => {
  const max = 64 * 1024 * 1024;
  const message = (length: number) => ({ type: "returned", runId: "r", value: "x".repeat(length) }) as const;
  const around = JSON.stringify(message(0)).length;
  expect(messageText(message(max - around))).toHaveLength(max);
  expect(JSON.parse(messageText(message(max - around + 1)))).toMatchObject({
    type: "threw",
    runId: "r",
    thrown: { message: `its answer has ${max + 1} bytes, and a process may send ${max}` },
  });
});

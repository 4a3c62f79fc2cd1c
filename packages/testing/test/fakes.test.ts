import { data, defineTool } from "@toolmount/core";
import {
  createReadyCoordinator,
  createScriptedApprover,
  createTestCoordinator,
  MockTool,
  runScript,
  waitFor,
} from "@toolmount/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const note = defineTool({
  name: "read_note",
  description: "Reads one note. Use when the user names one, not for folders.",
  schema: z.strictObject({ path: z.string() }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: ({ path }) => data(path),
});

test("a mock tool without options describes itself, and answers with nothing", async () => {
  const tool = new MockTool({ name: "mock" });

  expect([tool.description, tool.input_schema, tool.lastInput]).toEqual([
    "A mock of mock.",
    { type: "object" },
    undefined,
  ]);
  expect(await tool.execute({})).toEqual({ success: true, output: null, error: null });
  expect(await new MockTool({ name: "a", returnValue: { success: true, output: 5 } }).execute({})).toEqual({
    success: true,
    output: 5,
    error: null,
  });
});

test("a test coordinator knows a thing by its mounting, its tool name, or its name", () => {
  const coordinator = createTestCoordinator();
  coordinator.mount("tools", note, { name: "other" });
  coordinator.mount("policies" as never, { ToolName: "A", name: "b" });

  expect(coordinator.history.map(({ action, point, name }) => [action, point, name])).toEqual([
    ["mount", "tools", "other"],
    ["mount", "policies", "A"],
  ]);
});

test("the tools of a ready coordinator say what they do and take", async () => {
  const { host } = createReadyCoordinator();
  const schema = {
    type: "object",
    properties: { text: { type: "string", description: "Any text" } },
    required: ["text"],
  };

  expect(host.tools()).toMatchObject([
    {
      name: "echo",
      description: "Returns its text.",
      inputSchema: schema,
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
    },
    {
      name: "fail",
      description: "Fails with its text.",
      inputSchema: schema,
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
    },
  ]);
  for (const given of [{}, { text: 5 }, null])
    expect((await host.call({ name: "echo", arguments: given as never })).result).toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
  expect((await host.call({ name: "echo", arguments: {} })).result.error).toBe("text is required");
});

test("a scripted approver says who answered, and why it denies", async () => {
  const approver = createScriptedApprover(["approve", { decision: "later" } as never]);
  const [question, context] = [{} as never, {} as never];

  expect([
    approver.ask(question, context),
    approver.ask(question, context),
    approver.ask(question, context),
  ]).toEqual([
    { decision: "approve", by: "script" },
    { decision: "later" },
    { decision: "deny", reason: "the script has no more answers" },
  ]);
});

test("a script passes its context to each call", async () => {
  const { host } = createReadyCoordinator();
  const seen: unknown[] = [];
  const calls = [{ name: "echo", arguments: { text: "a" } }];
  await runScript({ call: async (...given) => (seen.push(given), host.call(...given)) }, calls, {
    sessionId: "s",
  });
  await runScript({ call: async (...given) => (seen.push(given), host.call(...given)) }, calls);

  expect(seen).toEqual([
    [calls[0], { sessionId: "s" }],
    [calls[0], {}],
  ]);
});

test("waitFor looks every 5 ms for 2 seconds, by its clock", async () => {
  let nowMs = 0;
  const waits: number[] = [];
  const clock = {
    now: () => nowMs,
    setTimer: (callback: () => void, ms: number) => {
      waits.push(ms);
      nowMs += ms;
      queueMicrotask(callback);
      return { cancel() {}, keepAlive() {} };
    },
  };

  await expect(waitFor(() => false, { clock })).rejects.toThrow("nothing was found within 2000 ms");
  expect([nowMs, new Set(waits)]).toEqual([2000, new Set([5])]);
  for (const found of [0, "", Number.NaN]) expect(await waitFor(() => found, { clock })).toBe(found);
});

import { silentLogger, systemClock, type Logger } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import type { Question } from "../src/far/messages.ts";
import { describedModule, type DescribedByProcess } from "../src/process/described-module.ts";

const nothing: DescribedByProcess = { tools: [], contributions: [], hooks: [], capabilities: [] };

/** What the host mounts of a report, and the questions that it asks the process. */
function mounted(
  report: Partial<DescribedByProcess>,
  answer: (question: Question, signal: AbortSignal) => unknown = () => null,
) {
  const asked: Question[] = [];
  const warned: unknown[] = [];
  const logger = { ...silentLogger, warn: (...given: unknown[]) => void warned.push(given) } as Logger;
  const module = describedModule(
    { ...nothing, ...report },
    {
      granted: { hooks: ["tool:pre", "x:y"], capabilities: ["acme.notes"] },
      ask: async (question, signal) => (asked.push(question), answer(question, signal)),
      clock: systemClock,
      logger,
    },
  );
  return { module, asked, warned };
}
const gate = { id: 4, kind: "gate", event: "tool:pre" } as const;
const observer = { id: 5, kind: "observe", event: "x:y" } as const;

test.each([
  [{ hooks: [{ ...gate, event: "tool:post" }] }, "tool:post"],
  [{ capabilities: [{ name: "acme.other", shape: { value: 1, methods: [] } }] }, "acme.other"],
])("a process that reports %j, which the plan does not allow, is refused", (report, name) => {
  expect(() => mounted(report as never)).toThrow(
    `its process reports "${name}", which the plan does not allow`,
  );
});

describe("a gate in a process", () => {
  const ask = async (answer: unknown, event: object = { a: 1 }) => {
    const { module, asked } = mounted({ hooks: [{ ...gate, priority: 2, name: "n" }] }, () => answer);
    const [hook] = module.hooks;
    expect(hook).toMatchObject({ kind: "gate", event: "tool:pre", options: { priority: 2, name: "n" } });
    return { result: await hook!.handler("tool:pre", event as never), asked };
  };

  test.each([
    [null, undefined],
    [undefined, undefined],
    [{}, {}],
    [
      { action: "deny", reason: "no", more: 1 },
      { action: "deny", reason: "no" },
    ],
    [
      { action: "modify", data: { a: [1] } },
      { action: "modify", data: { a: [1] } },
    ],
    [
      {
        action: "ask_user",
        approvalPrompt: "p",
        approvalOptions: ["a"],
        approvalTimeoutMs: 1,
        approvalDefault: "deny",
      },
      {
        action: "ask_user",
        approvalPrompt: "p",
        approvalOptions: ["a"],
        approvalTimeoutMs: 1,
        approvalDefault: "deny",
      },
    ],
    [
      {
        action: "inject_context",
        contextInjection: "c",
        contextInjectionRole: "user",
        ephemeral: true,
        suppressOutput: false,
        userMessage: "m",
        userMessageLevel: "error",
        userMessageSource: "s",
        appendToLastToolResult: true,
      },
      {
        action: "inject_context",
        contextInjection: "c",
        contextInjectionRole: "user",
        ephemeral: true,
        suppressOutput: false,
        userMessage: "m",
        userMessageLevel: "error",
        userMessageSource: "s",
        appendToLastToolResult: true,
      },
    ],
  ])("answers %j as %j", async (answer, expected) => {
    const { result, asked } = await ask(answer, { a: 1, b: undefined });
    expect(result).toEqual(expected);
    expect(asked).toEqual([{ hook: 4, event: "tool:pre", data: { a: 1 } }]);
  });

  test.each([
    [{ action: "approve" }, "its answer is not valid: action: "],
    [
      { approvalDefault: "allow" },
      "its answer is not valid: approvalDefault: a hook behind a border cannot approve",
    ],
    [{ approvalTimeoutMs: 0 }, "its answer is not valid: approvalTimeoutMs: "],
    [
      { approvalOptions: Array.from({ length: 33 }, () => "a") },
      "its answer is not valid: approvalOptions: ",
    ],
    [{ approvalOptions: ["a".repeat(1_001)] }, "its answer is not valid: approvalOptions.0: "],
    [{ reason: "r".repeat(1_000_001) }, "its answer is not valid: reason: "],
    [{ contextInjectionRole: "tool" }, "its answer is not valid: contextInjectionRole: "],
    [{ userMessageLevel: "fatal" }, "its answer is not valid: userMessageLevel: "],
    ["deny", "its answer is not valid: : "],
  ])("that answers %# fails", async (answer, problem) => {
    await expect(ask(answer)).rejects.toThrow(problem);
  });

  test("is not asked about an event that cannot be JSON", async () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    await expect(ask(null, circular)).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^the event cannot cross a border: Converting circular structure/),
      }),
    );
  });

  test("that does not answer in its time fails, and its process hears of it", async () => {
    const signals: AbortSignal[] = [];
    const waits = new Promise(() => {});
    const { module } = mounted(
      { hooks: [{ ...gate, timeoutMs: 5 }] },
      (_, signal) => (signals.push(signal), waits),
    );
    await expect(module.hooks[0]!.handler("tool:pre", {})).rejects.toThrow(
      expect.objectContaining({ message: "it did not answer within 5 ms" }),
    );
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

test("of events that come at once an observer gets 256, and the log says which it misses", async () => {
  const answers = Promise.withResolvers<null>();
  const { module, asked, warned } = mounted({ hooks: [observer] }, () => answers.promise);
  const { handler } = module.hooks[0]!;
  const all = Array.from({ length: 257 }, async () => handler("x:y", {}));
  expect(await all.at(-1)).toBeUndefined();
  expect(asked).toHaveLength(256);
  expect(warned).toEqual([
    [{ event: "x:y" }, "an observer in a process misses an event: 256 others wait for it"],
  ]);
  answers.resolve(null);
  await Promise.all(all);
  await handler("x:y", {});
  expect(asked).toHaveLength(257);
});

test("a capability of a process is asked by message", async () => {
  const { module, asked } = mounted(
    { capabilities: [{ name: "acme.notes", shape: { value: { size: 1 }, methods: ["add"] } }] },
    () => "answer",
  );
  const [{ name, value }] = module.capabilities as unknown as [
    { name: string; value: { size: number; add: (a: string) => Promise<unknown> } },
  ];
  expect([name, value.size, await value.add("a"), Object.isFrozen(value)]).toEqual([
    "acme.notes",
    1,
    "answer",
    true,
  ]);
  expect(asked).toEqual([{ capability: "acme.notes", method: "add", arguments: ["a"] }]);
});

describe("the placeholder of a tool", () => {
  const tool = { name: "pay", description: "Pays.", inputSchema: { type: "object" } };
  const of = (more: object = {}) => mounted({ tools: [{ ...tool, ...more }] }).module.tools[0]!;

  test("has the facts that the process reported, and its own name for a tool that has another one", () => {
    const { definition, alias } = of({
      alias: "acme_pay",
      category: "write",
      requiresConfirmation: true,
      origin: "forge",
    });
    expect(alias).toBe("acme_pay");
    expect(definition).toMatchObject({
      name: "pay",
      schema: { type: "object" },
      category: "write",
      requiresConfirmation: true,
      origin: "forge",
    });
    expect(definition).not.toHaveProperty("undo");
    expect(definition).not.toHaveProperty("preview");
    expect(of().definition).toHaveProperty("origin", undefined);
  });

  test("runs nothing in the host", async () => {
    const { definition } = of({ undoable: true, previews: true });
    const { execute, undo, preview } = definition as unknown as Record<string, () => Promise<unknown>>;
    for (const run of [execute, undo, preview])
      await expect(run!()).rejects.toThrow(
        expect.objectContaining({ message: 'the tool "pay" runs only behind its border' }),
      );
  });

  test("always asks a person where the tool's own code decides that", () => {
    expect((of({ requiresConfirmation: "dynamic" }).definition.requiresConfirmation as () => boolean)()).toBe(
      true,
    );
  });

  test("has words for failures that the process did not describe", () => {
    const { failures } = of({ failuresOf: "PayTool" }).definition;
    expect(failures?.className).toBe("PayTool");
    expect(failures?.describe(new Error("x"))).toMatchObject({
      error: "PayTool failed",
      code: "TOOL_FAILED",
    });
  });
});

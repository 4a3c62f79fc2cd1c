import { HarnessRunSchema, toolCalls, type HarnessRun } from "@vitest-evals/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  checkDescriptions,
  compareRuns,
  countChoices,
  createCallCollector,
  createEvalHarness,
  findOverlaps,
  judgeTurn,
  type EvalExpectation,
  type EvalRun,
  type SeenTurn,
} from "../src/evals.ts";

const turn = (tools: readonly string[], more: Partial<SeenTurn> = {}): SeenTurn => ({
  calls: tools.map((tool) => ({ tool, arguments: '{"id":1,"name":"Ada"}', status: "ok", text: "" })),
  text: "Ada is here",
  durationMs: 10,
  tokens: 100,
  ...more,
});

describe("judging a turn", () => {
  const rows: readonly [EvalExpectation, SeenTurn, readonly string[]][] = [
    [{ tools: ["a", "b"] }, turn(["a", "b"]), []],
    [{ tools: ["a", "b"] }, turn(["b", "a"]), ["the model called b, a, not a, b"]],
    [{ tools: [] }, turn([]), []],
    [{ tools: [] }, turn(["a"]), ["the model called a, not no tool"]],
    [{ oneOf: [["a"], ["b", "c"]] }, turn(["b", "c"]), []],
    [{ oneOf: [["a"], ["b"]] }, turn(["c"]), ["the model called c, not one of a | b"]],
    [{ calls: [{ tool: "a", arguments: { id: 1 } }] }, turn(["b", "a"]), []],
    [{ calls: [{ tool: "a", arguments: { id: 2 } }] }, turn(["a"]), ['there is no call a {"id":2}']],
    [
      { calls: [{ tool: "b" }, { tool: "a" }] },
      turn(["a", "b"]),
      ["there is no call a {} after the one before it"],
    ],
    [{ not: ["a"] }, turn(["a"]), ["the model called a"]],
    [
      { errors: false },
      turn([], { calls: [{ tool: "a", arguments: "{}", status: "invalid", text: "no id" }] }),
      ["a ended invalid: no id"],
    ],
    [
      { text: { contains: ["ADA", ["there", "here"]], not: ["Bob"], matches: "^Ada", maxLength: 20 } },
      turn([]),
      [],
    ],
    [
      { text: { contains: [["Bob", "Eve"]], not: ["ada"], matches: "^B", maxLength: 2 } },
      turn([]),
      [
        'the text has no "Bob" or "Eve"',
        'the text has "ada"',
        "the text does not match ^B",
        "the text has 11 characters, more than 2",
      ],
    ],
    [{ text: { json: ["a", "b"] } }, turn([], { text: '{"a":1}' }), ['the JSON has no "b"']],
    [{ text: { json: true } }, turn([]), ["the text is not JSON"]],
    [
      { max: { calls: 0, tokens: 50, ms: 5, cost: 1 } },
      turn(["a"]),
      [
        "calls: 1, more than 0",
        "tokens: 100, more than 50",
        "ms: 10, more than 5",
        "the cost is not known: the plan has no agent.prices",
      ],
    ],
  ];

  test.each(rows)("FORGE-N21: %j is compared, and every problem is reported", (expected, seen, problems) => {
    expect(judgeTurn(expected, seen)).toEqual(problems);
  });
});

describe("counting choices", () => {
  const evaluation = (tools: readonly string[], chosen: readonly string[]) => ({ expect: { tools }, chosen });

  test("FORGE-N20: shows which tools were chosen, confused, missed and extra", () => {
    const rows = countChoices([
      evaluation(["read"], ["read"]),
      evaluation(["read"], ["grep"]),
      evaluation(["read", "grep"], ["read"]),
      evaluation([], ["bash"]),
      { expect: { oneOf: [["read"], ["grep"]] }, chosen: ["grep"] },
      { expect: { text: { contains: ["x"] } }, chosen: ["bash"] },
    ]);
    expect(rows).toEqual([
      { tool: "bash", expected: 0, chosen: 0, missed: 0, extra: 1, confused: {} },
      { tool: "grep", expected: 2, chosen: 1, missed: 1, extra: 0, confused: {} },
      { tool: "read", expected: 3, chosen: 2, missed: 0, extra: 0, confused: { grep: 1 } },
    ]);
  });

  test("FORGE-N25: pairs that were confused in either direction are one overlap", () => {
    const rows = countChoices([evaluation(["a"], ["b"]), evaluation(["b"], ["a"]), evaluation(["a"], ["c"])]);
    expect(findOverlaps(rows)).toEqual([
      { tools: ["a", "b"], count: 2 },
      { tools: ["a", "c"], count: 1 },
    ]);
  });

  test("each expected tool is chosen, confused or missed, whatever was called", () => {
    const tools = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(fc.tuple(tools, tools), { maxLength: 5 }), (pairs) => {
        for (const row of countChoices(pairs.map(([wanted, chosen]) => evaluation(wanted, chosen)))) {
          const confused = Object.values(row.confused).reduce((sum, count) => sum + count, 0);
          expect(row.chosen + confused + row.missed).toBe(row.expected);
        }
      }),
    );
  });
});

describe("keeping evaluations true", () => {
  const tools = [
    {
      name: "find_order",
      description: "Finds an order. Use when its id is known.",
      summary: "Finds an order.",
    },
    { name: "wipe", description: "Removes everything.", summary: "Might remove various things. Really." },
  ];

  test("FORGE-N2: tools without a prompt for and against them, and prompts without a word of the description", () => {
    const prompts = [{ prompt: "Where is my parcel?", expect: { tools: ["find_order"] } }];
    expect(checkDescriptions(tools.slice(0, 1), prompts)).toEqual([
      "find_order: no evaluation has a prompt for which it must not be called",
      'find_order: its description has no word of the prompt "Where is my parcel?"',
    ]);
    expect(
      checkDescriptions(tools.slice(0, 1), [
        { prompt: "Find orders of Ada", expect: { tools: ["find_order"] } },
        { prompt: "Thank you", expect: { tools: [] } },
      ]),
    ).toEqual([]);
  });

  test("FORGE-N3: a summary is one sentence of at most 120 characters without hedging words", () => {
    const prompts = [{ prompt: "remove everything", expect: { calls: [{ tool: "wipe" }], not: ["wipe"] } }];
    const long = { name: "wipe", description: "Removes everything.", summary: "x".repeat(121) };
    expect(checkDescriptions(tools.slice(1), prompts)).toEqual([
      "wipe: its summary has more than one sentence",
      'wipe: its summary says "Might"',
    ]);
    expect(checkDescriptions([long], prompts)).toEqual([
      "wipe: its summary has 121 characters, more than 120",
    ]);
  });

  const run = (passRate: number, ...names: readonly string[]): EvalRun => ({
    passRate,
    tools: Object.fromEntries(
      names.map((name) => {
        const [tool = "", definition = "1", version] = name.split("@");
        return [tool, { definition, version }];
      }),
    ),
  });

  test("FORGE-N22: a changed definition, a new major version and many new tools make evaluations stale", () => {
    expect(compareRuns([run(1, "a@1", "b@1@1.9.0"), run(1, "a@2", "b@1@2.0.0", "c", "d")])).toEqual([
      "a: its definition has changed since the last run",
      "b: version 2.0.0, was 1.9.0: look through its evaluations",
      "there are 4 tools, were 2: the evaluations may no longer cover what a model chooses among",
    ]);
    expect(compareRuns([run(1, "a")])).toEqual([]);
  });

  test("FORGE-N24: an average of five runs 0.1 below the first is drift, with the changed tools as suspects", () => {
    const runs = [run(1, "a@1"), run(1, "a@1"), run(0.9, "a@2"), run(0.8, "a@2"), run(0.8, "a@2")];
    expect(compareRuns(runs)).toEqual([
      "drift: 90 % passed on average of 5 runs, 100 % in the first; changed since all passed: a",
    ]);
    expect(compareRuns(runs.slice(0, 3))).toEqual(["a: its definition has changed since the last run"]);
  });
});

test("a collector keeps calls in order, with how each ended", () => {
  const { onEvent, calls } = createCallCollector();
  const events = [
    { type: "begin" },
    { type: "tool_call", callId: "1", tool: "a", arguments: "{}" },
    { type: "tool_call", callId: "2", tool: "b", arguments: "{}" },
    { type: "tool_result", callId: "2", status: "ok", text: "done" },
    { type: "tool_result", callId: "9", status: "ok", text: "unknown" },
  ];
  for (const event of events) onEvent(event);
  expect(calls()).toEqual([
    { tool: "a", arguments: "{}" },
    { tool: "b", arguments: "{}", status: "ok", text: "done" },
  ]);
});

test("a harness gives vitest-evals the calls, results and usage of a turn", async () => {
  const harness = createEvalHarness("shop", async (prompt, { onEvent, abortSignal }) => {
    expect([prompt, abortSignal?.aborted]).toEqual(["find Ada", false]);
    for (const event of [
      { type: "tool_call", callId: "1", tool: "find", arguments: '{"name":"Ada"}' },
      { type: "tool_result", callId: "1", status: "ok", text: "found" },
      { type: "tool_call", callId: "2", tool: "wipe", arguments: "not JSON" },
      { type: "tool_result", callId: "2", status: "denied", text: "no" },
    ])
      onEvent(event);
    const usage = { inputTokens: 3, outputTokens: 2, reasoningTokens: 1 };
    return { status: "done", text: "Ada is here", iterations: 2, usage };
  });
  const run = await harness.run("find Ada", { signal: new AbortController().signal });
  const typed: HarnessRun = run;
  const checked = HarnessRunSchema.parse(typed) as HarnessRun;
  // The shapes of vitest-evals itself: its reports and judges read a run by them.
  expect(toolCalls(checked)).toMatchObject([
    { name: "find", status: "ok", result: "found" },
    { name: "wipe", status: "error", error: { message: "no", type: "denied" } },
  ]);
  expect(run).toEqual({
    output: "Ada is here",
    session: {
      events: [
        { type: "message", role: "user", content: "find Ada" },
        { type: "tool_call", id: "call_1", name: "find", arguments: { name: "Ada" } },
        { type: "tool_result", toolCallId: "call_1", name: "find", content: "found" },
        { type: "tool_call", id: "call_2", name: "wipe", arguments: { text: "not JSON" } },
        { type: "tool_result", toolCallId: "call_2", name: "wipe", error: { message: "no", type: "denied" } },
        { type: "message", role: "assistant", content: "Ada is here" },
      ],
    },
    usage: { inputTokens: 3, outputTokens: 2, reasoningTokens: 1, totalTokens: 5, toolCalls: 2 },
    errors: [],
  });
});

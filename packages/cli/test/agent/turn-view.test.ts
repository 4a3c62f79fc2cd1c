import type { TurnEvent } from "@toolmount/reasoner";
import { expect, test } from "vitest";
import { createAnswerView, createTurnView } from "../../src/agent/turn-view.ts";
import { markedScreen } from "../support/marked-screen.ts";

/** What a turn of these events shows, on a stream or in a terminal of so many columns. */
function shown(events: readonly object[], columns?: number, isPlain = true): string[] {
  const { screen, lines } = markedScreen(columns);
  const view = createTurnView(screen, isPlain);
  for (const event of events) view(event as TurnEvent);
  return lines();
}

const called = (tool: string, more: object = {}) => ({
  type: "tool_call",
  callId: "c1",
  tool,
  arguments: "{}",
  ...more,
});

const ended = (more: object = {}) => ({
  type: "tool_result",
  callId: "c1",
  tool: "find",
  status: "failed",
  durationMs: 1,
  text: "gone",
  ...more,
});

test.each<[object, string[]]>([
  [{ type: "text", text: "a\u0007\nb" }, ["a\\u0007", "b"]],
  [{ type: "message", text: "wait\n" }, ["dim(  added: wait\\n)"]],
  [{ type: "retry", afterMs: 99.6, kind: "busy" }, ["dim(asking again in 100 ms (busy))"]],
  [{ type: "error", code: "BAD", message: "a\nb\u0007" }, ["red(BAD) a", "b\\u0007"]],
  [{ type: "begin" }, []],
  [{ type: "done" }, []],
  [{ type: "tool_warning", tool: "find", message: "late\u0007" }, ["yellow(  warning: find late\\u0007)"]],
  [{ type: "tool_warning", tool: "", message: "late" }, ["yellow(  warning: late)"]],
  [called("find\u0007", { arguments: '{"a":1}' }), ['  dim(→) bold(find\\u0007) dim({"a":1})']],
])("the event %j is shown", (event, lines) => {
  expect(shown([event])).toEqual(lines);
});

test.each([
  ["cleared", "results of older calls are cleared"],
  ["summary", "a summary replaces 1 older item"],
  ["turns", "left out: 1 older item"],
  ["hook", "a hook chose what stays"],
])("a conversation that is shortened by %s says how", (by, how) => {
  expect(shown([{ type: "compaction", by, beforeTokens: 90, afterTokens: 40, dropped: 1 }])).toEqual([
    `dim(  the conversation is shortened: ${how} (about 90 → 40 tokens))`,
  ]);
});

test("text that streamed is not shown again, and a line begins where something else is shown", () => {
  expect(
    shown([
      { type: "text_delta", text: "one " },
      { type: "text_delta", text: "two" },
      { type: "text", text: "one two" },
      { type: "text", text: "three" },
      { type: "thinking_delta", text: "hm" },
      { type: "thinking_delta", text: "m" },
      { type: "text_delta", text: "four" },
      called("find"),
      { type: "text_delta", text: "five" },
      { type: "retry", afterMs: 1, kind: "k" },
      { type: "text", text: "six" },
      { type: "thinking_delta", text: "end" },
      { type: "done" },
    ]),
  ).toEqual([
    "one two",
    "three",
    "dim(hm)dim(m)",
    "four",
    "  dim(→) bold(find) dim({})",
    "five",
    "dim(asking again in 1 ms (k))",
    "six",
    "dim(end)",
  ]);
});

test("a terminal that can draw again shows Markdown as it reads", () => {
  const events = [{ type: "text", text: "**yes**" }];

  expect(shown(events, 60, false)).toEqual(["**yes**\r\u001b[Jbold(yes)"]);
  expect(shown(events, 60, true)).toEqual(["**yes**"]);
  expect(shown(events, undefined, false)).toEqual(["**yes**"]);
});

test("arguments take the rest of a line, at least twenty columns of it", () => {
  const long = "x".repeat(200);

  expect(shown([called("find", { arguments: long })])).toEqual([
    `  dim(→) bold(find) dim(${"x".repeat(109)}…)`,
  ]);
  expect(shown([called("find", { arguments: "x".repeat(110) })])).toEqual([
    `  dim(→) bold(find) dim(${"x".repeat(110)})`,
  ]);
  expect(
    shown([called("find", { arguments: long })], 10)
      .join("")
      .replaceAll(/[^x]/g, ""),
  ).toHaveLength(19);
});

test.each<[object, string[]]>([
  [{ status: "ok" }, ["  yellow(■ ok) bold(find)"]],
  [{ status: "cancelled" }, ["  yellow(■ cancelled) bold(find)"]],
  [{ text: "a\u0007\n b\n\n" }, ["  yellow(■ failed) bold(find)", "      a\\u0007", "       b"]],
  [
    { text: Array.from({ length: 8 }, (_, at) => String(at)).join("\n") },
    ["  yellow(■ failed) bold(find)", ...Array.from({ length: 8 }, (_, at) => `      ${at}`)],
  ],
  [
    { text: Array.from({ length: 10 }, (_, at) => String(at)).join("\n") },
    [
      "  yellow(■ failed) bold(find)",
      ...Array.from({ length: 8 }, (_, at) => `      ${at}`),
      "dim(      … 2 more lines)",
    ],
  ],
  [
    { outcome: { status: "failed", tool: "find", durationMs: 4, result: { error: "x", code: "BAD" } } },
    ["  red(✖ failed) bold(find) BAD dim(4 ms)", "      gone"],
  ],
])("the end %j of a call is shown", (more, lines) => {
  expect(shown([ended(more)])).toEqual(lines);
});

test("of calls that run together, each end has its arguments; of one alone, none", () => {
  const call = (callId: string) => called("find", { callId, arguments: `{"id":"${callId}"}` });
  const end = (callId: string) => ended({ callId, status: "ok" });
  const lines = shown([call("a"), end("a"), call("b"), call("c"), end("c"), end("b"), call("d"), end("d")]);

  expect(lines.filter((line) => line.includes("■"))).toEqual([
    "  yellow(■ ok) bold(find)",
    '  yellow(■ ok) bold(find) dim({"id":"c"})',
    '  yellow(■ ok) bold(find) dim({"id":"b"})',
    "  yellow(■ ok) bold(find)",
  ]);
});

test("what a sub-agent does is indented below its call, without its words", () => {
  const agent = (event: object) => ({ type: "agent", agent: "sub\u0007", event });
  const lines = shown([
    agent({ type: "begin" }),
    agent(called("find")),
    agent(ended()),
    agent({ type: "tool_warning", tool: "find", message: "late" }),
    agent(agent({ type: "begin" })),
    agent({ type: "error", code: "BAD", message: "a\nb" }),
    ...["text", "text_delta", "thinking_delta", "retry", "compaction", "message", "hitl", "done"].map(
      (type) => agent({ type, text: "words" }),
    ),
  ]);

  expect(lines).toEqual([
    "    dim(agent) cyan(sub\\u0007)",
    "      dim(→) bold(find) dim({})",
    "      yellow(■ failed) bold(find)",
    "          gone",
    "    yellow(  warning: find late)",
    "        dim(agent) cyan(sub\\u0007)",
    "    red(BAD) a\\nb",
  ]);
});

test("a call that waits says for whom, and one of a sub-agent replaces the delegation", () => {
  const waiting = (waitsFor: string, more: object = {}) => ({
    tool: "send\u0007",
    waitsFor,
    callId: "c1",
    ...more,
  });
  const inner = waiting("client", { arguments: { a: 1 } });
  const lines = shown([
    {
      type: "hitl",
      waiting: [
        waiting("client"),
        waiting("run"),
        waiting("person"),
        waiting("agent", { arguments: { waiting: [inner, waiting("agent")] } }),
        waiting("agent", { arguments: { waiting: [] } }),
      ],
    },
  ]);
  const person = "waits for a person: toolmount approvals list";

  expect(lines.map((line) => line.replace("  yellow(…) bold(send\\u0007) ", ""))).toEqual([
    "waits for the client: c1 {}",
    "waits for another process that has it",
    person,
    'waits for the client: c1 {"a":1}',
    person,
    person,
  ]);
});

test("a view of the answer writes the last text alone, and what came before it on the screen", () => {
  const [answers, progress] = [markedScreen(), markedScreen()];
  const view = createAnswerView(answers.screen, progress.screen, true);
  const events = [
    { type: "text_delta", text: "I lo" },
    { type: "text_delta", text: "ok." },
    { type: "text", text: "I look." },
    called("find"),
    ended({ status: "ok" }),
    { type: "text_delta", text: "It is" },
    { type: "text", text: "It is 7.\u0007" },
    { type: "done" },
  ];
  for (const event of events) view(event as TurnEvent);

  expect(progress.lines()).toEqual(["I look.", "  dim(→) bold(find) dim({})", "  yellow(■ ok) bold(find)"]);
  expect(answers.lines()).toEqual(["It is 7.\\u0007"]);
});

test("a turn without a text answers nothing", () => {
  const answers = markedScreen();
  createAnswerView(answers.screen, markedScreen().screen, true)({ type: "done" } as TurnEvent);
  expect(answers.lines()).toEqual([]);
});

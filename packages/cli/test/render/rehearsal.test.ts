import type { Rehearsal, RehearsedCall, ToolOutcome, ValueOrigin } from "@toolmount/core";
import { expect, test } from "vitest";
import { originLine } from "../../src/render/origin.ts";
import { listedCalls, madeText, rehearsalFacts, writeRehearsal } from "../../src/render/rehearsal.ts";
import { markedScreen } from "../support/marked-screen.ts";

function rehearsed(tool: string, more: Partial<RehearsedCall> = {}): RehearsedCall {
  const facts = { effects: [], isModelled: true, canUndo: null, asks: [], origins: [] };
  return { tool, callId: "c", runId: "r", arguments: { a: "x" }, ...facts, ...more };
}

const origin: ValueOrigin = { argument: "a", value: "x", origin: "user", isAccepted: true };

const edit = rehearsed("ed\u001bit", {
  arguments: { path: "a.md", text: "\u202e" },
  effects: [
    { change: "change", target: "a\u001b.md", difference: "-old\u001b\n+new\n same" },
    { change: "other", target: "shop", cost: { amount: 12.5, currency: "EU\u001bR" } },
  ],
  canUndo: false,
  asks: ["by plan.yaml:3\u001b", "level"],
  origins: [origin, { ...origin, argument: "to.a\u001b.b", origin: "untrusted", isAccepted: false }],
});

const editLines = [
  '1 bold(ed\\u001bit) {"path":"a.md","text":"\\u202e"}',
  "  a: dim(the user wrote it)",
  "  to: red(a\\u001b.b: read in text that others can write; not accepted here)",
  "  change a\\u001b.md",
  "    red(-old\\u001b)",
  "    green(+new)",
  "    dim( same)",
  "  other shop for 12.5 EU\\u001bR",
  "  red(cannot be undone)",
  "  asks: by plan.yaml:3\\u001b",
  "  asks: level",
];

function list(calls: readonly RehearsedCall[], stopped: string | null): Rehearsal {
  return { calls, stopped, digest: "0123456789abcdef" } as unknown as Rehearsal;
}

test("a rehearsal shows each call with its origins, effects and questions, and then how many there are", () => {
  const { screen, lines } = markedScreen();
  const unknown = rehearsed("send", { isModelled: false, canUndo: true });
  const both = list([edit, unknown], "a read\u001b");
  writeRehearsal(screen, both);
  expect(lines()).toEqual([
    ...editLines,
    '2 bold(send) {"a":"x"}',
    "  yellow(what it would change is not known)",
    "yellow(stopped: a read\\u001b)",
    "2 calls would change something; none did · digest 0123456789ab…",
  ]);
  expect(rehearsalFacts(both)).toEqual({
    calls: [edit, unknown],
    stopped: "a read\u001b",
    digest: "0123456789abcdef",
  });

  const one = markedScreen();
  writeRehearsal(one.screen, list([rehearsed("send", { canUndo: null })], null));
  expect(one.lines()).toEqual([
    '1 bold(send) {"a":"x"}',
    "1 call would change something; none did · digest 0123456789ab…",
  ]);
});

test("the question about a list shows the first calls of it, as many as one answer approves", () => {
  const { screen } = markedScreen();
  const call = rehearsed("send");
  expect(listedCalls({ calls: [edit, call], first: 1 }, screen)).toEqual(editLines);
  expect(listedCalls({ calls: [edit, call] }, screen)).toEqual([
    ...editLines,
    '2 bold(send) {"a":"x"}',
    "  yellow(what it would change is not known)",
  ]);
  expect(listedCalls({}, screen)).toEqual([]);
});

const opening =
  "The request of the user was rehearsed before, a person approved the list of its changes, and these calls have just been made:";
const closing = "Do not make them again. Tell the user what was done, and what was not.";

test.each([
  ["all", { data: { made: [{ status: "ok" }, { status: "failed", code: "TOOL_FAILED" }] } }, []],
  ["one", { details: { made: [{ status: "ok" }] } }, ["1 of the rehearsed calls were not made."]],
  ["none", {}, ["2 of the rehearsed calls were not made."]],
])("the model reads how calls of a list ended, where %s were made", (made, result, left) => {
  const lines = ['1. a {"a":"x"}: ok', '2. b {"a":"x"}: failed (TOOL_FAILED)'];
  const count = { all: 2, one: 1, none: 0 }[made]!;
  const text = madeText([rehearsed("a"), rehearsed("b")], { result } as unknown as ToolOutcome);
  expect(text.split("\n")).toEqual([opening, ...lines.slice(0, count), ...left, closing]);
});

test.each([
  ["user", "the user wrote it"],
  ["identity", "it follows from who the user is"],
  ["default", "a default of the plan or the tool"],
  ["trusted", "from a trusted result"],
  ["structured", "from a field of a result"],
  ["contact", "a contact in a result"],
  ["sameHost", "a link to a host that the user named"],
  ["untrusted", "read in text that others can write"],
  ["composed", "found nowhere: the model made it"],
] as const)("a value of the origin %s: %s", (kind, text) => {
  const { screen } = markedScreen();
  expect(originLine({ ...origin, origin: kind }, screen)).toBe(`dim(${text})`);
});

test.each([
  [{ tool: "read\u001b", call: 2 }, "the user wrote it: read\\u001b, call 2"],
  [{ tool: "read", call: 2, line: 7 }, "the user wrote it: read, call 2, line 7"],
])("a value from %j has its call and its line", (from, text) => {
  const { screen } = markedScreen();
  expect(originLine({ ...origin, from } as ValueOrigin, screen)).toBe(`dim(${text})`);
});

import { expect, test } from "vitest";
import { readText } from "../../src/provider/items.ts";
import { noUsage } from "../../src/provider/usage.ts";
import { entrySchema } from "../../src/session/entry.ts";
import { fold } from "../../src/session/fold.ts";
import { createView } from "../../src/session/view.ts";

const usage = { requests: 1, inputTokens: 10, cachedTokens: 4, outputTokens: 5, reasoningTokens: 2 };
const twice = { requests: 2, inputTokens: 20, cachedTokens: 8, outputTokens: 10, reasoningTokens: 4 };

/** What a session is after these entries of its log, each as it is stored. */
function after(...entries: object[]) {
  const view = createView();
  for (const entry of entries) fold(view, entrySchema.parse(JSON.parse(JSON.stringify(entry))));
  return view;
}

const begin = { kind: "begin", turnId: "t", traceparent: "", prompt: "list\n  them" };
const call = (id: string, type = "function_call") => ({ type, call_id: id, name: "look", arguments: "{}" });
const answer = (items: object[], more: object = {}) => ({
  kind: "answer",
  items,
  responseId: "r",
  usage,
  inputTokens: 10,
  ...more,
});
const said = { type: "message", role: "assistant", content: "done" };
const output = (callId: string, more: object = {}) => ({
  kind: "output",
  callId,
  item: { type: "function_call_output", call_id: callId, output: `of ${callId}` },
  status: "ok",
  ...more,
});

test("a turn that begins is open, with the user's message, and names the session once", () => {
  const view = after(
    begin,
    { kind: "end", status: "done", text: "", state: {} },
    { ...begin, prompt: "other" },
  );

  expect(view).toMatchObject({
    turns: 2,
    title: "list them",
    lastStatus: "open",
    prompts: ["list\n  them", "other"],
    turn: { iteration: 0, callCount: 0, cuts: 0, tries: 0, activeMs: 0 },
  });
  expect(after({ ...begin, prompt: "x".repeat(100) }).title).toHaveLength(80);
});

test("an answer counts in its turn and its session, and the server knows the conversation up to it", () => {
  const view = after(begin, answer([call("a"), call("b")]), output("a"), output("b"), answer([said]));

  expect(view).toMatchObject({
    calls: 2,
    usage: twice,
    counted: 5,
    lastInputTokens: 10,
    response: { id: "r", known: 6 },
    turn: { iteration: 2, callCount: 2, usage: twice, finalText: "done", incomplete: null },
  });
  expect(after(begin, answer([said], { responseId: null })).response).toBeNull();
});

test("outputs join the conversation together, in the order of the calls, and notes after them", () => {
  const note = { type: "message", role: "developer", content: "a note" };
  const custom = call("b", "custom_tool_call");
  const first = after(begin, answer([call("a"), custom]), output("b", { notes: [note] }));
  const all = after(
    begin,
    answer([call("a"), custom]),
    { kind: "started", group: "g", callIds: ["b"] },
    output("b", { notes: [note] }),
    output("b"),
    output("a"),
    output("a"),
  );

  expect(first.items).toHaveLength(3);
  expect(first.turn?.calls).toMatchObject([{ output: null, started: false }, { notes: [note] }]);
  expect(all.items.slice(3)).toMatchObject([
    { type: "function_call_output", call_id: "a", output: "of a" },
    { type: "custom_tool_call_output", call_id: "b" },
  ]);
  expect(all.turn).toMatchObject({ calls: [], group: null });
});

test("a call that waits keeps its ticket until it has an output", () => {
  const waits = {
    kind: "waits",
    callId: "a",
    ticket: "k",
    waitsFor: "approval",
    tool: "look",
    arguments: {},
  };
  const waiting = after(begin, answer([call("a"), call("b")]), waits);

  expect(waiting.turn?.calls.map((one) => one.waits)).toEqual([
    { ticket: "k", waitsFor: "approval", tool: "look", arguments: {}, asking: false },
    null,
  ]);
  expect(
    after(begin, answer([call("a"), call("b")]), waits, output("a")).turn?.calls.map((one) => one.waits),
  ).toEqual([null, null]);
});

test("answers that were cut are counted one after the other, and a whole one begins again", () => {
  const cut = (id: string) => answer([call(id)], { incomplete: "max_output_tokens" });
  const cuts = (...entries: object[]) => after(begin, ...entries).turn?.cuts;

  expect(cuts(cut("a"), output("a"), cut("b"))).toBe(2);
  expect(cuts(cut("a"), output("a"), answer([call("b")]))).toBe(0);
  expect(cuts(answer([said], { incomplete: "max_output_tokens" }))).toBe(0);
});

test("a model that is asked again has tried once more until it calls; what the user adds is no try", () => {
  const again = { kind: "again", items: [{ type: "message", role: "developer", content: "again" }] };
  const added = { kind: "again", items: [{ type: "message", role: "user", content: "more" }], byUser: true };
  const wrote = [
    { kind: "message", text: "more", id: "1" },
    { kind: "message", text: "more", id: "1" },
    { kind: "message", text: "later" },
  ];

  expect(after(begin, answer([said]), again).turn).toMatchObject({ tries: 1, finalText: null });
  expect(after(begin, again, answer([call("a")])).turn?.tries).toBe(0);
  expect(after(begin, again, answer([said])).turn?.tries).toBe(1);
  expect(after(begin, ...wrote, added)).toMatchObject({
    prompts: ["list\n  them", "more"],
    turn: { tries: 0, messages: [{ text: "later" }] },
  });
});

test("a turn that ends leaves its facts, and messages that it did not read are in the conversation", () => {
  const end = { kind: "end", text: "so far", state: { a: 1 } };
  const unread = { kind: "message", text: "and this" };
  const view = after(begin, answer([said]), unread, { ...end, status: "done" });

  expect(view).toMatchObject({
    turn: null,
    state: { a: 1 },
    lastText: "so far",
    lastStatus: "done",
    prompts: ["list\n  them", "and this"],
    lastTurn: { turnId: "t", iteration: 1, callCount: 0, usage, incomplete: null, error: null },
  });
  expect(view.items.at(-1)).toMatchObject({ role: "user", content: "and this" });
  const failed = after(begin, { ...end, status: "failed", code: "PROVIDER_FAILED", message: "no" });
  expect(failed.lastTurn?.error).toEqual({ code: "PROVIDER_FAILED", message: "no" });
  const cut = (given: object) =>
    after(begin, answer([said], given), { ...end, status: "incomplete" }).lastTurn;
  expect([cut({ incomplete: "refusal" })?.incomplete, cut({})?.incomplete]).toEqual(["refusal", "unknown"]);
});

test("what a sub-agent used is its parent's use, and its session is named once", () => {
  const child = { kind: "child", callId: "a", sessionId: "c", agent: "helper", usage, calls: 3 };
  const before = { turns: 0, calls: 0, usage: noUsage };
  const open = after(begin, answer([call("a")]), { ...child, before });
  const ended = after(begin, answer([call("a")]), { ...child, before }, child);

  expect(open).toMatchObject({
    children: ["c"],
    calls: 4,
    usage: twice,
    turn: { callCount: 4, usage: twice },
  });
  expect(open.turn?.calls[0]?.child).toEqual({ sessionId: "c", before, ended: false });
  expect(ended.children).toEqual(["c"]);
  expect(ended.turn?.calls[0]?.child).toMatchObject({ ended: true });
  expect(after(begin, answer([call("a")]), child).turn?.calls[0]?.child).toBeNull();
});

test("a compaction, a clearing and a way back make the server read the whole conversation", () => {
  const long = { ...output("a"), item: { ...output("a").item, output: "x".repeat(2000) } };
  const items = [{ type: "message", role: "user", content: "short" }];
  const known = [begin, answer([call("a")]), long];
  const compacted = after(...known, { kind: "compacted", items, usage, summary: "text" });
  const cleared = after(...known, { kind: "cleared", callIds: ["a"] });
  const rewound = after(...known, { kind: "rewound", turns: 0, items: [], prompts: ["p"], state: { b: 1 } });

  for (const view of [compacted, cleared, rewound])
    expect(view).toMatchObject({ response: null, lastInputTokens: 0 });
  expect(compacted).toMatchObject({ items, summaries: 1, usage: twice, turn: { usage: twice } });
  expect(after(...known, { kind: "compacted", items })).toMatchObject({ summaries: 0, usage });
  expect(readText(cleared.items.at(-1)?.["output"])).toMatch(/^x{400}\n\[cleared .* look, call a, had 2000 /);
  expect(rewound).toMatchObject({ items: [], turns: 0, prompts: ["p"], state: { b: 1 } });
});

test("the smallest conversation that a server refused is remembered", () => {
  const refused = (tokens: number) => ({ kind: "refused", tokens });

  expect(after(refused(5), refused(3), refused(9)).refusedTokens).toBe(3);
});

test("a mode is entered step by step, and its failure stays with it until it is entered", () => {
  const step = (at: number, mode = "m") => ({ kind: "step", mode, at });
  const stepped = (at: number, failure: string | null = null) => ({
    kind: "stepped",
    mode: "m",
    at,
    items: [said],
    failure,
    state: { at },
  });

  expect(after(step(0)).entering).toEqual({ mode: "m", started: 1, done: 0, failure: null });
  expect(after(step(0), stepped(0), step(1), stepped(1, "no"))).toMatchObject({
    entering: { started: 2, done: 2, failure: "no" },
    items: [said, said],
    state: { at: 1 },
  });
  expect(after(step(0), stepped(0), step(0, "other")).entering).toMatchObject({ mode: "other", done: 0 });
  expect(after(step(0), { kind: "entered", items: [], state: {} }).entering).toBeNull();
});

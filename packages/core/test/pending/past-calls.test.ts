import { describe, expect, test } from "vitest";
import type { AuditEntry, AuditRecord, PastCallFilter } from "../../src/index.ts";
import { hasWords, soughtWords, wordsOf } from "../../src/pending/call-words.ts";
import { joinRecord, lineOf, pastCalls } from "../../src/pending/past-calls.ts";

const entry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: "start",
  at: 1_000,
  runId: "r-1",
  callId: "c-1",
  tool: "pay",
  depth: 0,
  ...more,
});
const none = {
  sessionId: null,
  userId: null,
  turnId: null,
  parentRunId: null,
  kind: "call",
  place: null,
  line: "",
  code: null,
  durationMs: null,
};

describe("a past call", () => {
  test("has what its first record says, and how its last one says that it ended", () => {
    const ids = { sessionId: "s", userId: "u", turnId: "t", parentRunId: "p" };
    const place = { line: 3, code: "pay()" };
    const begun = joinRecord(null, entry({ ...ids, place, arguments: { to: "ACME", amount: 5 } }));
    const common = {
      runId: "r-1",
      callId: "c-1",
      kind: "call",
      tool: "pay",
      startedAt: 1_000,
      ...ids,
      place,
    };

    expect(begun).toEqual({
      ...common,
      line: "to: ACME, amount: 5",
      status: "running",
      code: null,
      durationMs: null,
    });
    const end = entry({
      kind: "end",
      at: 1_900,
      status: "failed",
      code: "C",
      durationMs: 7.5,
      arguments: { other: 1 },
    });
    expect(joinRecord(begun, end)).toEqual({
      ...common,
      line: "to: ACME, amount: 5",
      status: "failed",
      code: "C",
      durationMs: 7.5,
    });
  });

  test.each<[Partial<AuditEntry>, object]>([
    [
      { kind: "end", status: "denied", durationMs: 7.5 },
      { startedAt: 992, status: "denied", durationMs: 7.5 },
    ],
    [
      { kind: "pending", durationMs: 100, code: "PENDING" },
      { startedAt: 900, status: "waiting" },
    ],
    [{ kind: "decision" }, { startedAt: 1_000, status: "decided" }],
    [
      { kind: "start", durationMs: 100 },
      { startedAt: 1_000, status: "running" },
    ],
    [{ kind: "end" }, { startedAt: 1_000, status: "unknown" }],
    [
      { kind: "end", status: "" },
      { startedAt: 1_000, status: "unknown" },
    ],
    [
      { callId: "", sessionId: "" },
      { startedAt: 1_000, status: "running", callId: "" },
    ],
    [{ place: { line: "3", code: "x" } }, { startedAt: 1_000, status: "running" }],
    [{ place: { line: 3 } }, { startedAt: 1_000, status: "running" }],
    [{ place: [3, "x"] as never }, { startedAt: 1_000, status: "running" }],
  ])("of which %j is the first record", (more, call) => {
    expect(joinRecord(null, entry(more))).toEqual({
      runId: "r-1",
      callId: "c-1",
      tool: "pay",
      ...none,
      ...call,
    });
  });

  test("gets its line from the first record that has arguments", () => {
    const decided = joinRecord(null, entry({ kind: "decision" }));

    expect(joinRecord(decided, entry({ arguments: { a: 1 } })).line).toBe("a: 1");
  });
});

test.each<[unknown, string]>([
  [undefined, ""],
  [null, ""],
  [{}, ""],
  [{ a: "x  y\nz", b: [1, { c: 2 }], d: null }, 'a: x y z, b: [1,{"c":2}], d: null'],
  ['{"a":"cut', '{"a":"cut'],
  [[1, 2], "[1,2]"],
  [7, "7"],
  [{ a: "x".repeat(197) }, `a: ${"x".repeat(197)}`],
  [{ a: "x".repeat(198) }, `a: ${"x".repeat(196)}…`],
  [{ a: "x".repeat(100), b: "y".repeat(150) }, `a: ${"x".repeat(100)}, b: ${"y".repeat(91)}…`],
])("the arguments %j are the line %j", (given, line) => {
  expect(lineOf(given as never)).toBe(line);
});

describe("a search", () => {
  test("finds the words of arguments, result and error, with their keys, in any case", () => {
    const words = wordsOf({
      arguments: { To: ["ACME Corp", 5, true, null] },
      result: { sum_total: 12.5, note: "Grüße" },
      error: "No money",
    });

    expect([...words].toSorted()).toEqual(
      [
        "to",
        "acme",
        "corp",
        "5",
        "true",
        "null",
        "sum_total",
        "12",
        "note",
        "grüße",
        "no",
        "money",
      ].toSorted(),
    );
    expect([...wordsOf({ error: null, result: 7 })]).toEqual(["7"]);
    expect([...wordsOf({})]).toEqual([]);
  });

  test("reads the beginning of a JSON text without its escapes, in place of the result", () => {
    const cut = { arguments: '{"a":"one\\ntwo\\u0041three', resultText: '["x\\"y', result: "unread" };

    expect([...wordsOf(cut)]).toEqual(["a", "one", "two", "three", "x", "y"]);
  });

  test("finds each letter of a script without spaces, 64 characters of a word, and 2,000 words", () => {
    expect([...wordsOf({ error: "支付了 abc" })]).toEqual(["支", "付", "了", "abc"]);
    expect([...wordsOf({ error: "x".repeat(70) })]).toEqual(["x".repeat(64)]);
    const many = Array.from({ length: 3_000 }, (_, at) => `w${at}`);
    expect(wordsOf({ error: many.join(" ") }).size).toBe(2_000);
    expect(wordsOf({ arguments: many.slice(0, 2_000).join(" "), error: "last" }).has("last")).toBe(false);
    expect(wordsOf({ arguments: many.slice(0, 1_999).join(" "), error: "last" }).has("last")).toBe(true);
  });

  test("is bounded in words, and in beginnings, each of which may mean every word of the audit", () => {
    const starts = (count: number) => Array.from({ length: count }, (_, at) => `w${at}x*`).join(" ");
    const texts = ["a* ".repeat(333), "w* wo* wor* word* words*", `words* ${"w* ".repeat(300)}`];

    expect(texts.map((text) => soughtWords(text).length)).toEqual([1, 1, 1]);
    expect(soughtWords("ab* a* abc b b*")).toEqual([
      { word: "abc", isStart: false },
      { word: "b", isStart: false },
    ]);
    expect(soughtWords(starts(2))).toHaveLength(2);
    for (const text of [starts(3), "a* b* c*", starts(60)])
      expect(() => soughtWords(text)).toThrow("at most 2 words with *");
    expect(soughtWords("字".repeat(64))).toHaveLength(1);
    const many = Array.from({ length: 65 }, (_, at) => `w${at}`).join(" ");
    expect(() => soughtWords(many)).toThrow("at most 64 words");
  });

  test.each([
    ["invoices/", ["invoices/a.txt", "/srv/acme/Invoices/2026/b.txt", "invoices", "./invoices/"]],
    ["acme/invoices/", ["/srv/acme/Invoices/2026/b.txt"]],
    ["/srv/ 2026/", ["/srv/acme/Invoices/2026/b.txt"]],
    ["acme.com/", ["https://acme.com/x"]],
    ["other/", []],
  ])("with a slash at its end finds the calls that touched a folder: %s", (sought, expected) => {
    const paths = [
      "invoices/a.txt",
      "/srv/acme/Invoices/2026/b.txt",
      "invoices",
      "./invoices/",
      "invoices.txt",
      "pay the invoices",
      "https://acme.com/x",
    ];
    const found = paths.filter((path) =>
      hasWords(wordsOf({ arguments: { path, content: "x" }, result: "invoices/c" }), soughtWords(sought)),
    );
    expect(found).toEqual(expected);
    const cut = `{"path":"a/invoices/b","content":"${"long ".repeat(9)}`;
    expect(hasWords(wordsOf({ arguments: cut }), soughtWords("invoices/"))).toBe(true);
  });

  test("wants every word, and with a star each word with that beginning", () => {
    expect(soughtWords("Order* 支付 *x y-z*")).toEqual([
      { word: "order", isStart: true },
      { word: "支", isStart: false },
      { word: "付", isStart: false },
      { word: "x", isStart: false },
      { word: "y", isStart: false },
      { word: "z", isStart: true },
    ]);
    const words = new Set(["orders", "paid"]);
    const finds = (text: string) => hasWords(words, soughtWords(text));
    expect([
      finds("paid"),
      finds("order"),
      finds("order*"),
      finds("paid ord*"),
      finds("paid x"),
      finds(""),
    ]).toEqual([true, false, true, true, false, true]);
  });
});

describe("a list of past calls", () => {
  const record = (more: Partial<AuditEntry>): AuditRecord =>
    ({ writer: "w", sequence: 1, hash: "", entry: entry(more) }) as never;
  const ids = { sessionId: "s", userId: "u", parentRunId: "p" };
  const records = [
    record({ runId: "r-1", at: 1_000, arguments: { to: "ACME" }, ...ids }),
    record({ runId: "r-2", at: 2_000, tool: "look", callId: "c-2" }),
    record({ runId: "r-1", at: 2_500, kind: "end", status: "failed", code: "C", error: "no money" }),
    record({ runId: "r-3", at: 3_000 }),
    record({ runId: "r-4", at: 3_000 }),
  ];
  const list = (filter: Partial<PastCallFilter> = {}) => {
    const { calls, hasMore } = pastCalls(records, { limit: 10, ...filter });
    return [calls.map(({ runId }) => runId).join(" "), hasMore];
  };

  test("has the newest first, and says whether there are more", () => {
    expect(list()).toEqual(["r-4 r-3 r-2 r-1", false]);
    expect(list({ limit: 4 })).toEqual(["r-4 r-3 r-2 r-1", false]);
    expect(list({ limit: 3 })).toEqual(["r-4 r-3 r-2", true]);
    expect(list({ limit: 2, after: { startedAt: 3_000, runId: "r-4" } })).toEqual(["r-3 r-2", true]);
    expect(list({ after: { startedAt: 3_000, runId: "r-3" } })).toEqual(["r-2 r-1", false]);
  });

  test.each<[Partial<PastCallFilter>, string]>([
    [{ tool: "look" }, "r-2"],
    [{ status: "failed" }, "r-1"],
    [{ status: "running" }, "r-4 r-3 r-2"],
    [{ code: "C" }, "r-1"],
    [{ userId: "u" }, "r-1"],
    [{ sessionId: "s" }, "r-1"],
    [{ sessionId: "t" }, ""],
    [{ callId: "c-2" }, "r-2"],
    [{ runIds: ["r-2", "r-4"] }, "r-4 r-2"],
    [{ parentRunIds: ["p"] }, "r-1"],
    [{ since: 2_000 }, "r-4 r-3 r-2"],
    [{ since: 2_001 }, "r-4 r-3"],
    [{ until: 3_000 }, "r-2 r-1"],
    [{ until: 3_001 }, "r-4 r-3 r-2 r-1"],
    [{ text: "acme money" }, "r-1"],
    [{ text: "acme", tool: "look" }, ""],
    [{ text: "mon*" }, "r-1"],
    [{ text: "mon" }, ""],
    [{ text: "" }, "r-4 r-3 r-2 r-1"],
  ])("that is filtered by %j", (filter, runIds) => {
    expect(list(filter)).toEqual([runIds, false]);
  });
});

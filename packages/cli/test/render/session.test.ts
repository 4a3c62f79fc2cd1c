import type { SessionDetails, SessionSummary } from "@toolmount/reasoner";
import { expect, test } from "vitest";
import { writeDetails, writeItem, writeList, writeOutput } from "../../src/render/session.ts";
import { markedScreen } from "../support/marked-screen.ts";

const now = Date.parse("2026-01-01T10:00:00Z");
const summary = (more: object = {}) =>
  ({
    id: "s-1",
    status: "idle",
    waits: 0,
    updatedAt: "2026-01-01T09:00:00Z",
    turns: 2,
    agent: null,
    title: "Find\nit",
    parentId: null,
    context: { tokens: 120, cleared: 0, summaries: 0 },
    items: [],
    waiting: [],
    children: [],
    ...more,
  }) as unknown as SessionSummary & SessionDetails;

function written(write: (screen: ReturnType<typeof markedScreen>["screen"]) => void, columns?: number) {
  const { screen, lines } = markedScreen(columns);
  write(screen);
  return lines();
}

test("sessions are a table with state, age, turns, agent and title", () => {
  const more = summary({ id: "s\u0007", waits: 2, agent: "a\u0007" });
  const [header, ...rows] = written((screen) => writeList(screen, [summary(), more], now));

  expect(header!.match(/dim\(\w+\)/g)).toEqual(
    ["session", "state", "changed", "turns", "agent", "title"].map((title) => `dim(${title})`),
  );
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
    ["bold(s-1)", "idle", "1 h ago", "2", "–", "Find\\nit"],
    ["bold(s\\u0007)", "waits (2)", "1 h ago", "2", "a\\u0007", "Find\\nit"],
  ]);
  expect(written((screen) => writeList(screen, [], now))).toEqual(["no sessions yet"]);
});

test("a session shows what the model sees, its items, what waits, and its family", () => {
  const id = "00000000-0000-4000-8000-000000000001";
  const details = summary({
    id,
    parentId: "p\u0007",
    context: { tokens: 120, cleared: 1, summaries: 2 },
    items: [
      { type: "message", role: "user", content: "Find\u0007 it" },
      { type: "message", role: "assistant", content: [{ text: "one" }, null, {}, { text: "two" }] },
      { type: "function_call", name: "find", arguments: '{"a":1}' },
      { type: "function_call_output", output: [{ text: "x" }] },
      { type: "reasoning\u0007" },
    ],
    waiting: [{ tool: "send\u0007", waitsFor: "person", callId: "c\u0007" }],
    children: ["k\u0007"],
  });

  expect(written((screen) => writeDetails(screen, details, now)).slice(2)).toEqual([
    `dim(id ${id})`,
    "dim(parent p\\u0007)",
    "dim(the model sees now: 5 items · about 120 tokens · 1 result cleared · summaries written: 2)",
    "bold(user): Find\\u0007 it",
    "bold(assistant): onetwo",
    '  dim(→) find dim({"a":1})',
    '  dim(←) [{"text":"x"}]',
    "dim((reasoning\\u0007))",
    "yellow(… send\\u0007 waits for: person (c\\u0007))",
    "dim(child k\\u0007)",
  ]);
  expect(written((screen) => writeDetails(screen, summary(), now)).slice(2)).toEqual([
    "dim(the model sees now: 0 items · about 120 tokens)",
  ]);
});

test("at a terminal, what the model said reads as Markdown; all else is a line", () => {
  const item = (more: object) =>
    ({ type: "message", role: "assistant", ...more }) as SessionDetails["items"][0];
  const shown = (more: object, columns?: number) =>
    written((screen) => writeItem(screen, item(more)), columns);

  expect(shown({ content: "**yes**" })).toEqual(["bold(assistant): **yes**"]);
  // It is written as it arrives, and drawn again as it reads.
  expect(shown({ content: [{ text: "**yes**" }] }, 60)).toEqual(["**yes**\r\u001b[Jbold(yes)"]);
  expect(shown({ content: { a: 1 } }, 60)).toEqual(['{"a":1}']);
  expect(shown({ role: "user", content: "**yes**" }, 60)).toEqual(["bold(user): **yes**"]);
  expect(shown({ type: "function_call", name: "a", arguments: "{}" }, 60)).toEqual(["  dim(→) a dim({})"]);
});

test("the whole result of a call is written as it is", () => {
  const shown = (output: unknown) =>
    written((screen) => writeOutput(screen, { type: "function_call_output", output } as never));

  expect(shown("a\nb\u0007")).toEqual(["a", "b\\u0007"]);
  expect(shown([{ text: "a" }, { text: "b" }])).toEqual(["ab"]);
});

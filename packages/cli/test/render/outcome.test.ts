import type { CallStatus, ToolOutcome, ToolResult } from "@toolmount/core";
import { expect, test } from "vitest";
import { exitCodeOfCall, writeOutcome } from "../../src/render/outcome.ts";
import { markedScreen } from "../support/marked-screen.ts";

const ended = (result: object, more: object = {}) =>
  ({ tool: "read\u001b", status: "ok", durationMs: 12.4, result, ...more }) as unknown as ToolOutcome;

function shown(outcome: ToolOutcome): string[] {
  const { screen, lines } = markedScreen();
  writeOutcome(screen, outcome);
  return lines();
}

test.each<[CallStatus, string, number]>([
  ["ok", "green(✔ ok)", 0],
  ["pending", "yellow(… pending)", 3],
  ["cancelled", "yellow(■ cancelled)", 1],
  ["invalid", "red(✖ invalid)", 1],
  ["not_found", "red(✖ not_found)", 1],
  ["denied", "red(✖ denied)", 1],
  ["timed_out", "red(✖ timed_out)", 1],
  ["failed", "red(✖ failed)", 1],
  ["unknown", "red(✖ unknown)", 1],
])("a call that is %s has its sign and its exit code", (status, sign, code) => {
  const outcome = ended({ data: null, code: "A\u202eB" }, { status });

  expect(shown(outcome)[0]).toBe(`${sign} bold(read\\u001b) A\\u202eB dim(12 ms)`);
  expect(exitCodeOfCall(outcome)).toBe(code);
});

test.each<[Partial<ToolResult>, string[]]>([
  [{ data: null }, ["null"]],
  [{ data: 7 }, ["7"]],
  [{ data: "one\ntwo\n" }, ["one", "two"]],
  [{ data: "a\u001b[1mb" }, ["a\\u001b[1mb"]],
  [{ data: [] }, ["[]"]],
  [{ data: {} }, ["{}"]],
  [{ data: [1, "a\nb", [2]] }, ["- 1", "- a", "  b", "- - 2"]],
  [
    { data: { a: 1, b: {}, c: [], d: [3], e: { f: "x" }, g: "y\nz" } },
    [
      "cyan(a:) 1",
      "cyan(b:) {}",
      "cyan(c:) []",
      "cyan(d:)",
      "  - 3",
      "cyan(e:)",
      "  cyan(f:) x",
      "cyan(g:)",
      "  y",
      "  z",
    ],
  ],
  [
    { error: "it failed\nbadly", details: { n: 1 } },
    ["it failed", "badly", "cyan(details:)", "  cyan(n:) 1"],
  ],
  [{ data: "x", warnings: ["w\n1", "w2"] }, ["x", "yellow(warning: w\\n1)", "yellow(warning: w2)"]],
  [
    { data: "x", omitted: [{ what: "a\n", amount: "1 file", why: "it is large", how: "grep" }] },
    ["x", "yellow(Omitted: a\\n (1 file): it is large. To get it: grep)"],
  ],
  [
    {
      data: "x",
      content: [
        { type: "text", text: "t1\nt2" },
        { type: "image", mimeType: "image/png", data: Buffer.alloc(999).toString("base64") },
        { type: "audio", mimeType: "audio/mpeg", data: Buffer.alloc(1_600).toString("base64") },
        { type: "file", uri: "file:///a\u0007", text: "f1\nf2" },
        { type: "file", uri: "file:///b" },
        { type: "other\u0007" } as never,
      ],
    },
    [
      "x",
      "t1",
      "t2",
      "dim((image image/png, 999 bytes; --out writes it to a file))",
      "dim((audio audio/mpeg, 2 kB; --out writes it to a file))",
      "dim((file file:///a\\u0007))",
      "f1",
      "f2",
      "dim((file file:///b))",
      "dim((content of the type other\\u0007))",
    ],
  ],
  [
    {
      data: { b: [1, "x"], a: 2 },
      content: [
        { type: "text", text: '{"a":2,"b":[1,"x"]}' },
        { type: "file", uri: "file:///b" },
      ],
    },
    ["cyan(b:)", "  - 1", "  - x", "cyan(a:) 2", "dim((file file:///b))"],
  ],
  [
    {
      data: "x\ny",
      content: [
        { type: "text", text: "x", meta: {} },
        { type: "text", text: "y" },
      ],
    },
    ["x", "y"],
  ],
  [{ data: { a: 1 }, content: [{ type: "text", text: "one" }] }, ["cyan(a:) 1", "one"]],
  [{ error: "it failed", content: [{ type: "text", text: "it failed" }] }, ["it failed"]],
  [{ error: "it failed", content: [{ type: "text", text: "null" }] }, ["it failed", "null"]],
  [{ data: null, content: [{ type: "file", uri: "file:///b" }] }, ["dim((file file:///b))"]],
  [{ data: null, content: [{ type: "text", text: "null" }] }, ["null"]],
  [{ data: null, content: [] }, ["null"]],
])("the result %j is shown in lines", (result, lines) => {
  expect(shown(ended(result)).slice(1)).toEqual(lines);
});

test("a late answer of a cancelled call, and a ticket, have lines of their own", () => {
  const outcome = ended({ data: 1 }, { cancelled: { elapsedMs: 99.6 }, ticket: "t\u0007" });

  expect(shown(outcome).slice(1)).toEqual([
    "1",
    "dim(cancelled after 100 ms, and the tool answered after it)",
    "ticket: t\\u0007",
  ]);
});

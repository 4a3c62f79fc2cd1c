import type { PastCall } from "@toolmount/core";
import { expect, test } from "vitest";
import { writeProgram, writePrograms } from "../../src/render/program.ts";
import { markedScreen } from "../support/marked-screen.ts";

const now = 10 * 60_000;
let count = 0;
const past = (more: object): PastCall =>
  ({
    runId: `run-${(count += 1)}`,
    tool: "find",
    status: "ok",
    code: null,
    startedAt: 0,
    sessionId: null,
    line: "",
    ...more,
  }) as unknown as PastCall;

test("programs are a table with their states, ages, sessions and sources", () => {
  const { screen, lines } = markedScreen();
  const id = (end: string) => `00000000-0000-4000-8000-00000000000${end}`;
  writePrograms(
    screen,
    [
      past({ runId: id("1"), status: "running", line: "source: a = 1" }),
      past({ runId: id("2"), status: "timed_out", sessionId: "s\u0007", line: "b source: c" }),
    ],
    now,
  );

  const [header, ...rows] = lines();
  expect(header!.match(/dim\(\w+\)/g)).toEqual([
    "dim(program)",
    "dim(state)",
    "dim(began)",
    "dim(session)",
    "dim(source)",
  ]);
  expect(rows).toEqual([
    expect.stringMatching(/^bold\(00000000-0000-4000-8000-000000000001\) +runs +10 min ago +– +a = 1$/),
    expect.stringMatching(
      /^bold\(00000000-0000-4000-8000-000000000002\) +timed out +10 min ago +s\\u0007 +b source: c$/,
    ),
  ]);
});

test("an audit without programs says so", () => {
  const { screen, lines } = markedScreen();
  writePrograms(screen, [], now);
  expect(lines()).toEqual(["the audit has no programs"]);
});

function shown(more: object): string[] {
  const { screen, lines } = markedScreen();
  const program = { lines: [], hasMore: false, isCut: false, ...(more as { program?: object }).program };
  const rest = { run: past({ tool: "run_program" }), error: null, questions: {}, omitsReads: false };
  writeProgram(screen, { ...rest, ...more, program }, now);
  return lines();
}

test("a program without calls is its headline, and what the audit does not have", () => {
  expect(shown({})).toEqual(["bold(run_program) done · began 10 min ago", "0 calls"]);
  expect(
    shown({
      run: past({ tool: "run\u0007", sessionId: "s\u0007", status: "failed", code: "BAD" }),
      error: "it\nfailed",
      program: { isCut: true, hasMore: true },
      omitsReads: true,
    }),
  ).toEqual([
    "bold(run\\u0007) BAD · began 10 min ago · session s\\u0007",
    "red(it\\nfailed)",
    "0 calls, and earlier ones that are not shown",
    "dim(the audit has only the beginning of the source)",
    "dim(calls of tools that only read are not in this audit (audit: changes))",
  ]);
});

test("calls stand below the lines that made them; more than three alike are a number", () => {
  const waiting = past({ runId: "asked", tool: "send", status: "waiting", line: "to: ada" });
  const line = (number: number | null, code: string, calls: PastCall[] = [], isNow = false) => ({
    line: number,
    code,
    isNow,
    calls,
  });
  const alike = (n: number, more: object = {}) => Array.from({ length: n }, () => past(more));
  const lines = [
    line(9, "if (a)\t{  "),
    line(10, "  find(1);", [...alike(3), past({ status: "denied", code: "DENIED", line: "\u0007" })]),
    line(null, "", alike(4, { tool: "list", status: "running" })),
    line(11, "send(x);", [waiting, past({ tool: "x", status: "decided" })], true),
  ];

  expect(shown({ program: { lines }, questions: { asked: "0123456789abcdef" } }).slice(1)).toEqual([
    "  dim( 9)  if (a)  {",
    "  dim(10)    find(1);",
    "        green(✔) find  dim(done)",
    "        green(✔) find  dim(done)",
    "        green(✔) find  dim(done)",
    "        red(✖) find \\u0007  dim(DENIED)",
    "  dim( ?)  (line not known)",
    "        yellow(…) list: 4 calls  dim(runs)",
    "yellow(▶) dim(11)  bold(send(x);)",
    "        yellow(…) send to: ada  dim(waits: toolmount approvals approve 0123456789ab)",
    "        yellow(…) x  dim(answered)",
    "10 calls: 3 done, 1 DENIED, 4 runs, 1 waits, 1 answered",
  ]);
});

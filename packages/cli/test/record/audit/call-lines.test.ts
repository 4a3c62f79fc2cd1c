import { expect, test } from "vitest";
import type { AuditedCall } from "@toolmount/record";
import { callLines } from "../../../src/audit/call-lines.ts";
import { widthOf } from "../../../src/screen/table.ts";

const noon = Date.UTC(2026, 4, 1, 12);

const call = (more: Partial<AuditedCall> = {}): AuditedCall => ({
  at: noon,
  run: "r1",
  tool: "order",
  arguments: { title: "Emma", token: "[masked]" },
  user: "alice",
  session: "s1",
  answer: "allow",
  rules: [],
  kind: "call",
  approvedBy: null,
  deniedBy: null,
  runBy: null,
  allowedBy: null,
  person: null,
  status: "ok",
  code: null,
  error: null,
  result: null,
  durationMs: 12,
  ...more,
});

const options = { now: noon + 3 * 60_000, columns: undefined, control: () => ["title"] };

test("a call is one line: when, the arguments that decide, the user, what decided, and the result", () => {
  const asked = { answer: "ask", rules: ["plan.yaml:9:7"] } as const;
  expect(callLines([call(), call({ ...asked, approvedBy: "bob" })], options)).toEqual([
    `3 min ago  order(title: Emma, …)  alice  ${"allowed".padEnd(37)}  ok 12 ms`,
    "3 min ago  order(title: Emma, …)  alice  asked: plan.yaml:9:7; approved by bob  ok 12 ms",
  ]);
  const [denied] = callLines(
    [call({ ...asked, deniedBy: "bob", status: "denied", code: "DENIED", error: "no" })],
    options,
  );
  expect(denied).toContain("denied by bob  denied DENIED no");
});

test("without a terminal a long call is whole, and the other lines are not filled to its width", () => {
  const title = "x".repeat(3_000);
  const [long, short] = callLines([call({ arguments: { title } }), call()], options);

  expect(long).toContain(`order(title: ${title})  alice  allowed  ok 12 ms`);
  expect(short).toBe(`3 min ago  ${"order(title: Emma, …)".padEnd(80)}  alice  allowed  ok 12 ms`);
});

test("a line fits the terminal, whatever the arguments, the names and the rules are", () => {
  const long = "何".repeat(40) + "x".repeat(300);
  const given = call({
    arguments: { title: long },
    user: long,
    answer: "ask",
    rules: [long],
    deniedBy: long,
    error: long,
    status: "denied",
  });
  for (const columns of [40, 80, 200])
    for (const line of callLines([given, call()], { ...options, columns })) {
      expect(widthOf(line)).toBeLessThanOrEqual(columns);
      expect(line).not.toContain("\n");
    }
});

const asked = { answer: "ask", rules: ["r1", "r2"] } as const;

test.each<[Partial<AuditedCall>, string]>([
  [{}, "order(title: Emma, …)  alice  allowed  ok 12 ms"],
  [{ arguments: { title: "Emma" } }, "order(title: Emma)  alice  allowed  ok 12 ms"],
  [{ arguments: { title: { a: [1] } } }, 'order(title: {"a":[1]})  alice  allowed  ok 12 ms'],
  [{ arguments: { other: 1 } }, "order(, …)  alice  allowed  ok 12 ms"],
  [{ arguments: null }, "order  alice  allowed  ok 12 ms"],
  [{ arguments: '{"title' }, 'order({"title)  alice  allowed  ok 12 ms'],
  [{ user: null }, "order(title: Emma, …)  –  allowed  ok 12 ms"],
  [{ user: "a\u001b" }, "order(title: Emma, …)  a\\u001b  allowed  ok 12 ms"],
  [{ durationMs: null }, "order(title: Emma, …)  alice  allowed  ok"],
  [{ durationMs: 12.6 }, "order(title: Emma, …)  alice  allowed  ok 13 ms"],
  [
    { answer: "deny", status: "denied", code: "DENIED", error: "no" },
    "order(title: Emma, …)  alice  denied  denied DENIED no",
  ],
  [{ status: "failed", error: "" }, "order(title: Emma, …)  alice  allowed  failed"],
  [{ ...asked, status: "waiting" }, "order(title: Emma, …)  alice  asked: r1, r2  waiting"],
  [
    { ...asked, status: "waiting", approvedBy: "bob" },
    "order(title: Emma, …)  alice  asked: r1, r2; answered by bob  waiting",
  ],
  [{ ...asked, status: "denied" }, "order(title: Emma, …)  alice  asked: r1, r2; denied  denied"],
  [{ ...asked, status: "cancelled" }, "order(title: Emma, …)  alice  asked: r1, r2; not answered  cancelled"],
  [
    { ...asked, status: "denied", deniedBy: "bob" },
    "order(title: Emma, …)  alice  asked: r1, r2; denied by bob  denied",
  ],
  [{ kind: "rehearsal" }, "rehearsed: order(title: Emma, …)  alice  allowed  ok 12 ms"],
  [{ kind: "undo" }, "undo: order(title: Emma, …)  alice  allowed  ok 12 ms"],
  [{ allowedBy: "plan.yaml:1:1" }, "order(title: Emma, …)  alice  allowed by plan.yaml:1:1  ok 12 ms"],
  [
    { ...asked, allowedBy: "the declared default" },
    "order(title: Emma, …)  alice  asked: r1, r2; allowed by the declared default  ok 12 ms",
  ],
  [{ ...asked, approvedBy: "bob" }, "order(title: Emma, …)  alice  asked: r1, r2; approved by bob  ok 12 ms"],
])("the call with %j is a line", (more, line) => {
  expect(callLines([call(more)], options)).toEqual([`3 min ago  ${line}`]);
});

test("without a list of what decides, all arguments are shown, and columns are as wide as their widest cell", () => {
  const more = { arguments: { a: 1, b: "two" }, user: "al" };
  const all = { ...options, control: () => null };
  expect(callLines([call({ ...more, at: options.now }), call({ tool: "pay" })], all)).toEqual([
    "just now   order(a: 1, b: two)                al     allowed  ok 12 ms",
    "3 min ago  pay(title: Emma, token: [masked])  alice  allowed  ok 12 ms",
  ]);
  expect(callLines([], options)).toEqual([]);
});

test("where a call is too wide, it has a line, and below it who called, what decided and why, uncut", () => {
  const x = (count: number) => "x".repeat(count);
  const wide = call({
    arguments: { title: x(99) },
    answer: "ask",
    rules: ["mount-plan.yaml:9:7", "confirmation"],
    deniedBy: "bob",
    status: "denied",
    code: "DENIED",
    error: "not before the invoice is checked",
  });
  expect(callLines([wide, call()], { ...options, columns: 80 })).toEqual([
    `3 min ago  denied DENIED  order(title: ${x(40)}…`,
    "  alice · asked: mount-plan.yaml:9:7, confirmation; denied by bob · not before",
    "  the invoice is checked",
    "3 min ago  ok 12 ms  order(title: Emma, …)",
    "  alice · allowed",
  ]);
});

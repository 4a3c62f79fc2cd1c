import { expect, test } from "vitest";
import type { AuditedCall } from "../../src/audit/audited-calls.ts";
import { callLines } from "../../src/audit/call-lines.ts";
import { toCsvLine, toOcsfLine } from "../../src/audit/export-calls.ts";
import { widthOf } from "../../src/screen/table.ts";

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
  by: null,
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
  const asked = { answer: "ask", rules: ["plan.yaml:9:7"], by: "bob" } as const;
  expect(callLines([call(), call(asked)], options)).toEqual([
    `3 min ago  order(title: Emma, …)  alice  ${"allowed".padEnd(37)}  ok 12 ms`,
    "3 min ago  order(title: Emma, …)  alice  asked: plan.yaml:9:7; approved by bob  ok 12 ms",
  ]);
  const [denied] = callLines([call({ ...asked, status: "denied", code: "DENIED", error: "no" })], options);
  expect(denied).toContain("denied by bob  denied DENIED no");
});

test("a line fits the terminal, whatever the arguments, the names and the rules are", () => {
  const long = "何".repeat(40) + "x".repeat(300);
  const given = call({
    arguments: { title: long },
    user: long,
    answer: "ask",
    rules: [long],
    by: long,
    error: long,
    status: "denied",
  });
  for (const columns of [40, 80, 200])
    for (const line of callLines([given, call()], { ...options, columns })) {
      expect(widthOf(line)).toBeLessThanOrEqual(columns);
      expect(line).not.toContain("\n");
    }
});

test("a cell of CSV is quoted where it must be, and is no formula", () => {
  const line = toCsvLine(call({ tool: "=cmd()", arguments: { title: 'a "b"' }, error: "one\ntwo" }));
  expect(line).toBe(
    `2026-05-01T12:00:00.000Z,r1,'=cmd(),"{""title"":""a \\""b\\""""}",alice,s1,allow,,,ok,,"one\ntwo",,12`,
  );
});

test("an event of OCSF has the members that API Activity requires", () => {
  const event = JSON.parse(toOcsfLine(call({ status: "failed", code: "TIMED_OUT" }))) as object;
  expect(event).toMatchObject({
    class_uid: 6003,
    category_uid: 6,
    activity_id: 99,
    type_uid: 600_399,
    severity_id: 1,
    status_id: 2,
    status_code: "TIMED_OUT",
    time: noon,
    metadata: { version: "1.6.0", product: { vendor_name: "toolmount" } },
    actor: { user: { name: "alice" } },
    api: { operation: "order" },
    src_endpoint: {},
  });
});

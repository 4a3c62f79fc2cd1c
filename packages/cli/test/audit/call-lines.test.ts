import type { AuditSink } from "@toolmount/core";
import { expect, test } from "vitest";
import type { AuditedCall } from "../../src/audit/audited-calls.ts";
import { callLines } from "../../src/audit/call-lines.ts";
import { exportFormats, exportLines, toCsvLine, toOcsfLine } from "../../src/audit/export-calls.ts";
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
  kind: "call",
  approvedBy: null,
  deniedBy: null,
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

test("a cell has its share of the terminal, and the line its width", () => {
  const x = (count: number) => "x".repeat(count);
  const wide = call({
    arguments: { title: x(99) },
    user: x(99),
    answer: "ask",
    rules: [x(99)],
    approvedBy: "b",
  });
  const [line] = callLines([wide], { ...options, columns: 200 });
  expect(line).toBe(`3 min ago  order(title: ${x(62)}…  ${x(23)}…  asked: ${x(48)}…  ok 12 ms`);
});

test("a cell of CSV is quoted where it must be, and is no formula", () => {
  const line = toCsvLine(call({ tool: "=cmd()", arguments: { title: 'a "b"' }, error: "one\ntwo" }));
  expect(line).toBe(
    `2026-05-01T12:00:00.000Z,r1,call,'=cmd(),"{""title"":""a \\""b\\""""}",alice,s1,allow,,,,,ok,,"one\ntwo",,12`,
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

const records = ["start", "end"].map((kind, index) => ({
  entry: { kind, at: noon + index, runId: "r1", tool: "order", status: "ok" },
  hash: `h${index}`,
}));
const sink = { read: async () => records } as unknown as AuditSink;

async function exported(format: (typeof exportFormats)[number], filter: object = {}): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportLines(sink, format, filter)) lines.push(line);
  return lines;
}

test("an export has the records as they are stored, or a call on each line", async () => {
  expect(exportFormats).toEqual(["jsonl", "csv", "ocsf"]);
  expect(await exported("jsonl")).toEqual(records.map((record) => JSON.stringify(record)));
  expect(await exported("jsonl", { tool: "pay" })).toEqual([]);
  const lines = await exported("csv");
  expect(lines[0]).toBe(
    "time,run,kind,tool,arguments,user,session,answer,rules,approved_by,denied_by,allowed_by,status,code,error,result,duration_ms",
  );
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/^2026-05-01T12:00:00\.\d+Z,r1,call,order,/);
  expect((await exported("ocsf")).map((line) => JSON.parse(line) as object)).toMatchObject([
    { class_uid: 6003, metadata: { uid: "r1" } },
  ]);
});

test.each<[Partial<AuditedCall>, string]>([
  [{ arguments: null, result: null }, ",,alice,s1,allow,,,,,ok,,,,12"],
  [{ arguments: "{cut", user: null, session: null, durationMs: null }, ",{cut,,,allow,,,,,ok,,,,"],
  [
    { rules: ["a", "b"], answer: "ask", approvedBy: "bob" },
    `,"{""title"":""Emma"",""token"":""[masked]""}",alice,s1,ask,a b,bob,,,ok,,,,12`,
  ],
  [{ arguments: null, result: { a: 1 } }, `,,alice,s1,allow,,,,,ok,,,"{""a"":1}",12`],
  [{ arguments: null, result: "plain" }, ",,alice,s1,allow,,,,,ok,,,plain,12"],
  [{ arguments: null, code: "-X", error: "@x\r" }, `,,alice,s1,allow,,,,,ok,'-X,"'@x\r",,12`],
])("the call with %j is a line of CSV", (more, end) => {
  expect(toCsvLine(call(more))).toBe(`2026-05-01T12:00:00.000Z,r1,call,order${end}`);
});

test.each<[AuditedCall["kind"], string]>([
  ["rehearsal", "Rehearsal of a tool call"],
  ["undo", "Undo of a tool call"],
])("an auditor does not read a %s as a call that happened: not in CSV, and not in OCSF", (kind, activity) => {
  expect(toCsvLine(call({ kind }))).toContain(`,r1,${kind},order,`);
  expect(JSON.parse(toOcsfLine(call({ kind })))).toMatchObject({
    activity_name: activity,
    unmapped: { kind },
  });
});

test("an event of OCSF has all of a call, and leaves out what it has not", () => {
  const whole = { code: "C", error: "why", durationMs: 12.6, result: 1, approvedBy: "bob", rules: ["r"] };
  expect(JSON.parse(toOcsfLine(call({ status: "running", ...whole })))).toEqual({
    metadata: { version: "1.6.0", product: { name: "toolmount", vendor_name: "toolmount" }, uid: "r1" },
    time: noon,
    category_uid: 6,
    class_uid: 6003,
    activity_id: 99,
    activity_name: "Tool call",
    type_uid: 600_399,
    severity_id: 1,
    status_id: 0,
    status_code: "C",
    status_detail: "why",
    duration: 13,
    actor: { user: { name: "alice" }, session: { uid: "s1" } },
    api: { operation: "order", service: { name: "toolmount" }, request: { uid: "r1" } },
    src_endpoint: { name: "toolmount" },
    unmapped: {
      kind: "call",
      arguments: { title: "Emma", token: "[masked]" },
      result: 1,
      answer: "allow",
      rules: ["r"],
      approved_by: "bob",
      denied_by: null,
      allowed_by: null,
      status: "running",
    },
  });
  const bare = JSON.parse(toOcsfLine(call({ user: null, session: null, durationMs: null }))) as Readonly<
    Record<string, unknown>
  >;
  expect(bare).toMatchObject({ status_id: 1, actor: { user: { name: "unknown" } } });
  expect(Object.keys(bare).filter((key) => /status_code|status_detail|duration/.test(key))).toEqual([]);
  expect(bare["actor"]).toEqual({ user: { name: "unknown" } });
  expect(JSON.parse(toOcsfLine(call({ status: "waiting" })))).toMatchObject({ status_id: 0 });
});

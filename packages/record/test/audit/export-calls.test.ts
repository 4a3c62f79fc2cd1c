import type { AuditSink } from "@toolmount/core";
import { expect, test } from "vitest";
import type { AuditedCall } from "../../src/audit/audited-calls.ts";
import { exportFormats, exportLines, toCsvLine, toOcsfLine } from "../../src/audit/export-calls.ts";

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

test("a cell of CSV is quoted where it must be, and is no formula", () => {
  const line = toCsvLine(call({ tool: "=cmd()", arguments: { title: 'a "b"' }, error: "one\ntwo" }));
  expect(line).toBe(
    `2026-05-01T12:00:00.000Z,r1,call,'=cmd(),"{""title"":""a \\""b\\""""}",alice,s1,allow,,,,,ok,,"one\ntwo",,12,`,
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
    "time,run,kind,tool,arguments,user,session,answer,rules,approved_by,denied_by,allowed_by,status,code,error,result,duration_ms,run_by",
  );
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/^2026-05-01T12:00:00\.\d+Z,r1,call,order,/);
  expect((await exported("ocsf")).map((line) => JSON.parse(line) as object)).toMatchObject([
    { class_uid: 6003, metadata: { uid: "r1" } },
  ]);
});

test.each<[Partial<AuditedCall>, string]>([
  [{ arguments: null, result: null }, ",,alice,s1,allow,,,,,ok,,,,12,"],
  [{ arguments: "{cut", user: null, session: null, durationMs: null }, ",{cut,,,allow,,,,,ok,,,,,"],
  [
    { rules: ["a", "b"], answer: "ask", approvedBy: "bob" },
    `,"{""title"":""Emma"",""token"":""[masked]""}",alice,s1,ask,a b,bob,,,ok,,,,12,`,
  ],
  [{ arguments: null, result: { a: 1 } }, `,,alice,s1,allow,,,,,ok,,,"{""a"":1}",12,`],
  [{ arguments: null, result: "plain" }, ",,alice,s1,allow,,,,,ok,,,plain,12,"],
  [{ arguments: null, code: "-X", error: "@x\r" }, `,,alice,s1,allow,,,,,ok,'-X,"'@x\r",,12,`],
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
      run_by: null,
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

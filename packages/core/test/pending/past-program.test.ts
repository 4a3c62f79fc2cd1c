import { expect, test } from "vitest";
import { pastCalls, readProgram } from "../../src/record.ts";
import type { AuditEntry, AuditRecord, Json } from "../../src/index.ts";

const source = "const a = await tools.look({});\nreturn await tools.pay({ a });";

/** An audit of these entries, one a millisecond. */
function auditOf(entries: readonly Readonly<Record<string, Json>>[]): readonly AuditRecord[] {
  return entries.map((fields, at) => {
    const entry = {
      at: at + 1,
      kind: "end",
      callId: "c",
      sessionId: "s",
      ...fields,
    } as unknown as AuditEntry;
    return { writer: "w", sequence: at + 1, previous: "", hash: "", entry };
  });
}

const made = (parentRunId: string, runId: string, line: number, rest: Record<string, Json> = {}) => ({
  runId,
  parentRunId,
  callId: `call of ${runId}`,
  tool: "look",
  status: "ok",
  place: { line, code: "await tools.look({})" },
  ...rest,
});

async function read(entries: Parameters<typeof auditOf>[0], runId: string, given: Json = { source }) {
  const list = async (filter: Parameters<typeof pastCalls>[1]) => pastCalls(auditOf(entries), filter);
  const { calls } = await list({ runIds: [runId], limit: 1 });
  return readProgram(list, calls[0]!, given);
}

test("a program has its calls at the lines that made them, and the line that waits is marked", async () => {
  const program = await read(
    [
      { kind: "start", runId: "p", tool: "run_program" },
      made("p", "r1", 1),
      made("p", "r2", 2, { kind: "pending", status: "pending", tool: "pay" }),
      made("p", "r3", 9),
      made("other", "r4", 1),
      { kind: "pending", runId: "p", tool: "run_program", status: "pending" },
    ],
    "p",
  );

  expect(
    program?.lines.map(({ line, isNow, calls }) => [line, isNow, calls.map(({ runId }) => runId)]),
  ).toEqual([
    [1, false, ["r1"]],
    [2, true, ["r2"]],
    [9, false, ["r3"]],
  ]);
});

test("a program that has ended waits nowhere, whatever is known of its calls", async () => {
  const program = await read(
    [
      { kind: "start", runId: "p", tool: "run_program" },
      made("p", "r1", 1, { kind: "start" }),
      { runId: "p", tool: "run_program", status: "cancelled" },
    ],
    "p",
  );

  expect(program?.lines.filter(({ isNow }) => isNow)).toEqual([]);
});

test("a program that continues one whose process died has its calls, too, and those of no run before", async () => {
  const run = (runId: string, status: string) => ({ runId, tool: "run_program", status });
  const entries = [
    run("p1", "ok"),
    made("p1", "r1", 1),
    run("p2", "unknown"),
    made("p2", "r2", 1),
    { kind: "start", runId: "p3", tool: "run_program" },
    made("p3", "r3", 1),
    run("p4", "ok"),
    made("p4", "r4", 2),
  ];
  const runsOf = async (runId: string) =>
    (await read(entries, runId))?.lines.flatMap(({ calls }) => calls.map((call) => call.runId));

  expect(await runsOf("p4")).toEqual(["r2", "r3", "r4"]);
  expect(await runsOf("p1")).toEqual(["r1"]);
});

test("of a source that the audit has cut there is the beginning, and the lines that made calls", async () => {
  const long = `const quote = "\\u00e4";\n${"await tools.look({});\n".repeat(500)}`;
  const cut = JSON.stringify({ source: long }).slice(0, 4_096);
  const program = await read([{ runId: "p", tool: "run_program" }, made("p", "r1", 400)], "p", cut);

  expect(program?.isCut).toBe(true);
  expect(program?.lines[0]).toMatchObject({ line: 1, code: 'const quote = "\\u00e4";' });
  expect(program?.lines.at(-1)).toMatchObject({ line: 400, code: "await tools.look({})" });
  expect(await read([{ runId: "p", tool: "look" }], "p", { path: "a" })).toBeNull();
});

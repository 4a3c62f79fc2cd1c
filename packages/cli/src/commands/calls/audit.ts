import { checkAudit, ToolmountError, type AuditRecord, type AuditSink } from "@toolmount/core";
import { setTimeout } from "node:timers/promises";
import { InvalidArgumentError, type Command } from "commander";
import { countOf } from "../../screen/count.ts";
import { openPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { writeTable, type Column } from "../../screen/table.ts";
import { printable } from "../../screen/printable.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly run?: string;
  readonly tool?: string;
  readonly last: number;
  readonly check?: true;
  readonly follow?: true;
  readonly prune?: number;
}

/** `toolmount audit [plan]`: shows decisions and the start and end of calls, or verifies the audit. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option("--run <id>", "only this run")
    .option("--tool <name>", "only this tool")
    .option("--last <n>", "show this many, the newest", readCount, 50)
    .option("--check", "verify the chain of the whole audit instead")
    .option(
      "--prune <days>",
      "delete the records of processes that wrote nothing for so many days",
      readCount,
    )
    .option("-f, --follow", "then show new records as they are written, until Ctrl-C")
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) =>
      shell.end(await audit(plan, options, shell)),
    );
  addExamples(command, ["toolmount audit --tool bash --last 20", "toolmount audit --check"]);
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 1.");
}

async function audit(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const host = await openPlan(plan, options, shell);
  try {
    const sink = host.coordinator.get("audit-sink") as AuditSink | null;
    if (sink === null)
      throw new ToolmountError("EXTENSION_MISSING", {
        what: 'the plan says "audit: off"; toolmount audit',
        module: "an audit",
        install: 'the line "audit: durable" in the plan',
      });
    if (options.prune !== undefined) return await prune(sink, options.prune, options, shell);
    if (options.check === true) return await check(sink, options, shell);
    return options.follow === true ? await follow(sink, options, shell) : await show(sink, options, shell);
  } finally {
    await host.close();
  }
}

/** Deletes old records. Each process has a chain of its own, which is deleted as a whole or not at all. */
async function prune(sink: AuditSink, days: number, { json }: Options, { out }: Shell): Promise<ExitCode> {
  if (sink.prune === undefined)
    throw new ToolmountError("EXTENSION_MISSING", {
      what: "the audit of this plan cannot delete records; toolmount audit --prune",
      module: "an audit in a store",
      install: "the line state: sqlite:./.toolmount/state.db in the plan",
    });
  const deleted = await sink.prune(Date.now() - days * 86_400_000);
  if (json === true) out.json({ deleted });
  else out.line(`${countOf(deleted, "record")} deleted`);
  return exitCodes.done;
}

async function show(sink: AuditSink, { run, tool, last, json }: Options, { out }: Shell): Promise<ExitCode> {
  const newest = await sink.read({ runId: run, tool, last });
  const records = newest.toReversed();
  if (json === true) out.json(records.map(({ entry }) => entry));
  else writeTable(out, columns, records);
  return exitCodes.done;
}

/** Milliseconds between two looks at the audit. */
const followMs = 500;

/** Shows the newest records and then each new one, one JSON object a line with `--json`. */
function follow(sink: AuditSink, { run, tool, last, json }: Options, shell: Shell): Promise<ExitCode> {
  const shown = new Set<string>();
  const showNew = async (records: readonly AuditRecord[]) => {
    for (const record of records.filter(({ hash }) => !shown.has(hash))) {
      shown.add(record.hash);
      if (json === true) shell.out.jsonLine(record.entry);
      else shell.out.line(lineOf(record));
    }
  };
  return shell.interruptible(async ({ signal }) => {
    await showNew((await sink.read({ runId: run, tool, last })).toReversed());
    while (!signal.aborted && !shell.out.isLost()) {
      await pause(followMs, signal);
      await showNew((await sink.read({ runId: run, tool, last: 1_000 })).toReversed());
    }
    return exitCodes.done;
  });
}

/** Waits; an abort ends the wait early. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => {});
}

/** A value of a record; records are stored as JSON, and older ones lack some. */
function textOf(value: unknown): string {
  return typeof value === "string" && value !== "" ? printable(value) : "–";
}

const columns: readonly Column<AuditRecord>[] = [
  { title: "time", cell: ({ entry }) => new Date(entry.at).toISOString() },
  { title: "what", cell: ({ entry }) => entry.kind },
  { title: "tool", cell: ({ entry }) => textOf(entry.tool) },
  { title: "user", cell: ({ entry }) => textOf(entry.userId) },
  { title: "session", cell: ({ entry }) => textOf(entry.sessionId) },
  { title: "result", cell: ({ entry }) => textOf(entry.status ?? entry.decision) },
  { title: "by", cell: ({ entry }) => textOf(entry.by ?? entry.approvedBy) },
  {
    title: "took",
    cell: ({ entry: { durationMs } }) => (typeof durationMs === "number" ? `${durationMs} ms` : "–"),
  },
  {
    title: "run",
    cell: ({ entry }) =>
      [entry.runId, entry.code]
        .filter((fact) => typeof fact === "string")
        .map(printable)
        .join("  "),
  },
];

function lineOf({ entry }: AuditRecord): string {
  const { kind, at, runId, tool, status, decision, by, approvedBy, code, userId, sessionId, durationMs } =
    entry;
  const facts = [status, code, decision, by ?? approvedBy, userId, sessionId].filter(
    (fact) => typeof fact === "string",
  );
  const time = typeof durationMs === "number" ? `${durationMs} ms` : "";
  return printable(
    [new Date(at).toISOString(), kind.padEnd(8), tool, runId, ...facts, time].join("  ").trimEnd(),
  );
}

async function check(sink: AuditSink, { json }: Options, { out }: Shell): Promise<ExitCode> {
  const records = await sink.read();
  const problems = checkAudit(records, await sink.heads());
  if (json === true) out.json({ records: records.length, problems });
  else {
    for (const { writer, sequence, problem } of problems) out.line(`${writer} ${sequence}: ${problem}`);
    out.line(
      `${countOf(records, "record")}, ${problems.length === 0 ? "unchanged" : countOf(problems, "problem")}`,
    );
  }
  return problems.length === 0 ? exitCodes.done : exitCodes.failed;
}

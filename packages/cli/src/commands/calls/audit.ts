import { checkAudit, systemClock, type AuditRecord, type AuditSink } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { setTimeout } from "node:timers/promises";
import { InvalidArgumentError, Option, type Command } from "commander";
import { callOf, isWanted, RunJoiner } from "@toolmount/record/internal";
import { auditSinkOf } from "@toolmount/record/internal";
import { callLines, type LineOptions } from "../../audit/call-lines.ts";
import { exportFormats, exportLines, type AuditedCall, type ExportFormat } from "@toolmount/record";
import { followRecords } from "@toolmount/record/internal";
import { newestCalls, newestEntries } from "@toolmount/record/internal";
import { countOf } from "../../screen/count.ts";
import { openPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addCallFilters, filterOf, type CallFilterOptions } from "../../options/call-filters.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { refuseUnknown } from "../../options/refuse-unknown.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions, CallFilterOptions {
  readonly json?: true;
  readonly last: number;
  readonly check?: true;
  readonly follow?: true;
  readonly format?: ExportFormat;
}

/** `toolmount audit [plan]`: shows calls, each on a line, and exports or verifies the audit. */
export function define(command: Command, shell: Shell): void {
  addCallFilters(addPlanOptions(command).argument("[plan]", planArgument))
    .option("--last <n>", "show this many, the newest", readCount, 50)
    .option("-f, --follow", "then show new calls as they end, until Ctrl-C")
    .addOption(
      new Option("--format <format>", "print all of them, oldest first, for other programs").choices(
        exportFormats,
      ),
    )
    .option("--check", "verify the chain of the whole audit instead")
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) =>
      shell.end(await audit(plan, options, shell)),
    );
  addExamples(command, [
    "toolmount audit --since 2h --status denied",
    "toolmount audit --format ocsf --since 1d",
    "toolmount audit --check",
  ]);
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 1.");
}

async function audit(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const host = await openPlan(plan, options, shell);
  try {
    const sink = auditSinkOf(host);
    await refuseUnknownTool(host, sink, options.tool);
    if (options.check === true) return await check(sink, options, shell);
    if (options.format !== undefined) return await exportAll(sink, options.format, options, shell);
    const lines = lineOptions(host, shell);
    return options.follow === true
      ? await follow(sink, lines, options, shell)
      : await show(sink, lines, options, shell);
  } finally {
    await host.close();
  }
}

/**
 * Throws for the name of a tool that has no calls and is not in the plan. A tool that the plan no longer has may still have
 * calls.
 */
async function refuseUnknownTool(host: OpenedHost, sink: AuditSink, tool: string | undefined): Promise<void> {
  if (tool === undefined || (await newestCalls(sink, { tool, last: 1 })).length > 0) return;
  const names = host.tools({ includeDeprecated: true }).map(({ name }) => name);
  await refuseUnknown("tool", tool, names);
}

async function show(sink: AuditSink, lines: LineOptions, options: Options, shell: Shell): Promise<ExitCode> {
  const filter = { ...filterOf(options), last: options.last };
  if (options.json === true) shell.out.json(await newestEntries(sink, filter));
  else writeCalls(await newestCalls(sink, filter), lines, sink, shell);
  return exitCodes.done;
}

function writeCalls(
  calls: readonly AuditedCall[],
  lines: LineOptions,
  { mode }: Pick<AuditSink, "mode">,
  shell: Shell,
): void {
  writeLines(calls, lines, shell);
  const reads = mode === "changes" ? "; reads are recorded where the plan has a state and audit: mixed" : "";
  if (calls.length === 0) shell.out.line(`no call is recorded that fits${reads}`);
}

function writeLines(calls: readonly AuditedCall[], lines: LineOptions, { out }: Shell): void {
  for (const line of callLines(calls, lines)) out.line(line);
}

/**
 * Returns the options for lines of calls. Of the arguments, a line shows those that the tool declares as deciding what it
 * touches; for other tools, the required ones.
 */
function lineOptions(host: OpenedHost, { out }: Shell): LineOptions {
  const control = new Map<string, readonly string[]>();
  for (const { name, control: declared, inputSchema } of host.tools({ includeDeprecated: true })) {
    const required = (inputSchema as { readonly required?: readonly string[] }).required ?? [];
    const names = declared ?? required;
    if (names.length > 0) control.set(name, names);
  }
  return { now: systemClock.now(), columns: out.columns, control: (tool) => control.get(tool) ?? null };
}

async function exportAll(
  sink: AuditSink,
  format: ExportFormat,
  options: Options,
  { out }: Shell,
): Promise<ExitCode> {
  for await (const line of exportLines(sink, format, filterOf(options))) out.line(line);
  return exitCodes.done;
}

/** Milliseconds between two reads of the audit. */
const followMs = 500;

/** Shows the newest calls and then each call that ends; with `--json` each record, one JSON object a line. */
function follow(sink: AuditSink, lines: LineOptions, options: Options, shell: Shell): Promise<ExitCode> {
  const { run, tool, since, json } = options;
  const filter = filterOf(options);
  const runs = new RunJoiner();
  const next = followRecords(sink, { runId: run, tool, since });
  return shell.interruptible(async ({ signal }) => {
    for (const { entry } of await next()) runs.add(entry);
    // Records that are written between the two reads are in both, but must be shown once.
    const shown = await showNewest(sink, lines, options, shell);
    const showNew = ({ entry }: AuditRecord) => {
      const joined = runs.add(entry);
      if (shown.has(keyOf(entry.runId, entry.kind, entry.at))) return;
      if (json === true && isWanted(entry, filter)) shell.out.jsonLine(entry);
      if (json === true || joined === null || !isWanted(joined, filter)) return;
      writeLines([callOf(joined)], { ...lines, now: systemClock.now() }, shell);
    };
    while (!signal.aborted && !shell.out.isLost()) {
      await pause(followMs, signal);
      (await next()).forEach(showNew);
      shown.clear();
    }
    return exitCodes.done;
  });
}

/** Shows the newest calls. Resolves to the keys of the shown records, so that {@link follow} does not show them again. */
async function showNewest(
  sink: AuditSink,
  lines: LineOptions,
  options: Options,
  shell: Shell,
): Promise<Set<string>> {
  const filter = { ...filterOf(options), last: options.last };
  if (options.json === true) {
    const entries = await newestEntries(sink, filter);
    for (const entry of entries) shell.out.jsonLine(entry);
    return new Set(entries.map(({ runId, kind, at }) => keyOf(runId, kind, at)));
  }
  const calls = await newestCalls(sink, filter);
  writeLines(calls, lines, shell);
  const ended = calls.filter(({ status }) => status !== "running" && status !== "waiting");
  return new Set(ended.map((call) => keyOf(call.run, "end", call.at)));
}

function keyOf(run: string, kind: string, at: number): string {
  return `${run} ${kind} ${at}`;
}

/** Waits for `ms` milliseconds, or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => {});
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

import type { JsonObject } from "@toolmount/core";
import type { EntryStatus, LockChange, Problem } from "@toolmount/loader";
import type { InspectedEntry, NextFile } from "@toolmount/loader/commands";
import { Option, type Command } from "commander";
import { loaderOptions } from "../../host/loader-options.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { withStatus } from "../../process/with-status.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { problemsOf } from "../../render/failure.ts";
import { writeDrift } from "../../render/lock-changes.ts";
import { shortPath, writeProblems } from "../../render/problems.ts";
import { isWritten } from "../../render/written-entries.ts";
import { countOf } from "../../screen/count.ts";
import { printable } from "../../screen/printable.ts";
import { isLocked, mountInProcess } from "../../trial/mount-plan.ts";
import { describeLayer, describeRuns, layerLine, type LayerFinding } from "../../trial/run-place.ts";
import { relative } from "node:path";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly mount?: true;
  /** False with `--no-load`. */
  readonly load: boolean;
  readonly format: "text" | "json" | "github";
}

/** `toolmount check [plan]`: shows every problem of a plan at once. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option("--mount", "mount the modules with a manifest, too; runs their code in a process of its own")
    .option("--no-load", "run no code, also not of modules without a manifest, which are not checked then")
    .addOption(
      new Option("--format <format>", "how problems are printed")
        .choices(["text", "json", "github"])
        .default("text"),
    )
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await check(plan, options, shell));
    });
  addExamples(command, [
    "toolmount check mount-plans/coding.yaml",
    "toolmount check --env production --format github",
  ]);
}

async function check(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const find = (inner: Shell) => findProblems(plan, options, inner);
  const report = await withStatus(shell, "checking the plan", find).catch(refused);
  if (options.json === true || options.format === "json") shell.out.json(report);
  else if (options.format === "github") writeAnnotations(report, shell);
  else writeReport(report, shell);
  return report.ok ? exitCodes.done : exitCodes.planInvalid;
}

type Report =
  | {
      readonly ok: true;
      readonly plan: string | undefined;
      readonly modules: readonly Module[];
      /** Problems of optional modules. The plan can be mounted without these modules. */
      readonly problems: readonly Problem[];
      /** Members that modules of the plan add to the context of tools, if manifests or mounted modules name them. */
      readonly context: readonly string[];
      /** Modules that were not checked, because only mounting shows their tools. */
      readonly unknown: readonly string[];
      /** Tools that differ from the lock file. Their calls are denied until the change is accepted. */
      readonly lockChanges: readonly LockChange[];
      /** Scripts and skills in the plan's folder that the next command would run or read. */
      readonly nextFiles: readonly NextFile[];
      /** Which servers count the plan's budgets together; undefined if all of them do, or if the plan has no budgets. */
      readonly counts?: string | undefined;
      /** Whether this machine can open a layer for the plan, and which tools would work outside of the layer. */
      readonly layer?: LayerFinding | undefined;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Module = Pick<EntryStatus, "id" | "section" | "specifier" | "version" | "path" | "position"> & {
  readonly state: EntryStatus["state"] | "found";
  /** Names of the module's tools; null if only mounting the module shows them. */
  readonly tools: readonly string[] | null;
  readonly problems: readonly Problem[];
  /** Where calls of the module run; absent if they run in the host. */
  readonly runs?: string | undefined;
};

function refused(error: unknown): Report {
  const problems = problemsOf(error);
  if (problems === undefined) throw error;
  return { ok: false, problems };
}

/**
 * Reads manifests. Then mounts the plan with `--mount`, or if a module has no manifest or the plan has a lock file, because only
 * mounted modules show their tools.
 */
async function findProblems(plan: string | undefined, options: Options, shell: Shell): Promise<Report> {
  const { report: looked, place } = await inspect(plan, options, shell);
  if (!looked.ok) return looked;
  const needsMount = looked.unknown.length > 0 || (await isLocked(looked.plan, options));
  const mounts = options.mount === true || (options.load && needsMount);
  if (!mounts) return looked;
  const mounted = await findByMounting(plan, options, shell, looked.nextFiles);
  if (!mounted.ok) return mounted;
  return {
    ...mounted,
    counts: looked.counts,
    layer: looked.layer,
    modules: mounted.modules.map((module) => ({ ...module, runs: place(module.id, mounted.context) })),
  };
}

interface Looked {
  readonly report: Report;
  /** Returns where the calls of an entry run, and which `members` of a context are missing there; undefined for the host. */
  readonly place: (id: string, members: readonly string[]) => string | undefined;
}

/** Checks a plan by its manifests, without running code of tools. */
async function inspect(plan: string | undefined, options: Options, shell: Shell): Promise<Looked> {
  const { inspectPlan } = await import("@toolmount/loader/commands");
  const inspected = await inspectPlan(plan, loaderOptions(options, shell));
  if (inspected.problems.length > 0)
    return { report: { ok: false, problems: inspected.problems }, place: () => undefined };
  const { entries, unknown, nextFiles } = inspected;
  const problems = entries.flatMap((entry) => entry.problems);
  const calls = await describeRuns(entries, shell);
  const place: Looked["place"] = (id, members) => {
    const entry = entries.find((each) => each.id === id);
    return entry === undefined ? undefined : calls.place(entry, members);
  };
  const context = [...new Set(entries.flatMap((entry) => entry.context ?? []))];
  const modules = entries.map((entry) => ({ ...describeEntry(entry), runs: place(entry.id, context) }));
  const { file, written } = inspected.plan;
  const layer = await describeLayer(inspected.plan, entries, shell);
  const found = { modules, context, problems, unknown, nextFiles, counts: countedBy(written), layer };
  return { report: { ok: true, plan: file, lockChanges: [], ...found }, place };
}

/**
 * Returns which servers count a plan's budgets together; undefined without budgets, or if servers of other machines may count,
 * too.
 */
function countedBy({ policy, state }: JsonObject): string | undefined {
  const { budgets } = (policy ?? {}) as { readonly budgets?: unknown };
  if (budgets === undefined) return undefined;
  if (state === "memory") return "each server counts its own, from zero at each start";
  const isHere = state === undefined || (typeof state === "string" && state.startsWith("sqlite:"));
  return isHere
    ? "the servers of this machine count together; with state: postgres://… all servers do"
    : undefined;
}

function describeEntry({
  tools,
  required: _,
  run: _run,
  context: _context,
  ...entry
}: InspectedEntry): Module {
  const state = entry.problems.length > 0 ? "failed" : "found";
  return { ...entry, state, tools: tools?.flatMap(({ name }) => name ?? []) ?? null };
}

async function findByMounting(
  plan: string | undefined,
  options: Options,
  shell: Shell,
  nextFiles: readonly NextFile[],
): Promise<Report> {
  const result = await mountInProcess(plan, options, shell);
  if (result.kind === "report") {
    const { file, entries, dead, ...rest } = result.report;
    const { problems, lockChanges, context } = rest;
    if (dead.length > 0) return { ok: false, problems: dead };
    return { ok: true, plan: file, modules: entries, context, problems, unknown: [], lockChanges, nextFiles };
  }
  const message = `the plan cannot be mounted: a module, when it is imported or mounted: ${result.incident.problem}`;
  return { ok: false, problems: [{ code: "MODULE_MOUNT_FAILED", message }] };
}

function writeAnnotations({ problems }: Report, { out, cwd }: Shell): void {
  for (const problem of problems) out.line(annotation(problem, cwd));
}

function writeReport(report: Report, shell: Shell): void {
  const { out } = shell;
  writeProblems(out, report.problems, shell.cwd);
  if (!report.ok) return out.line(out.paint("red", `✖ ${countOf(report.problems, "problem")}`));
  const { modules, unknown } = report;
  const entries = modules.filter(isWritten);
  const tools = modules.flatMap((module) => module.tools ?? []);
  const left = modules.filter(({ state }) => state === "failed" || state === "skipped");
  const file = printable(shortPath(report.plan ?? "", shell.cwd));
  const idle = modules.filter(({ state }) => state === "degraded");
  const sign = unknown.length > 0 || idle.length > 0 ? out.paint("yellow", "⚠") : out.paint("green", "✔");
  out.line(`${sign} ${file}: ${countOf(entries, "module")}, ${countOf(tools, "tool")}`);
  writeNames(
    out,
    "not mounted, and not required",
    left.map(({ id }) => id),
  );
  writeNames(
    out,
    "mounted, but registered nothing",
    idle.map(({ id }) => id),
  );
  for (const { id, runs } of entries)
    if (runs !== undefined) out.line(printable(`  ${id}: calls run ${runs}`));
  if (report.counts !== undefined) out.line(`  budgets: ${report.counts}`);
  if (report.layer !== undefined) out.line(printable(layerLine(report.layer)));
  writeNextFiles(out, report.nextFiles);
  writeDrift(out, report.lockChanges);
  writeNames(out, "NOT checked, because --no-load runs no module without a manifest", unknown);
}

function writeNextFiles(out: Shell["out"], files: readonly NextFile[]): void {
  const kept = files.filter(({ writableBy }) => writableBy === undefined).map(({ file }) => printable(file));
  if (kept.length > 0)
    out.line(`  the next command runs or reads, and tools cannot change: ${kept.join(", ")}`);
  const open = files.filter(({ writableBy }) => writableBy !== undefined);
  writeNames(
    out,
    "the next command runs or reads, and a tool may change",
    open.map(({ file, writableBy }) => `${file} (${writableBy})`),
  );
}

function writeNames(out: Shell["out"], what: string, names: readonly string[]): void {
  if (names.length > 0) out.line(out.paint("yellow", `  ⚠ ${what}: ${names.map(printable).join(", ")}`));
}

/** Formats a problem as a line that GitHub Actions shows next to the plan's line. Source: GitHub's workflow commands. */
function annotation({ code, message, hint, file, line, column }: Problem, cwd: string): string {
  const place =
    file === undefined ? [] : [`file=${property(relative(cwd, file))}`, `line=${line}`, `col=${column}`];
  const properties = [...place, `title=${property(code)}`].join(",");
  return `::error ${properties}::${data(hint === undefined ? message : `${message}\nhint: ${hint}`)}`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

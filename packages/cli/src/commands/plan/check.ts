import type { EntryStatus, Problem } from "@toolmount/loader";
import type { InspectedEntry } from "@toolmount/loader/commands";
import { Option, type Command } from "commander";
import { countOf } from "../../screen/count.ts";
import { problemsOf } from "../../render/failure.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { loaderOptions } from "../../host/loader-options.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { annotation } from "../../render/annotations.ts";
import { printable } from "../../screen/printable.ts";
import { shortPath, writeProblems } from "../../render/problems.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly mount?: true;
  readonly format: "text" | "json" | "github";
}

/** `toolmount check [plan]`: every problem of a plan at once. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option("--mount", "mount the modules too: runs their code, and finds what only that can tell")
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
  const report = await (options.mount === true ? mountAll : lookAtAll)(plan, options, shell).catch(refused);
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
      /** Of modules that are not required: the plan opens without them. */
      readonly problems: readonly Problem[];
      /** Modules whose tools only mounting could tell. */
      readonly unknown: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Module = Pick<EntryStatus, "id" | "section" | "specifier" | "version" | "path" | "position"> & {
  readonly state: EntryStatus["state"] | "found";
  /** Null when only mounting the module could tell. */
  readonly tools: readonly string[] | null;
  readonly problems: readonly Problem[];
};

function refused(error: unknown): Report {
  const problems = problemsOf(error);
  if (problems === undefined) throw error;
  return { ok: false, problems };
}

/** Looks at manifests; of tools no code is run. */
async function lookAtAll(plan: string | undefined, options: Options, shell: Shell): Promise<Report> {
  const { inspectPlan } = await import("@toolmount/loader/commands");
  const inspected = await inspectPlan(plan, loaderOptions(options, shell));
  if (inspected.problems.length > 0) return { ok: false, problems: inspected.problems };
  const { entries, unknown } = inspected;
  const problems = entries.flatMap((entry) => entry.problems);
  return { ok: true, plan: inspected.plan.file, modules: entries.map(describeEntry), problems, unknown };
}

function describeEntry({ tools, required: _, ...entry }: InspectedEntry): Module {
  const state = entry.problems.length > 0 ? "failed" : "found";
  return { ...entry, state, tools: tools?.flatMap(({ name }) => name ?? []) ?? null };
}

async function mountAll(plan: string | undefined, options: Options, shell: Shell): Promise<Report> {
  const { openHost } = await import("@toolmount/loader");
  const looked = await lookAtAll(plan, options, shell);
  if (!looked.ok) return looked;
  const host = await openHost(plan, loaderOptions(options, shell));
  const { entries } = host.status();
  await host.close();
  const problems = entries.flatMap((entry) => entry.problems);
  return { ok: true, plan: host.plan.file, modules: entries, problems, unknown: [] };
}

function writeAnnotations({ problems }: Report, { out, cwd }: Shell): void {
  for (const problem of problems) out.line(annotation(problem, cwd));
}

function writeReport(report: Report, shell: Shell): void {
  const { out } = shell;
  writeProblems(out, report.problems, shell.cwd);
  if (!report.ok) return out.line(out.paint("red", `✖ ${countOf(report.problems, "problem")}`));
  const tools = report.modules.flatMap((module) => module.tools ?? []);
  const left = report.modules.filter(({ state }) => state === "failed" || state === "skipped");
  const file = printable(shortPath(report.plan ?? "", shell.cwd));
  const more = report.unknown.length > 0 ? " and more" : "";
  out.line(
    `${out.paint("green", "✔")} ${file}: ${countOf(report.modules, "module")}, ${countOf(tools, "tool")}${more}`,
  );
  writeNames(
    out,
    "left out, since not required",
    left.map(({ id }) => id),
  );
  writeNames(out, "without a manifest, so not looked into (--mount does)", report.unknown);
}

function writeNames(out: Shell["out"], what: string, names: readonly string[]): void {
  if (names.length > 0) out.line(out.paint("yellow", `  ${what}: ${names.map(printable).join(", ")}`));
}

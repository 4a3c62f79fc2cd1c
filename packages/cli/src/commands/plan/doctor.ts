import type { LockChange, Problem } from "@toolmount/loader";
import type { PackageWarning } from "@toolmount/loader/commands";
import type { ProviderStatus } from "@toolmount/interop";
import type { Command } from "commander";
import { loaderOptions } from "../../host/loader-options.ts";
import { examineMachine, type MachineFinding } from "../../host/machine.ts";
import { describeLack, examineProviders } from "../../host/model-providers.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { problemsOf } from "../../render/failure.ts";
import { writeDrift } from "../../render/lock-changes.ts";
import { shortPath, writeProblems } from "../../render/problems.ts";
import { countModules } from "../../render/written-entries.ts";
import { printable } from "../../screen/printable.ts";
import { isLocked, mountInProcess } from "../../trial/mount-plan.ts";

interface Options extends PlanOptions {
  readonly json?: true;
}

/** `toolmount doctor [plan]`: reports what this machine and the plan's packages lack. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await doctor(plan, options, shell));
    });
  addExamples(command, ["toolmount doctor mount-plans/coding.yaml"]);
}

interface Diagnosis {
  readonly machine: readonly MachineFinding[];
  /** The providers of models, and what each lacks. */
  readonly models: readonly ProviderStatus[];
  readonly plan: string | undefined;
  readonly modules: readonly {
    readonly id: string;
    readonly section: string;
    readonly version: string | undefined;
    readonly path: string | undefined;
  }[];
  readonly doubts: readonly PackageWarning[];
  readonly problems: readonly Problem[];
  /** Tools that differ from the plan's lock file. */
  readonly lockChanges: readonly LockChange[];
}

async function doctor(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const [machine, ofPlan] = await Promise.all([examineMachine(shell), examinePlan(plan, options, shell)]);
  // A plan that is not found is one of the problems already.
  const models = await examineProviders(ofPlan.plan, shell);
  const diagnosis = { machine, models, ...ofPlan };
  if (options.json === true) shell.out.json(diagnosis);
  else writeDiagnosis(diagnosis, shell);
  if (diagnosis.problems.length > 0) return exitCodes.planInvalid;
  if (diagnosis.lockChanges.length > 0) return exitCodes.failed;
  return diagnosis.doubts.some(({ kind }) => kind !== "unused") ? exitCodes.failed : exitCodes.done;
}

async function examinePlan(
  plan: string | undefined,
  options: Options,
  shell: Shell,
): Promise<Omit<Diagnosis, "machine" | "models">> {
  const { examinePackages, inspectPlan } = await import("@toolmount/loader/commands");
  try {
    const inspected = await inspectPlan(plan, loaderOptions(options, shell));
    const modules = inspected.entries.map(({ id, section, version, path }) => ({
      id,
      section,
      version,
      path,
    }));
    const doubts = await examinePackages(inspected.entries, process.versions.node);
    const problems = [
      ...inspected.problems,
      ...inspected.entries.filter(({ required }) => !required).flatMap((entry) => entry.problems),
    ];
    const { file } = inspected.plan;
    const lockChanges = await findLockChanges(file, options, shell);
    return { plan: file, modules, doubts, problems, lockChanges };
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === undefined) throw error;
    return { plan: undefined, modules: [], doubts: [], problems, lockChanges: [] };
  }
}

/** A plan that cannot be mounted has no changes to review; what keeps it from that is reported as its problems. */
async function findLockChanges(
  plan: string | undefined,
  options: Options,
  shell: Shell,
): Promise<readonly LockChange[]> {
  if (!(await isLocked(plan, options))) return [];
  const result = await mountInProcess(plan, options, shell);
  return result.kind === "report" ? result.report.lockChanges : [];
}

const signs = {
  ok: { style: "green", sign: "✔" },
  missing: { style: "yellow", sign: "•" },
  "not yet": { style: "dim", sign: "–" },
} as const;

function writeDiagnosis(
  { machine, models, plan, modules, doubts, problems, lockChanges }: Diagnosis,
  shell: Shell,
): void {
  const { out, cwd } = shell;
  for (const { what, state, says } of machine) {
    const { style, sign } = signs[state];
    out.line(`${out.paint(style, sign)} ${what.padEnd(10)} ${printable(says)}`);
  }
  for (const row of models) {
    const { style, sign } = signs[row.isInstalled && row.hasKey ? "ok" : "missing"];
    out.line(`${out.paint(style, sign)} ${"model".padEnd(10)} ${row.name}: ${printable(describeLack(row))}`);
  }
  out.line();
  if (plan !== undefined) out.line(`${printable(shortPath(plan, cwd))}: ${countModules(modules)}`);
  for (const { id, version, path } of modules)
    out.line(
      `  ${printable(id)}  ${out.paint("dim", printable([version, path && shortPath(path, cwd)].filter(Boolean).join("  ")))}`,
    );
  for (const { entry, problem, hint } of doubts)
    out.line(
      `${out.paint("yellow", "•")} ${printable(entry)}: ${printable(problem)}${hint === undefined ? "" : `; ${printable(hint)}`}`,
    );
  writeDrift(out, lockChanges);
  if (problems.length > 0) out.line();
  writeProblems(out, problems, cwd);
}

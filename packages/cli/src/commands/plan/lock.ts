import type { LockChange } from "@toolmount/loader";
import type { LockReport } from "@toolmount/loader/commands";
import type { Command } from "commander";
import { countOf } from "../../screen/count.ts";
import { addExamples, collect, jsonOption, planArgument } from "../../options/common.ts";
import { reportingOptions } from "../../host/loader-options.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { printable } from "../../screen/printable.ts";
import { differenceText, writeLockChanges } from "../../render/lock-changes.ts";
import { shortPath, writeProblems } from "../../render/problems.ts";
import type { Screen } from "../../screen/screen.ts";
import type { Shell } from "../../process/shell.ts";
import { usageError } from "../../process/usage-error.ts";
import { withStatus } from "../../process/with-status.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly check?: true;
  readonly accept?: true;
  readonly tool?: readonly string[];
}

/** `toolmount lock [plan]`: records the tools, scripts and skills in a lock file, and reports changes. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option("--check", "write nothing; fail when a tool, a script or a skill differs from the lock file")
    .option("--accept", "accept the tools, scripts and skills as they are now")
    .option(
      "--tool <name>",
      "with --accept: accept only this tool, or the tools of this module; may be given again",
      collect,
    )
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await lock(plan, options, shell));
    });
  addExamples(command, [
    "toolmount lock mount-plans/mine.yaml",
    "toolmount lock --check",
    "toolmount lock --accept",
    "toolmount lock --accept --tool read_note",
  ]);
}

async function lock(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { lockPlan } = await import("@toolmount/loader/commands");
  const { check, tool } = options;
  if (tool !== undefined && options.accept !== true)
    throw usageError("--tool says what --accept accepts; add --accept");
  const accept = tool ?? options.accept;
  const report = await withStatus(shell, "reading definitions", (inner) =>
    lockPlan(plan, { ...reportingOptions(options, inner), accept, check }),
  );
  if (options.json === true) shell.out.json(report);
  else writeReport(report, shell);
  if (tool !== undefined && options.json !== true) writeRest(report, shell);
  const matches = report.exists && report.changes.length === 0 && report.files.length === 0;
  // Modules that did not answer were neither locked nor compared, so the command fails.
  const isWhole = report.leftOut.length === 0;
  // Merging both sides of a conflict accepts only what one of them had accepted. So the command succeeds only if it wrote the
  // merged file and no tool differs from it, or if `--accept` was given.
  const isDone =
    report.conflict === undefined
      ? report.written || matches
      : report.written && (accept !== undefined || matches);
  return isWhole && isDone ? exitCodes.done : exitCodes.failed;
}

function writeReport(report: LockReport, { out, cwd }: Shell): void {
  const { file, exists, changes, files, written, leftOut } = report;
  for (const { module, problem } of leftOut)
    out.line(`${out.paint("yellow", "⚠")} ${printable(`left out: ${module}; ${problem}`)}`);
  if (report.conflict !== undefined) writeConflict(report.conflict, out);
  if (exists) writeLockChanges(out, changes);
  writeProblems(out, files, cwd);
  const name = printable(shortPath(file, cwd));
  const milder = milderTools(changes);
  if (milder.length > 0)
    out.line(out.paint(["bold", "red"], `⚠ needs less care now, by its own word: ${milder.join(", ")}`));
  const away = leftOut.length === 0 ? "" : `, without ${countOf(leftOut, "module")} that did not answer`;
  const mark = leftOut.length === 0 ? out.paint("green", "✔") : out.paint("yellow", "⚠");
  if (written) out.line(`${mark} ${name} is written${away}`);
  else if (!exists && leftOut.length > 0)
    out.line(
      `${out.paint("red", "✖")} ${name} is not written: no module answered; start them, then run toolmount lock again`,
    );
  else if (!exists) out.line(`${out.paint("red", "✖")} ${name} does not exist`);
  else if (files.length > 0)
    out.line(
      `${out.paint("red", "✖")} ${countOf(files, "file")} changed since ${name}; review, then run toolmount lock --accept`,
    );
  else if (changes.length === 0) out.line(`${mark} ${name} matches${away}`);
  else
    out.line(
      `${out.paint("red", "✖")} ${differenceText(changes, name)}; review, then run toolmount lock --accept${changes.length > 1 ? ", or for a tool or a module --accept --tool <name>" : ""}`,
    );
}

/** Writes the tools in which the two sides of a merge conflict differ: `before` is our side, `now` is theirs. */
function writeConflict(conflict: readonly LockChange[], out: Screen): void {
  const which = conflict.length === 0 ? "; no tool differs in both" : "; both sides differ in:";
  out.line(
    out.paint("yellow", `⚠ the lock file has a merge conflict: both sides are merged by name${which}`),
  );
  writeLockChanges(out, conflict);
}

/** Writes the tools that still differ from the lock after `--tool` accepted others. */
function writeRest({ changes }: LockReport, { out }: Shell): void {
  if (changes.length > 0) out.line(`still denied: ${changes.map((one) => printable(one.tool)).join(", ")}`);
}

/** Returns the names of tools that now claim to need less care than before. */
function milderTools(changes: LockReport["changes"]): string[] {
  return changes
    .filter(({ differences }) => differences.some(({ care }) => care === "less"))
    .map(({ tool }) => printable(tool));
}

import type { PlanPosition } from "@toolmount/core";
import type { Command } from "commander";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { loaderOptions } from "../../host/loader-options.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { printableLines } from "../../screen/printable.ts";
import { shortPath, writeProblems } from "../../render/problems.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
}

/** `toolmount print [plan]`: prints the plan with its included parts merged, and the file and line of each value. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await print(plan, options, shell));
    });
  addExamples(command, ["toolmount print --env production"]);
}

async function print(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { readEffectivePlan } = await import("@toolmount/loader/commands");
  const effective = await readEffectivePlan(plan, loaderOptions(options, shell));
  const place = ({ file, line }: PlanPosition) => `${shortPath(file, shell.cwd)}:${line}`;
  if (options.json === true) {
    const { files, value, values, problems } = effective;
    shell.out.json({ files, plan: value, values, problems });
  } else {
    for (const file of effective.files)
      shell.out.line(shell.out.paint("dim", `# ${shortPath(file, shell.cwd)}`));
    shell.out.line(printableLines(await effective.toYaml(place)).trimEnd());
    writeProblems(shell.err, effective.problems, shell.cwd);
  }
  return effective.problems.length === 0 ? exitCodes.done : exitCodes.planInvalid;
}

import { systemClock } from "@toolmount/core";
import { auditSinkOf } from "@toolmount/record/internal";
import type { Command } from "commander";
import { listPrograms } from "../../host/find-program.ts";
import { withPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { writePrograms } from "../../render/program.ts";

interface Options extends PlanOptions {
  readonly json?: true;
}

/** How many of the newest programs the list shows. */
const maxListed = 50;

/** `toolmount program list [plan]`: lists the programs that the audit recorded, the newest first. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      const programs = await withPlan(plan, options, shell, (host) =>
        listPrograms(host, auditSinkOf(host), maxListed),
      );
      if (options.json === true) shell.out.json(programs);
      else writePrograms(shell.out, programs, systemClock.now());
      shell.end(exitCodes.done);
    });
  addExamples(command, ["toolmount program list --json"]);
}

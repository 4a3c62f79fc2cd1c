import { systemClock } from "@toolmount/core";
import { auditSinkOf } from "@toolmount/record/internal";
import type { Command } from "commander";
import { findProgram } from "../../host/find-program.ts";
import { withPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { exitCodes } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { writeProgram } from "../../render/program.ts";

interface Options extends PlanOptions {
  readonly json?: true;
}

/** `toolmount program show [id] [plan]`: shows a program's source, its calls, and for what it waits. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[id]", "the id that list shows, or the beginning of it; or of a question; default: the newest")
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (id: string | undefined, plan: string | undefined, options: Options) => {
      const shown = await withPlan(plan, options, shell, (host) =>
        findProgram(host, auditSinkOf(host), id ?? null),
      );
      if (options.json === true) shell.out.json(shown);
      else writeProgram(shell.out, shown, systemClock.now());
      shell.end(exitCodes.done);
    });
  addExamples(command, ["toolmount program show 5f0c", "toolmount program show --plan plan.yaml"]);
}

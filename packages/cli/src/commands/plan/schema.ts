import type { Command } from "commander";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { loaderOptions } from "../../host/loader-options.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes } from "../../process/exit-codes.ts";

/**
 * `toolmount print schema [plan]`: prints the JSON Schema of plans for editors. It includes the config of each module of this
 * plan.
 */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: PlanOptions) => {
      await schema(plan, options, shell);
      shell.end(exitCodes.done);
    });
  addExamples(command, ["toolmount print schema mount-plans/coding.yaml > mount-plan.schema.json"]);
}

async function schema(plan: string | undefined, options: PlanOptions, shell: Shell): Promise<void> {
  const { inspectPlan } = await import("@toolmount/loader/commands");
  const { composeOurs } = await import("../../schema/ours.ts");
  const { entries } = await inspectPlan(plan, loaderOptions(options, shell));
  const modules = new Map(
    entries.flatMap(({ name, configSchema }) =>
      name === undefined || configSchema === undefined
        ? []
        : [[name, { name, config: configSchema }] as const],
    ),
  );
  shell.out.json(await composeOurs([...modules.values()]));
}

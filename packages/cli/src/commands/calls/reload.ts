import type { Command } from "commander";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import type { Shell } from "../../process/shell.ts";

/** `toolmount serve reload [plan]`: asks all servers that share the plan's store to mount the changed plan. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: PlanOptions & { readonly json?: true }) => {
      const { reloadServers } = await import("../fleet/servers.ts");
      shell.end(await reloadServers(plan, options, shell));
    });
  addExamples(command, ["toolmount serve reload mount-plans/coding.yaml"]);
}

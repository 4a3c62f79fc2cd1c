import type { Command } from "commander";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { reportEdit } from "../../render/edit.ts";
import type { Shell } from "../../process/shell.ts";

/** `toolmount remove <entry> [plan]`: removes an entry from the plan's file, and leaves the rest as it is. */
export function define(command: Command, shell: Shell): void {
  command
    .argument("<entry>", "the id of an entry, or its module")
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (id: string, plan: string | undefined, { json }: { readonly json?: true }) => {
      const { removeEntry } = await import("../../edit/edit-plan.ts");
      reportEdit(await removeEntry(plan, id, { cwd: shell.cwd }), shell, json === true);
    });
  addExamples(command, ["toolmount remove filesystem", "toolmount remove github mount-plans/mine.yaml"]);
}

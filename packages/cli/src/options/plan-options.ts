import type { Command } from "commander";
import { collect, jsonOption } from "./common.ts";

/** Options about the parts of a plan. */
export interface PlanOptions {
  readonly env?: readonly string[];
}

/** Adds `--env`, which may be given several times. */
export function addPlanOptions(command: Command): Command {
  return command.option(
    "--env <name>",
    "lay mount-plan.<name>.yaml over mount-plan.yaml; may be given again",
    collect,
  );
}

/** Adds a command about a plan below another one, such as `approvals list`, which also runs if its own word is omitted. */
export function addPlanSubcommand(command: Command, name: string, summary: string): Command {
  const added = command.command(name, { isDefault: name === "list" });
  return addPlanOptions(added.summary(summary).description(`${summary}.`)).option(...jsonOption);
}

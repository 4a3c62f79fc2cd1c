import type { Command } from "commander";
import { collect, jsonOption } from "./common.ts";

/** The overlays that are laid over the plan. */
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

/**
 * Adds a subcommand about a plan, such as `approvals list`. One with the name `list` also runs if the word `list` is left out.
 */
export function addPlanSubcommand(command: Command, name: string, summary: string): Command {
  const added = command.command(name, { isDefault: name === "list" });
  return addPlanOptions(added.summary(summary).description(`${summary}.`)).option(...jsonOption);
}

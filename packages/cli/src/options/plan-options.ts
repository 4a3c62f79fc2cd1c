import type { Command } from "commander";
import { collect } from "./common.ts";

/** What commands that take a plan say of its layers. */
export interface PlanOptions {
  readonly env?: readonly string[];
}

/** Adds `--env`, which may be given several times. */
export function addPlanOptions(command: Command): Command {
  return command.option("--env <name>", "lay plan.<name>.yaml over plan.yaml; may be given again", collect);
}

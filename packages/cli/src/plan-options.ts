import type { OpenHostOptions } from "@toolmount/loader";
import type { Command } from "commander";
import { extensions } from "./extensions.ts";
import { createTerminalLogger } from "./terminal-logger.ts";
import type { Shell } from "./shell.ts";

/** What commands that take a plan say of its layers. */
export interface PlanOptions {
  readonly env?: readonly string[];
}

/** Adds `--env`, which may be given several times. */
export function addPlanOptions(command: Command): Command {
  return command.option(
    "--env <name>",
    "lay plan.<name>.yaml over plan.yaml; may be given again",
    (name: string, before: readonly string[] | undefined) => [...(before ?? []), name],
  );
}

/** What the loader is handed by a command. */
export function loaderOptions({ env }: PlanOptions, shell: Shell): OpenHostOptions {
  return {
    env: shell.env,
    cwd: shell.cwd,
    logger: createTerminalLogger(shell.err),
    extensions,
    overlays: env,
  };
}

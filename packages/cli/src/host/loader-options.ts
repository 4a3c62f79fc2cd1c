import type { OpenHostOptions } from "@toolmount/loader";
import { extensions } from "./extensions.ts";
import type { PlanOptions } from "../options/plan-options.ts";
import type { Shell } from "../process/shell.ts";
import { createTerminalLogger } from "./terminal-logger.ts";

/** The parts of a shell that the loader needs. */
export type LoaderShell = Pick<Shell, "env" | "cwd" | "settings" | "err">;

/** Returns what the loader is handed by a command. */
export function loaderOptions({ env }: PlanOptions, shell: LoaderShell): OpenHostOptions {
  return {
    env: shell.env,
    cwd: shell.cwd,
    logger: createTerminalLogger(shell.err, shell.settings.verbosity),
    extensions,
    overlays: env,
  };
}

import type { OpenHostOptions } from "@toolmount/loader";
import { extensions } from "./extensions.ts";
import type { PlanOptions } from "../options/plan-options.ts";
import type { Shell } from "../process/shell.ts";
import { createTerminalLogger, withoutFailures } from "./terminal-logger.ts";

/** The parts of a shell that the loader needs. */
export type LoaderShell = Pick<Shell, "env" | "cwd" | "settings" | "err">;

/** Returns the options for a command that itself reports what could not be mounted, so that it is not logged too. */
export function reportingOptions(options: PlanOptions, shell: LoaderShell): OpenHostOptions {
  const logger = createTerminalLogger(shell.err, shell.settings.verbosity);
  return { ...loaderOptions(options, shell), logger: withoutFailures(logger) };
}

/** Returns the options that a command gives to the loader. */
export function loaderOptions({ env }: PlanOptions, shell: LoaderShell): OpenHostOptions {
  return {
    env: shell.env,
    cwd: shell.cwd,
    logger: createTerminalLogger(shell.err, shell.settings.verbosity),
    extensions,
    overlays: env,
  };
}

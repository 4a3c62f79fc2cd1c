import type { OpenHostOptions } from "@toolmount/loader";
import { extensions } from "./extensions.ts";
import type { PlanOptions } from "../options/plan-options.ts";
import type { Shell } from "../process/shell.ts";
import { createTerminalLogger, withoutFailures } from "./terminal-logger.ts";

/** The parts of a shell that the loader needs. */
export type LoaderShell = Pick<Shell, "env" | "cwd" | "settings" | "err">;

/** Returns the options for a command that itself shows which modules could not be mounted, so that the log leaves this out. */
export function reportingOptions(options: PlanOptions, shell: LoaderShell): OpenHostOptions {
  const logger = createTerminalLogger(shell.err, shell.settings.verbosity);
  return { ...loaderOptions(options, shell), logger: withoutFailures(logger) };
}

/** Returns the loader's options for a command: the environment, the current folder, a log on the terminal, and the overlays. */
export function loaderOptions({ env }: PlanOptions, shell: LoaderShell): OpenHostOptions {
  return {
    env: shell.env,
    cwd: shell.cwd,
    logger: createTerminalLogger(shell.err, shell.settings.verbosity),
    extensions,
    overlays: env,
  };
}

import { ToolmountError } from "@toolmount/core/errors";
import type { Command } from "commander";
import type { Shell, Verbosity } from "../process/shell.ts";

interface GlobalOptions {
  readonly plan?: string;
  readonly quiet?: true;
  readonly verbose?: true;
  readonly debug?: true;
}

/** Adds the options that every command has. They may be before or after the command's name. */
export function addGlobalOptions(program: Command): void {
  program
    .option("--plan <path>", "the plan, as an option; the same as the argument [plan]")
    .option("-q, --quiet", "log errors only, no warnings")
    .option("--verbose", "log also what modules and tools log")
    .option("--debug", "log everything, with fields and stacks");
}

/**
 * Puts the global options into the shell's settings. If a command's last argument is the plan, `--plan` also becomes that
 * argument.
 */
export function applyGlobalOptions(program: Command, command: Command, { settings }: Shell): void {
  const options = program.opts<GlobalOptions>();
  settings.verbosity = verbosityOf(options);
  settings.plan = options.plan;
  if (options.plan === undefined) return;
  // Commands whose last argument is not the plan read it from the settings.
  const index = command.registeredArguments.length - 1;
  if (command.registeredArguments[index]?.name() !== "plan") return;
  if (command.processedArgs[index] !== undefined)
    throw new ToolmountError("USAGE_INVALID", {
      problem: "the plan is given twice, by --plan and as an argument; give it once",
    });
  command.processedArgs[index] = options.plan;
}

function verbosityOf({ quiet, verbose, debug }: GlobalOptions): Verbosity {
  if (debug === true) return "debug";
  if (verbose === true) return "verbose";
  return quiet === true ? "quiet" : "normal";
}

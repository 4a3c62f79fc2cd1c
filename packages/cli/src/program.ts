import { readFileSync } from "node:fs";
import { ToolmountError } from "@toolmount/core/errors";
import { Command, CommanderError } from "commander";
import { commands } from "./commands.ts";
import { reportFailure } from "./render/failure.ts";
import type { Screen } from "./screen/screen.ts";
import { exitCodes, type Shell } from "./process/shell.ts";

/** Reads a command line and does what it says. Never throws: what went wrong is told, and ends the shell. */
export async function runProgram(words: readonly string[], shell: Shell): Promise<void> {
  try {
    const program = createProgram(shell);
    await addCommands(program, words, shell);
    if (words.length === 0) program.help({ error: true });
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const told = error instanceof CommanderError ? usageError(error) : error;
    if (told !== null) shell.end(reportFailure(told, shell, words.includes("--json")));
    else shell.end(exitCodes.wrongUsage);
  }
}

function createProgram(shell: Shell): Command {
  return new Command("toolmount")
    .description("Mounts the tools that a plan names, lists them, calls them.")
    .version(readVersion(), "-V, --version")
    .helpOption("-h, --help", "Show this help")
    .helpCommand("help [command]", "Show the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.out.line(text.trimEnd()),
      writeErr: (text) => shell.err.line(text.trimEnd()),
      // Errors are told in one place, for people or for programs.
      outputError: () => {},
      getOutHelpWidth: () => shell.out.columns ?? 100,
      getErrHelpWidth: () => shell.err.columns ?? 100,
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    })
    .configureHelp(helpStyles(shell.out));
}

function helpStyles(screen: Screen) {
  const name = (text: string) => screen.paint("cyan", text);
  return {
    styleTitle: (text: string) => screen.paint("bold", text),
    styleCommandText: name,
    styleSubcommandTerm: name,
    styleOptionTerm: name,
    styleArgumentTerm: name,
  };
}

/** Adds every command by name, and the whole of the one that is asked for. */
async function addCommands(program: Command, words: readonly string[], shell: Shell): Promise<void> {
  const [first, second] = words.filter((word) => !word.startsWith("-"));
  const wanted = first === "help" ? second : first;
  for (const { name, summary, load } of commands) {
    const command = program.command(name).description(`${summary}.`).summary(summary);
    command.helpOption("-h, --help", "Show this help");
    if (name === wanted) (await load()).define(command, shell);
  }
}

/** What commander has to say; null when it has already shown the help instead. */
function usageError(error: CommanderError): ToolmountError | null {
  if (error.code === "commander.help") return null;
  const problem = error.message
    .replace(/^error: /, "")
    .replace(/\.$/, "")
    .replaceAll("\n", " ");
  return new ToolmountError("USAGE_INVALID", { problem: `${problem}; toolmount --help shows what there is` });
}

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return manifest.version;
}

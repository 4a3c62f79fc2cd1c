import { ToolmountError } from "@toolmount/core/errors";
import { Command, CommanderError } from "commander";
import { commandGroups, type CommandRow } from "./commands.ts";
import { addGlobalOptions, applyGlobalOptions } from "./options/global-options.ts";
import { reportFailure } from "./render/failure.ts";
import type { Screen } from "./screen/screen.ts";
import { fullNames, isName, namesOf, shortNames } from "./options/full-names.ts";
import { readOwnVersion } from "./process/own-version.ts";
import type { Shell } from "./process/shell.ts";
import { exitCodes } from "./process/exit-codes.ts";

/** Runs a command line. Never throws, but reports an error and sets the exit code. */
export async function runProgram(given: readonly string[], shell: Shell): Promise<void> {
  const words = fullNames(given);
  const isShort = asksForShortHelp(words);
  const program = createProgram(shell, isShort ? shortEnd : helpEnd);
  try {
    if (words[0] === "completion-server") return await complete(program, shell);
    if (words.length === 0) return await lookFirst(shell);
    await refuseHelp(words);
    await addCommands(program, isShort ? dailyRows : rowsFor(words), words, shell);
    if (isShort || isAll(words)) return program.outputHelp();
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const failure = error instanceof CommanderError ? usageError(error, program, words) : error;
    if (failure === null) shell.end(exitCodes.wrongUsage);
    else shell.end(reportFailure(failure, shell, words.includes("--json")));
  }
}

/** Shows what exists here, and runs the command that the person then chooses, if any. */
async function lookFirst(shell: Shell): Promise<void> {
  const { takeFirstLook } = await import("./commands/first-look.ts");
  const next = await takeFirstLook(shell);
  if (next !== null) await runProgram(next, shell);
}

/** Answers the user's own shell, such as bash, when it asks how the typed line can continue (Tab completion). */
async function complete(program: Command, shell: Shell): Promise<void> {
  const { answerShell, readTypedWords } = await import("./completion-server.ts");
  const [first = "", ...rest] = readTypedWords(shell.env);
  // The last word is still being typed, so it is not replaced even if it is a short name.
  const typed = rest.length === 0 ? [first] : [...namesOf(first), ...rest];
  await addCommands(program, allRows, typed, shell);
  await answerShell(program, typed, shell);
}

function createProgram(shell: Shell, helpEnding: string): Command {
  const program = new Command("toolmount")
    .usage("<command> [options]")
    .description("Mounts the tools that a plan names, lists them, calls them.")
    .version(readOwnVersion(), "-V, --version", "Show the version")
    .helpOption("-h, --help", "Show this help")
    .helpCommand("help [command]", "Show the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.out.line(text.trimEnd()),
      writeErr: (text) => shell.err.line(text.trimEnd()),
      // `runProgram` reports errors, for people or for programs.
      outputError: () => {},
      getOutHelpWidth: () => shell.out.columns ?? 100,
      getErrHelpWidth: () => shell.err.columns ?? 100,
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    })
    .configureHelp({ ...helpStyles(shell.out), showGlobalOptions: true })
    .addHelpText("after", helpEnding);
  addGlobalOptions(program);
  return program.hook("preAction", (_program, command) => applyGlobalOptions(program, command, shell));
}

/** Tests whether the line consists only of a word for help. Then the help shows only the daily commands. */
function asksForShortHelp([first = "", ...more]: readonly string[]): boolean {
  return more.length === 0 && ["help", "--help", "-h"].includes(first);
}

/** Throws `USAGE_INVALID` for `help` with an unknown command. Otherwise commander would show the help of all commands. */
async function refuseHelp([first, second]: readonly string[]): Promise<void> {
  const names = allRows.map(({ name }) => name);
  if (first !== "help" || second === undefined || second.startsWith("-") || names.includes(second)) return;
  const { nearestNames } = await import("@toolmount/core/text");
  const [near] = nearestNames(second, [...names, ...Object.keys(shortNames)]);
  const hint = near === undefined ? "toolmount help --all lists them" : `did you mean ${near}?`;
  throw new ToolmountError("USAGE_INVALID", { problem: `there is no command "${second}"; ${hint}` });
}

/** Tests whether the line begins with `help --all`. */
function isAll([first, second]: readonly string[]): boolean {
  return first === "help" && second === "--all";
}

/** The text below the daily commands. */
const shortEnd = `
Begin with toolmount init. Each command has examples: toolmount help <command>
All commands: toolmount help --all`;

/** The text below the help of all commands: environment variables and exit codes. */
const helpEnd = `
Environment:
  OPENAI_API_KEY, OPENAI_BASE_URL  the model server, where the plan names none
  NO_COLOR, FORCE_COLOR            colours off, or on without a terminal

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 pending, 78 invalid plan, 130 interrupted by Ctrl-C
Begin with toolmount init. Each command has examples: toolmount help <command>
Pages: README.md of this package, and docs/ in the repository`;

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

type Row = CommandRow & { readonly title: string };

const allRows: readonly Row[] = commandGroups.flatMap(({ title, commands }) =>
  commands.map((row) => ({ ...row, title })),
);

/** The commands that people use daily. `toolmount --help` shows these, and `toolmount help --all` shows every command. */
export const dailyCommands: readonly string[] =
  "init add check list test call serve approvals audit chat".split(" ");

const dailyRows = allRows.filter(({ name }) => dailyCommands.includes(name));

/**
 * Returns the commands to define: only the one with which the line begins; for any other line all of them, because help and
 * errors list them.
 */
function rowsFor([first]: readonly string[]): readonly Row[] {
  const named = allRows.filter(({ name }) => name === first);
  return named.length > 0 ? named : allRows;
}

/** Adds the names of commands. Only the requested command also gets its options and arguments. */
async function addCommands(
  program: Command,
  rows: readonly Row[],
  words: readonly string[],
  shell: Shell,
): Promise<void> {
  const named = words.filter((word, at) => isName(word, words[at - 1]));
  const [wanted, inner] = named[0] === "help" ? named.slice(1) : named;
  for (const row of rows) {
    const command = addRow(program, row).helpGroup(row.title);
    if (row.name === wanted) await defineRow(command, row, inner, shell);
  }
}

function addRow(parent: Command, { name, summary, hidden = false }: CommandRow): Command {
  return parent.command(name, { hidden }).description(`${summary}.`).summary(summary);
}

/**
 * Defines a command or, if the line names one of its subcommands, that subcommand. The upper command then gets no options,
 * because it would consume those of the subcommand.
 */
async function defineRow(
  command: Command,
  { load, commands = [] }: CommandRow,
  inner: string | undefined,
  shell: Shell,
): Promise<void> {
  const below = commands.find(({ name }) => name === inner);
  if (below === undefined) (await load()).define(command, shell);
  for (const row of commands) {
    const added = addRow(command, row);
    if (row === below) (await row.load()).define(added, shell);
  }
}

/** Returns our error for an error of commander; null if commander has shown the help instead. */
function usageError(
  error: CommanderError,
  program: Command,
  words: readonly string[],
): ToolmountError | null {
  if (error.code === "commander.help") return null;
  const problem = error.message
    .replace(/^error: /, "")
    .replace(/^command-argument value ('.*') is invalid for argument '([\w-]+)'/s, "$1 is not valid for <$2>")
    .replace(/\.$/, "")
    .replaceAll("\n", " ");
  const named = namedCommands(program, words);
  const command = ["toolmount", ...named, "--help"].join(" ");
  return new ToolmountError("USAGE_INVALID", {
    problem: `${problem}${meant(problem, words)}; see ${command}`,
  });
}

/**
 * Returns a hint for a likely mistake: an argument of a tool that is written as an option, or a name that other programs have
 * for a command.
 */
function meant(problem: string, words: readonly string[]): string {
  const [, option = ""] = /^unknown option '--([\w-]+)/.exec(problem) ?? [];
  if (words[0] === "call" && option !== "") {
    const value = words[words.indexOf(`--${option}`) + 1] ?? "…";
    return `; an argument of a tool is written ${option}=${value}`;
  }
  const [, word = ""] = /^unknown command '([\w-]+)'$/.exec(problem) ?? [];
  return Object.hasOwn(otherWords, word) ? `; did you mean toolmount ${otherWords[word]}?` : "";
}

const otherWords: Readonly<Record<string, string>> = {
  tools: "list",
  ls: "list",
  show: "describe",
  start: "serve",
  exec: "call",
  prompt: "run",
};

/** Returns the names of the command and subcommands with which a line begins, such as `policy suggest`. */
function namedCommands({ commands }: Command, [word, ...rest]: readonly string[]): readonly string[] {
  const command = commands.find((one) => one.name() === word);
  return command === undefined ? [] : [command.name(), ...namedCommands(command, rest)];
}

import tabtab from "@pnpm/tabtab";
import type { Command } from "commander";
import type { Shell } from "./process/shell.ts";

/** A word with which the typed line can continue. */
interface Candidate {
  readonly name: string;
  readonly description: string;
}

/** Commands whose first argument may be a tool. */
const withTool: ReadonlySet<string> = new Set(["call", "describe", "why"]);

/** Returns the typed words up to the cursor, without the command's name. The last word is incomplete, and may be empty. */
export function readTypedWords(env: Shell["env"]): string[] {
  const line = env["COMP_LINE"] ?? "";
  const point = Number(env["COMP_POINT"]);
  const typed = line.slice(0, Number.isInteger(point) ? point : line.length);
  return typed.trimStart().split(/\s+/).slice(1);
}

/**
 * Answers the user's own shell, such as bash, when it asks how the typed line can continue. If nothing fits, the shell offers
 * file names.
 */
export async function answerShell(program: Command, words: readonly string[], shell: Shell): Promise<void> {
  const last = words.at(-1) ?? "";
  const all = await findCandidates(program, words, shell);
  const fitting = all.filter(({ name }) => name.startsWith(last));
  tabtab.log(fitting, tabtab.getShellFromEnv(shell.env), (text) => shell.out.line(text));
}

async function findCandidates(
  program: Command,
  words: readonly string[],
  shell: Shell,
): Promise<readonly Candidate[]> {
  const [first = "", ...rest] = words;
  if (rest.length === 0) return first.startsWith("-") ? optionsOf(program) : commandsOf(program);
  const command = program.commands.find((known) => known.name() === first);
  if (command === undefined) return [];
  const below = command.commands.find((known) => known.name() === rest[0] && rest.length > 1);
  const last = rest.at(-1)!;
  if (last.startsWith("-")) return [...optionsOf(below ?? command), ...optionsOf(program)];
  const choices = (below ?? command).options.find(({ long }) => long === rest.at(-2))?.argChoices;
  if (choices !== undefined) return choices.map((name) => ({ name, description: "" }));
  if (withTool.has(first)) return listTools(shell);
  if (below !== undefined) return argumentChoices(below, rest.slice(1));
  return [...(rest.length === 1 ? commandsOf(command) : []), ...argumentChoices(command, rest)];
}

function commandsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((known) => ({ name: known.name(), description: known.summary() }));
}

function optionsOf(command: Command): Candidate[] {
  return command.options.flatMap(({ long, description }) => (long ? [{ name: long, description }] : []));
}

function argumentChoices({ registeredArguments }: Command, words: readonly string[]): Candidate[] {
  const choices = registeredArguments[words.length - 1]?.argChoices ?? [];
  return choices.map((name) => ({ name, description: "" }));
}

/** Lists the tools of the nearest plan from manifests, because pressing Tab must not run code of a module. */
async function listTools({ cwd }: Shell): Promise<Candidate[]> {
  const { listPlan } = await import("@toolmount/loader/list");
  const listed = await listPlan(undefined, { cwd }).catch(() => undefined);
  return (listed?.entries ?? []).flatMap(({ tools }) =>
    (tools ?? []).map(({ name, summary, description }) => ({ name, description: summary ?? description })),
  );
}

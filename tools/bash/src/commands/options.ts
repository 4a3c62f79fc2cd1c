import type { Finding } from "../script/finding.ts";
import { gitSubcommands, optionTable, type OptionRule } from "./option-table.ts";
import type { ShellWord } from "../script/words.ts";

/** Looks for options that run a program or write a file. `name` is the command without its folder. */
export function judgeOptions(name: string, command: readonly ShellWord[]): Finding | null {
  if (name === "git") return judgeGit(command);
  const rule = optionTable.get(name);
  if (rule === undefined) return null;
  return (name === "tar" ? judgeOldTar(command[1]) : null) ?? judgeBy(rule, name, command.slice(1));
}

/** The first word of tar may be a bundle without a dash; its folder, program and script then stand further on. */
function judgeOldTar(word: ShellWord | undefined): Finding | null {
  const value = word?.value ?? "-";
  return !value.startsWith("-") && /[IFC]/.test(value)
    ? found(`"tar ${value}" runs or writes elsewhere`)
    : null;
}

/** Options before git's subcommand are git's, those behind it the subcommand's. */
function judgeGit(command: readonly ShellWord[]): Finding | null {
  const at = command.findIndex(({ value }, index) => index > 0 && value?.startsWith("-") !== true);
  const own = command.slice(1, at === -1 ? undefined : at);
  const objection = judgeBy(optionTable.get("git")!, "git", own);
  if (objection !== null || at === -1) return objection;
  const subcommand = command[at]!.value;
  if (subcommand === null || !gitSubcommands.has(subcommand))
    return found(`what "git ${command[at]!.text}" runs is not known: it may be an alias`);
  return judgeBy(optionTable.get(`git ${subcommand}`) ?? {}, `git ${subcommand}`, command.slice(at + 1));
}

function judgeBy(rule: OptionRule, name: string, words: readonly ShellWord[]): Finding | null {
  for (const word of words) {
    if (word.value === "--") return null;
    if (word.value === null && (word.prefix === "" || word.prefix.startsWith("-")))
      return found(`${word.text} may become an option of "${name}"`);
    if (isNamed(rule, word.value ?? word.prefix))
      return found(`"${name}" with ${word.text} runs a program or writes a file`);
  }
  return null;
}

function isNamed({ short = "", long = [], words = [] }: OptionRule, value: string): boolean {
  if (!value.startsWith("-") || value === "-") return false;
  const [option] = value.split("=", 1);
  if (words.some((word) => option === word || value.startsWith(`${word}:`))) return true;
  if (option!.startsWith("--")) return option!.length > 3 && long.some((each) => each.startsWith(option!));
  return value
    .slice(1)
    .split("")
    .some((letter) => short.includes(letter));
}

function found(reason: string): Finding {
  return { kind: "option", reason, hint: "leave that option out, or let a person approve the command" };
}

import type { Finding } from "../script/finding.ts";
import type { ShellWord } from "../script/words.ts";
import { coreutilsOptions, type KnownOptions } from "./coreutils-options.ts";
import { gitLetters, gitLongOptions } from "./git-options.ts";
import { gitSubcommands, optionTable, runningSubcommands, type OptionRule } from "./option-table.ts";

/**
 * Finds options that run a program or write a file, and options that are not known. `name` is the command
 * without its folder.
 */
export function judgeOptions(name: string, command: readonly ShellWord[]): Finding | null {
  if (name === "git") return judgeGit(command);
  const words = command.slice(1);
  const rule = optionTable.get(name);
  const objection =
    (rule === undefined ? null : judgeBy(rule, name, words)) ??
    judgeSubcommand(name, words) ??
    (name === "tar" ? judgeOldTar(words[0]) : null) ??
    (/^g?make$/.test(name) ? judgeMake(words) : null);
  if (objection !== null) return objection;
  const known = coreutilsOptions.get(name);
  return known === undefined ? null : judgeUnknown(known, name, words);
}

/** Judges the first word of tar, which may combine options without a dash. Their values follow as words. */
function judgeOldTar(word: ShellWord | undefined): Finding | null {
  const value = word?.value ?? "-";
  return !value.startsWith("-") && /[IFCP]/.test(value)
    ? found(`"tar ${value}" runs a program or writes elsewhere`)
    : null;
}

/** Judges make, which expands functions such as `$(shell …)` in variables and targets. */
function judgeMake(words: readonly ShellWord[]): Finding | null {
  const word = words.find(({ value, prefix }) => /[$`]/.test(value ?? prefix));
  return word === undefined ? null : found(`make expands ${word.text}, which may run a program`);
}

function judgeSubcommand(name: string, words: readonly ShellWord[]): Finding | null {
  const running = runningSubcommands.get(name);
  const word = words.find(({ value }) => value !== null && running?.test(value) === true);
  return word === undefined ? null : found(`"${name} ${word.text}" runs a program named in the command`);
}

/** Judges git. Options before the subcommand belong to git, and those after it to the subcommand. */
function judgeGit(command: readonly ShellWord[]): Finding | null {
  const at = command.findIndex(({ value }, index) => index > 0 && value?.startsWith("-") !== true);
  const own = command.slice(1, at === -1 ? undefined : at);
  const objection = judgeBy(optionTable.get("git")!, "git", own) ?? judgeUnknown(gitItself, "git", own);
  if (objection !== null || at === -1) return objection;
  const subcommand = command[at]!.value;
  if (subcommand === null || !gitSubcommands.has(subcommand))
    return found(`what "git ${command[at]!.text}" runs is not known: it may be an alias`);
  const name = `git ${subcommand}`;
  const rest = command.slice(at + 1);
  const letters = gitLetters.get(subcommand) ?? "";
  const valued = letters.replaceAll(/[^LSGUMBCnmF]/g, "");
  const known = { flags: letters, valued, long: gitLongOptions };
  return judgeBy(optionTable.get(name) ?? {}, name, rest) ?? judgeUnknown(known, name, rest);
}

const gitItself: KnownOptions = {
  flags: "vhP",
  valued: "",
  long: new Set(
    "version help no-pager no-optional-locks literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs bare html-path man-path info-path no-replace-objects no-lazy-fetch".split(
      " ",
    ),
  ),
};

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
  const [option] = value.split("=");
  if (words.some((word) => option === word || value.startsWith(`${word}:`))) return true;
  if (option!.startsWith("--")) return option!.length > 3 && long.some((each) => each.startsWith(option!));
  return value
    .slice(1)
    .split("")
    .some((letter) => short.includes(letter));
}

/** Finds an option that is not in the table. Abbreviations count as unknown, because their meaning is not known here. */
function judgeUnknown(known: KnownOptions, name: string, words: readonly ShellWord[]): Finding | null {
  for (const [at, { value, prefix, text }] of words.entries()) {
    const given = value ?? prefix;
    if (given === "--") return null;
    if (!given.startsWith("-") || given === "-") continue;
    // The value of an option may begin with a dash.
    if (at > 0 && takesNext(known, words[at - 1]!)) continue;
    if (!isKnown(known, given)) return found(`"${name}" with ${text} is not known here`);
  }
  return null;
}

function isKnown({ flags, valued, long }: KnownOptions, given: string): boolean {
  if (given.startsWith("--")) {
    const [option] = given.slice(2).split("=");
    return long.has(option!) || (option!.startsWith("no-") && long.has(option!.slice(3)));
  }
  for (const letter of given.slice(1)) {
    if (valued.includes(letter)) return true;
    if (!flags.includes(letter) && !/\d/.test(letter)) return false;
  }
  return true;
}

/** Whether a word is a short option whose value is the next word. */
function takesNext({ valued }: KnownOptions, { value }: ShellWord): boolean {
  if (value === null || !/^-[A-Za-z]+$/.test(value)) return false;
  const at = value
    .slice(1)
    .split("")
    .findIndex((letter) => valued.includes(letter));
  return at !== -1 && at === value.length - 2;
}

function found(reason: string): Finding {
  return { kind: "option", reason, hint: "omit that option, or let a person approve the command" };
}

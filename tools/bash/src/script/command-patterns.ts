import type { ShellWord } from "./words.ts";

/** A pattern for commands. It consists of words, in which `*` matches any text. */
export interface CommandPattern {
  readonly source: string;
  readonly words: readonly string[];
  /** Whether the pattern ends with ` *`, so that any number of further words may follow. */
  readonly open: boolean;
}

/** Parses a pattern such as `git push *`. */
export function parsePattern(source: string): CommandPattern {
  const words = source.trim().split(/\s+/);
  const open = words.length > 1 && words.at(-1) === "*";
  return { source, words: open ? words.slice(0, -1) : words, open };
}

/**
 * Whether a pattern certainly covers a command: word for word, case-sensitive, and without further words unless the pattern ends
 * with ` *`. A command that is given by its path is covered only if the pattern has a slash.
 */
export function covers({ words, open }: CommandPattern, command: readonly ShellWord[]): boolean {
  if (words.length === 1 && words[0] === "*") return true;
  if (open ? command.length < words.length : command.length !== words.length) return false;
  return words.every((pattern, at) => {
    const { value } = command[at]!;
    return value !== null && matchesText(pattern, value, at === 0 && !pattern.includes("/"));
  });
}

/**
 * Whether a pattern forbids a command; `maybe` if that depends on values that the shell fills in. The command's name is compared
 * without its folder and ignoring case. Options may stand anywhere, combined or not, and between the other words there may only
 * be options and their values.
 */
export function forbids({ words }: CommandPattern, command: readonly ShellWord[]): "yes" | "no" | "maybe" {
  const [name, ...rest] = words;
  if (!matchesText(name!.toLowerCase(), commandName(command[0]!).toLowerCase(), false)) return "no";
  const flags = hasFlags(
    rest.filter((word) => word.startsWith("-")),
    command,
  );
  const operands = hasOperands(
    rest.filter((word) => !word.startsWith("-") && word !== "*"),
    command,
  );
  if (flags === "no" || operands === "no") return "no";
  return flags === "yes" && operands === "yes" ? "yes" : "maybe";
}

/** Returns the command's name without its folder; empty if it is not known. */
export function commandName({ value }: ShellWord): string {
  return value === null ? "" : value.slice(value.lastIndexOf("/") + 1);
}

/** Whether a text matches a pattern, in which `*` fits any characters, except slashes if `oneName` is set. */
function matchesText(pattern: string, text: string, oneName: boolean): boolean {
  if (oneName && text.includes("/")) return false;
  const [first, ...pieces] = pattern.split("*");
  if (pieces.length === 0) return text === pattern;
  if (!text.startsWith(first!)) return false;
  const last = pieces.pop()!;
  let at = first!.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function hasFlags(flags: readonly string[], command: readonly ShellWord[]): "yes" | "no" | "maybe" {
  const unsure = command.some(
    ({ value, prefix }) => value === null && (prefix === "" || prefix.startsWith("-")),
  );
  const missing = flags.some((flag) => !hasFlag(flag, command));
  return missing ? (unsure ? "maybe" : "no") : "yes";
}

/** Whether a command has an option: `-rf` if both letters are in any of its words, `--force` also as `--force=…`. */
function hasFlag(flag: string, command: readonly ShellWord[]): boolean {
  const given = command.slice(1).flatMap(({ value }) => (value?.startsWith("-") === true ? [value] : []));
  if (flag.startsWith("--")) return given.some((word) => word === flag || word.startsWith(`${flag}=`));
  const letters = given.filter((word) => !word.startsWith("--")).join("");
  return (
    given.includes(flag) ||
    flag
      .slice(1)
      .split("")
      .every((letter) => letters.includes(letter))
  );
}

function hasOperands(patterns: readonly string[], command: readonly ShellWord[]): "yes" | "no" | "maybe" {
  let found = 0;
  let afterOption = false;
  for (const { value } of command.slice(1)) {
    if (found === patterns.length) return "yes";
    if (value === null) return "maybe";
    if (value.startsWith("-")) afterOption = value !== "--" && !value.includes("=");
    else if (matchesText(patterns[found]!.toLowerCase(), value.toLowerCase(), false)) found++;
    else if (afterOption) afterOption = false;
    else return "no";
  }
  return found === patterns.length ? "yes" : "no";
}

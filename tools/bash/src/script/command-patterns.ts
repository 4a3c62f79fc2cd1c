import type { ShellWord } from "./words.ts";

/** A pattern for commands: words, in which `*` matches any text. */
export interface CommandPattern {
  readonly source: string;
  readonly words: readonly string[];
  /** Ends with ` *`: any further words, also none. */
  readonly open: boolean;
}

/** Parses e.g. `git push *`. */
export function parsePattern(source: string): CommandPattern {
  const words = source.trim().split(/\s+/);
  const open = words.length > 1 && words.at(-1) === "*";
  return { source, words: open ? words.slice(0, -1) : words, open };
}

/**
 * Whether a command is surely covered: word for word, with regard to case, and no more words than the pattern has
 * unless it ends with ` *`. A command given by its path is covered only where the pattern has a slash.
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
 * Whether a command is forbidden: `maybe` where that depends on what the shell fills in. The command's name is taken
 * without its folder and without regard to case; options may stand anywhere, bundled or not; what stands between the
 * other words may only be options and their values.
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

/** The command's name without its folder; empty when it is not known. */
export function commandName({ value }: ShellWord): string {
  return value === null ? "" : value.slice(value.lastIndexOf("/") + 1);
}

/** Whether the text is what the pattern says, `*` standing for any characters (but no slash when `oneName`). */
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

/** `-rf` is there when both letters are, in whichever bundles; `--force` also as `--force=…`. */
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

import type { ToolInfo } from "@toolmount/core";
import { kindOf, matchesGlob } from "@toolmount/core/text";
import type { ToolMatch } from "./match.ts";
import { fitsSigned, leadsUp, type Members } from "./pattern.ts";

/** The parts of a pattern in a list, such as `bash(git push*)`, `grep(path: src/*)` or `web_fetch`. */
interface ToolPattern {
  /** A glob over the name under which the tool is offered. */
  readonly tool: string;
  /** The argument that the glob is about; undefined means the first required argument. */
  readonly argument: string | undefined;
  /** The glob over the argument; undefined selects every call of the tool. */
  readonly glob: string | undefined;
}

/** Reads a line that selects tools by kind: `category: delete`, `consequence: high`, `tag: shell`. Null for other lines. */
export function readKind(text: string): ToolMatch | null {
  const [kind, word] = kindOf(text) ?? [];
  return kind === undefined ? null : { [kind]: word };
}

/** Reads a pattern that the config's schema has accepted. */
export function readToolPattern(text: string): ToolPattern {
  const [, tool = text, inner] = /^([^(]+)\((.*)\)$/s.exec(text) ?? [];
  if (inner === undefined) return { tool, argument: undefined, glob: undefined };
  const [, argument, glob] = /^([A-Za-z_][\w-]*): +(.+)$/s.exec(inner) ?? [];
  return { tool, argument, glob: glob ?? inner };
}

/** Returns the argument of a pattern: the named, the first required, or the first one. Null if the tool has no such argument. */
export function argumentOf({ argument }: ToolPattern, { inputSchema }: ToolInfo): string | null {
  const { properties = {}, required = [] } = inputSchema as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  const names = Object.keys(properties);
  if (argument !== undefined) return names.includes(argument) ? argument : null;
  return required[0] ?? names[0] ?? null;
}

/**
 * Whether an argument matches the glob of a line, which may begin with `!` or a comparison. A glob that ends with a space and
 * `*` also matches the text before the space, as in `git push *`. The text of a shell is read command by command: to allow, it
 * must be one plain command; to ask or to deny, one of its commands is enough.
 */
export function fitsText(
  glob: string,
  value: unknown,
  { isShell, members }: { readonly isShell: boolean; readonly members: Members },
): boolean {
  return fitsSigned(glob, value, members, (one, each, of) => fitsPlain(one, each, isShell, of));
}

function fitsPlain(glob: string, value: unknown, isShell: boolean, members: Members): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value[members]((item) => fitsPlain(glob, item, isShell, members));
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return false;
  const text = String(value);
  const isStrict = members === "every";
  if (!isShell) return fitsGlob(glob, text) && !(isStrict && leadsUp(text) && !leadsUp(glob));
  if (isStrict) return isPlainCommand(text) && fitsGlob(glob, text.trim());
  return readCommands(text).some((command) => fitsGlob(glob, command));
}

function fitsGlob(glob: string, text: string): boolean {
  return matchesGlob(glob, text) || (glob.endsWith(" *") && matchesGlob(glob.slice(0, -2), text));
}

/** Matches signs by which a shell text joins, nests or redirects commands. */
const joins = /[;&|<>(){}`\n\r]|\$\(/;

/** Whether a text has none of the signs by which a shell joins, nests or redirects commands. */
function isPlainCommand(text: string): boolean {
  return !joins.test(text.trim());
}

/** Matches words before a command that do not change which command runs. */
const before =
  /^(?:(?:if|then|elif|else|while|until|do|time|!|sudo|command|builtin|exec|nohup|env)\s+|[A-Za-z_]\w*=\S*\s+)+/;

/**
 * Returns the commands that a text may run, for rules that deny or ask. It reads too much rather than too little: words
 * in quotes count as commands, too. It is not a parser, so such a rule is not a border (docs/security-boundary.md).
 */
function readCommands(text: string): readonly string[] {
  const parts = text.split(/[;&|<>(){}`\n\r]+|\$\(/).map((part) => part.trim().replaceAll(/\s+/g, " "));
  const plain = parts.flatMap((part) => [part, part.replace(before, "")]);
  const unquoted = plain.map((part) => part.replaceAll(/["'\\]/g, "").trim());
  const unplaced = unquoted.map((part) => part.replace(/^\S*\//, ""));
  return [...new Set([text, ...plain, ...unquoted, ...unplaced])].filter((part) => part !== "");
}

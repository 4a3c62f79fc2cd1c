import type { ToolInfo } from "@toolmount/core";
import { matchesGlob } from "@toolmount/core/text";

/** A pattern of a list, read: `bash(git push*)`, `grep(path: src/*)`, `web_fetch`. */
interface ToolPattern {
  /** A glob over the name under which the tool is offered. */
  readonly tool: string;
  /** The argument that the glob is about; undefined for the first required one. */
  readonly argument: string | undefined;
  /** Undefined: every call of the tool. */
  readonly glob: string | undefined;
}

/** Reads a pattern that the config's schema has accepted. */
export function readToolPattern(text: string): ToolPattern {
  const [, tool = text, inner] = /^([^(]+)\((.*)\)$/s.exec(text) ?? [];
  if (inner === undefined) return { tool, argument: undefined, glob: undefined };
  const [, argument, glob] = /^([A-Za-z_][\w-]*): +(.+)$/s.exec(inner) ?? [];
  return { tool, argument, glob: glob ?? inner };
}

/** The argument that a pattern is about: the named one, the first required one, or the first. Null: the tool has no such argument. */
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
 * Whether a text matches a glob. A glob that ends with a blank and `*` also matches the text before the blank, as in
 * `git push *`. The text of a shell is read command by command: to allow, it must be one plain command; to ask or to deny,
 * one of its commands is enough.
 */
export function fitsText(
  glob: string,
  value: unknown,
  { isShell, strict }: { readonly isShell: boolean; readonly strict: boolean },
): boolean {
  if (Array.isArray(value)) {
    const fits = (item: unknown) => fitsText(glob, item, { isShell, strict });
    return value.length > 0 && (strict ? value.every(fits) : value.some(fits));
  }
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return false;
  const text = String(value);
  if (!isShell) return fitsGlob(glob, text) && !(strict && leaves(text) && !leaves(glob));
  if (strict) return isPlainCommand(text) && fitsGlob(glob, text.trim());
  return readCommands(text).some((command) => fitsGlob(glob, command));
}

/** Whether a path leads upwards: `src/*` does not allow `src/../../etc`. */
function leaves(path: string): boolean {
  return /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path);
}

function fitsGlob(glob: string, text: string): boolean {
  return matchesGlob(glob, text) || (glob.endsWith(" *") && matchesGlob(glob.slice(0, -2), text));
}

/** Signs with which a text of a shell joins, nests or redirects commands. */
const joins = /[;&|<>(){}`\n\r]|\$\(/;

/** Whether a text is one command with words, and nothing that runs another one or writes to a file. */
function isPlainCommand(text: string): boolean {
  return !joins.test(text.trim());
}

/** Words before a command that do not change which command it is. */
const before =
  /^(?:(?:if|then|elif|else|while|until|do|time|!|sudo|command|builtin|exec|nohup|env)\s+|[A-Za-z_]\w*=\S*\s+)+/;

/**
 * The commands that a text may run, for rules that deny or ask. It reads too much rather than too little: words
 * in quotes count as commands, too. It is no parser, so such a rule is no border (docs/security-boundary.md).
 */
function readCommands(text: string): readonly string[] {
  const parts = text.split(/[;&|<>(){}`\n\r]+|\$\(/).map((part) => part.trim().replaceAll(/\s+/g, " "));
  const plain = parts.flatMap((part) => [part, part.replace(before, "")]);
  const unquoted = plain.map((part) => part.replaceAll(/["'\\]/g, "").trim());
  const unplaced = unquoted.map((part) => part.replace(/^\S*\//, ""));
  return [...new Set([text, ...plain, ...unquoted, ...unplaced])].filter((part) => part !== "");
}

import type { Assignment, Word, WordPart } from "unbash";

/** A word of a command, as far as its text shows. */
export interface ShellWord {
  /** The word as it is written, including quotes. */
  readonly text: string;
  /** The text that the program gets; null if the shell decides that only when it runs. */
  readonly value: string | null;
  /** The text with which the value certainly begins. */
  readonly prefix: string;
  /** Whether the value depends only on file names: it is a pattern without variables or substitutions. */
  readonly pattern: boolean;
  /** Whether the word begins with an unquoted `~`. */
  readonly tilde: boolean;
}

/** Reads a word: removes quotes and decodes escapes. */
export function readWord(word: Word): ShellWord {
  const parts = word.parts ?? [];
  const tilde = word.text.startsWith("~");
  const value = parts.length === 0 ? word.value : joined(parts);
  return {
    text: word.text,
    value: tilde ? null : value,
    prefix: tilde ? "" : (value ?? knownPrefix(parts)),
    pattern: value === null && parts.every((part) => part.type === "Glob" || isTamePattern(part)),
    tilde,
  };
}

/** Reads an argument like `A=b`, as `export` and similar builtins take it. */
export function readAssignment(assignment: Assignment): ShellWord {
  const value = assignment.value.type === "Word" ? readWord(assignment.value).value : null;
  const head = `${assignment.name}${assignment.append === true ? "+" : ""}=`;
  const whole = assignment.index !== undefined || value === null ? null : head + value;
  return { text: assignment.text, value: whole, prefix: whole ?? head, pattern: false, tilde: false };
}

/** A word whose value is not known. */
export const unknownWord: ShellWord = { text: "…", value: null, prefix: "", pattern: false, tilde: false };

function joined(parts: readonly WordPart[]): string | null {
  let whole = "";
  for (const part of parts) {
    const value = valueOf(part);
    if (value === null) return null;
    whole += value;
  }
  return whole;
}

function knownPrefix(parts: readonly WordPart[]): string {
  let prefix = "";
  for (const part of parts) {
    const value = valueOf(part);
    if (value === null) return part.type === "DoubleQuoted" ? prefix + knownPrefix(part.parts) : prefix;
    prefix += value;
  }
  return prefix;
}

/** Returns the value of a part. A locale string may be translated, so its value is not known. */
function valueOf(part: WordPart): string | null {
  if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted")
    return part.value;
  return part.type === "DoubleQuoted" ? joined(part.parts) : null;
}

function isTamePattern(part: WordPart): boolean {
  if (part.type === "BraceExpansion") return /^\{[\w.,-]*\}$/.test(part.text);
  return valueOf(part) !== null;
}

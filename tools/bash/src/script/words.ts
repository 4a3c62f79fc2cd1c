import type { Assignment, Word, WordPart } from "unbash";

/** One word of a command, as far as its text shows. */
export interface ShellWord {
  /** As it is written, quotes and all. */
  readonly text: string;
  /** What the program gets; null where the shell decides that when it runs. */
  readonly value: string | null;
  /** What it begins with for certain. */
  readonly prefix: string;
  /** Decided by nothing but file names: a pattern without variables or substitutions. */
  readonly pattern: boolean;
  /** Begins with an unquoted `~`. */
  readonly tilde: boolean;
}

/** Reads a word: quotes removed, escapes decoded. */
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

/** An argument like `A=b`, which `export` and its like take. */
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

/** The value of a part. A locale string may be translated, so its value is not known. */
function valueOf(part: WordPart): string | null {
  if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted")
    return part.value;
  return part.type === "DoubleQuoted" ? joined(part.parts) : null;
}

function isTamePattern(part: WordPart): boolean {
  if (part.type === "BraceExpansion") return /^\{[\w.,-]*\}$/.test(part.text);
  return valueOf(part) !== null;
}

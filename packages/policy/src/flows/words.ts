import { border, compactCode, findWord, formsOf, hasCode, normalize, withoutSeparators } from "./text.ts";

/** The words of the user, normalized once. */
export class UserWords {
  readonly isKnown: boolean;
  readonly text: string;
  readonly #compact: string;
  readonly #stems: ReadonlySet<string>;

  constructor(prompts: readonly string[] | undefined) {
    this.isKnown = prompts !== undefined;
    this.text = border + (prompts ?? []).map(normalize).join(border) + border;
    this.#compact = withoutSeparators(this.text);
    this.#stems = new Set((this.text.match(/[\p{L}\p{N}]+/gu) ?? []).map(stem));
  }

  /** Whether the user wrote this value, in one of its forms. */
  name(value: string | number): boolean {
    if (formsOf(value).some((form) => findWord(form, this.text) !== -1)) return true;
    const code = typeof value === "string" ? compactCode(value) : null;
    return code !== null && this.#compact.includes(code) && hasCode(code, this.text);
  }

  /** Whether the user wrote this word, in any ending of it. */
  has(word: string): boolean {
    return this.#stems.has(stem(word)) || (word.includes(" ") && findWord(word, this.text) !== -1);
  }
}

/** A word without its usual English endings: enough to compare two forms of one word. */
export function stem(word: string): string {
  const plain = word.toLowerCase();
  if (plain.length <= 3) return plain;
  const base = plain.replace(/(?:'s|ies|ing|ed|es|s)$/, (ending) => (ending === "ies" ? "y" : ""));
  const short = base.length < 3 ? plain : base;
  return short.replace(/(.)\1$/, "$1").replace(/e$/, "");
}

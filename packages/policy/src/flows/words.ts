import { digestOfSecret } from "@toolmount/core/text";
import { namesDate } from "./dates.ts";
import { Words } from "./runs.ts";
import {
  border,
  compactCode,
  findWord,
  formsOf,
  hasCode,
  hostOf,
  normalize,
  withoutSeparators,
} from "./text.ts";

/** A point before a sentence that begins without a space: an address that stands before it ends there. */
const sentenceEnd = /\.(?=\p{Lu}\p{Ll})/gu;

/** The words of the user, normalized once. */
export class UserWords {
  readonly isKnown: boolean;
  readonly text: string;
  readonly #compact: string;
  readonly #confirmed: ReadonlySet<string>;
  readonly #secrets: ReadonlySet<string>;
  #hosts: ReadonlySet<string> | undefined;
  readonly #tokens: readonly string[];
  readonly #stems: ReadonlySet<string>;

  /** `confirmed`: values that the user approved, after their origin was shown. They count as typed, but name no action. */
  constructor(prompts: readonly string[] | undefined, confirmed: readonly string[] = []) {
    this.isKnown = prompts !== undefined;
    const typed = (prompts ?? []).map((text) => normalize(text.replace(sentenceEnd, ". ")));
    const isSecret = (text: string) => /^sha256 [0-9a-f]{64}$/.test(text);
    this.#secrets = new Set(confirmed.filter(isSecret));
    this.#confirmed = new Set(confirmed.filter((text) => !isSecret(text)).map(normalize));
    this.text = border + [...typed, ...this.#confirmed].join(border) + border;
    this.#compact = withoutSeparators(this.text);
    this.#tokens = typed.join(border).match(/[\p{L}\p{N}]+/gu) ?? [];
    this.#stems = new Set(this.#tokens.map(stem));
  }

  /** Whether the user wrote this value, in one of its forms. */
  name(value: string | number): boolean {
    if (this.#isSecret(value)) return true;
    if (formsOf(value).some((form) => findWord(form, this.text) !== -1)) return true;
    if (typeof value === "string" && namesDate(value, this.text) === true) return true;
    const code = typeof value === "string" ? compactCode(value) : null;
    return code !== null && this.#compact.includes(code) && hasCode(code, this.text);
  }

  /** Each run of so many words that the user wrote. */
  runs(length: number): ReadonlySet<number> {
    const found = new Set<number>();
    new Words(this.text).some(length, (run) => {
      found.add(run);
      return false;
    });
    return found;
  }

  /** Whether the user wrote a link to this host. */
  namesHost(host: string): boolean {
    this.#hosts ??= new Set(
      this.text.split(/[\s"'<>(),;]+/).flatMap((token) => hostOf(token.replace(/[.!?:]+$/, "")) ?? []),
    );
    return this.#hosts.has(host);
  }

  /** Whether a person approved this value in the session. */
  confirmed(value: string | number): boolean {
    return this.#confirmed.has(normalize(String(value))) || this.#isSecret(value);
  }

  #isSecret(value: string | number): boolean {
    return this.#secrets.size > 0 && this.#secrets.has(digestOfSecret(value));
  }

  /** Whether the user used this word as a verb: `email her`, `please book`, and neither `an email` nor `about booking`. */
  asks(verb: string): boolean {
    if (notOneToken.test(verb)) return this.text.includes(verb);
    return this.#tokens.some((token, at) => {
      if (!isFormOf(token, verb)) return false;
      const before = this.#tokens[at - 1] ?? "";
      return !beforeNouns.has(before) && !(token.endsWith("ing") && beforeGerunds.has(before));
    });
  }

  /** Whether the user wrote this word, in any ending of it. */
  has(word: string): boolean {
    return this.#stems.has(stem(word)) || (notOneToken.test(word) && this.text.includes(word));
  }
}

/** Several words, or a word of a script without blanks: it is searched as a part of the text. */
const notOneToken =
  /[^\p{L}\p{N}]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Words after which a word is a noun: `an email`, `unread mail`. */
const beforeNouns: ReadonlySet<string> = new Set(
  "a an the my your his her its their our this that these those of in from via by any each every no some all with on new last latest recent unread received first next".split(
    " ",
  ),
);

/** Words after which an -ing form names an action that is not asked for now: `about booking a room`. */
const beforeGerunds: ReadonlySet<string> = new Set("about for before after without while when of".split(" "));

/** Whether a word is a form of a verb that asks for an action. The plural of a noun is not. */
function isFormOf(token: string, verb: string): boolean {
  if (token === verb) return true;
  return /(?:ing|ed)$/.test(token) && stem(token) === stem(verb);
}

/** A word without its usual English endings: enough to compare two forms of one word. */
function stem(word: string): string {
  const plain = word.toLowerCase();
  if (plain.length <= 3) return plain;
  const base = plain.replace(/(?:'s|ies|ing|ed|es|s)$/, (ending) => (ending === "ies" ? "y" : ""));
  const short = base.length < 3 ? plain : base;
  return short.replace(/(.)\1$/, "$1").replace(/e$/, "");
}

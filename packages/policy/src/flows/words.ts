import { digestOfSecret } from "@toolmount/core/text";
import { namesDate } from "./dates.ts";
import type { Meter, Steps } from "./meter.ts";
import { eachRun, Words } from "./runs.ts";
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
  readonly #typed: string;
  readonly #runs = new Map<number, ReadonlySet<number>>();
  #tokens: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> | undefined;

  /** `confirmed`: values that the user approved, after their origin was shown. They count as typed, but name no action. */
  constructor(prompts: readonly string[] | undefined, confirmed: readonly string[] = []) {
    this.isKnown = prompts !== undefined;
    const typed = (prompts ?? []).map((text) => normalize(text.replace(sentenceEnd, ". ")));
    const isSecret = (text: string) => /^sha256 [0-9a-f]{64}$/.test(text);
    this.#secrets = new Set(confirmed.filter(isSecret));
    this.#confirmed = new Set(confirmed.filter((text) => !isSecret(text)).map(normalize));
    this.text = border + [...typed, ...this.#confirmed].join(border) + border;
    this.#compact = withoutSeparators(this.text);
    this.#typed = typed.join(border);
  }

  /** Whether the user wrote this value, in one of its forms. */
  name(value: string | number): boolean {
    if (this.#isSecret(value)) return true;
    if (formsOf(value).some((form) => findWord(form, this.text) !== -1)) return true;
    if (typeof value === "string" && namesDate(value, this.text) === true) return true;
    const code = typeof value === "string" ? compactCode(value) : null;
    return code !== null && this.#compact.includes(code) && hasCode(code, this.text);
  }

  /** Each run of so many words that the user wrote. They are read once, in steps. */
  *runs(length: number, meter: Meter): Steps<ReadonlySet<number>> {
    const known = this.#runs.get(length);
    if (known !== undefined) return known;
    const found = new Set<number>();
    yield* eachRun(new Words(this.text), length, meter, (run) => found.add(run));
    this.#runs.set(length, found);
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

  /** Whether the user called a person or a thing by this name. Words that stand before any noun call nothing. */
  calls(name: string): boolean {
    if (beforeNouns.has(name) || otherFunctionWords.has(name)) return false;
    return findWord(name, this.text) !== -1;
  }

  /** Whether the user used this word as a verb: `email her`, `please book`, and neither `an email` nor `about booking`. */
  asks(verb: string): boolean {
    if (notOneToken.test(verb)) return this.text.includes(verb);
    return this.#near(verb).some(
      ([token, before]) =>
        isFormOf(token, verb) &&
        [...before].some(
          (word) => !beforeNouns.has(word) && !(token.endsWith("ing") && beforeGerunds.has(word)),
        ),
    );
  }

  /** Whether the user wrote this word, in any ending of it. */
  has(word: string): boolean {
    const wanted = stem(word);
    return (
      this.#near(wanted).some(([token]) => stem(token) === wanted) ||
      (notOneToken.test(word) && this.text.includes(word))
    );
  }

  /** The user's words that begin as a word does, each once, with the words that stand before it. */
  #near(word: string): readonly (readonly [string, ReadonlySet<string>])[] {
    this.#tokens ??= tokensOf(this.#typed);
    return [...(this.#tokens.get(word.slice(0, stemStart)) ?? [])];
  }
}

/** Several words, or a word of a script without blanks: it is searched as a part of the text. */
const notOneToken =
  /[^\p{L}\p{N}]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Letters with which each form of a word begins. */
const stemStart = 2;

/** Each word of a text by its first letters, with the words that stand before it; the first one has none, "". */
function tokensOf(text: string): ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> {
  const tokens = new Map<string, Map<string, Set<string>>>();
  let before = "";
  for (const token of text.match(/[\p{L}\p{N}]+/gu) ?? []) {
    const start = token.slice(0, stemStart);
    const near = tokens.get(start) ?? new Map<string, Set<string>>();
    tokens.set(start, near.set(token, (near.get(token) ?? new Set()).add(before)));
    before = token;
  }
  return tokens;
}

/** Words after which a word is a noun: `an email`, `unread mail`. */
const beforeNouns: ReadonlySet<string> = new Set(
  "a an the my your his her its their our this that these those of in from via by any each every no some all with on new last latest recent unread received first next".split(
    " ",
  ),
);

/** Further words that are in every text, and name nothing. */
const otherFunctionWords: ReadonlySet<string> = new Set(
  "to at as so up if it is are be do and or not for about into over me you he him she we us they them who what when how please".split(
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

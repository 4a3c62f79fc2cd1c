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
  lettersOf,
  normalize,
  withoutSeparators,
} from "./text.ts";

/** A point before a sentence that begins without a space: an address that stands before it ends there. */
const sentenceEnd = /\.(?=\p{Lu}\p{Ll})/gu;

/** The words of the user, normalized once. */
export class UserWords {
  readonly isKnown: boolean;
  readonly text: string;
  #letters: string | null = null;
  /** The sentences that forbid nothing. */
  readonly #granted: string;
  readonly #confirmed: ReadonlySet<string>;
  readonly #secrets: ReadonlySet<string>;
  #hosts: ReadonlySet<string> | undefined;
  readonly #typed: string;
  readonly #runs = new Map<number, ReadonlySet<number>>();
  #tokens: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> | undefined;

  /** `confirmed`: values that the user approved, after their origin was shown. They count as typed, but name no action. */
  constructor(prompts: readonly string[] | undefined, confirmed: readonly string[] = []) {
    this.isKnown = prompts !== undefined;
    const given = (prompts ?? []).map((text) => text.replace(sentenceEnd, ". "));
    const typed = given.map(normalize);
    const isSecret = (text: string) => /^sha256 [0-9a-f]{64}$/.test(text);
    this.#secrets = new Set(confirmed.filter(isSecret));
    this.#confirmed = new Set(confirmed.filter((text) => !isSecret(text)).map(normalize));
    this.text = border + [...typed, ...this.#confirmed].join(border) + border;
    this.#granted = border + [...given.map(grantedIn), ...this.#confirmed].join(border) + border;
    this.#typed = typed.join(border);
  }

  /** Whether the user wrote this value, in one of its forms. */
  name(value: string | number): boolean {
    return this.#isSecret(value) || isNamed(value, this.text);
  }

  /** Whether the user wrote this value in a sentence that forbids nothing, or approved it. */
  grants(value: string | number): boolean {
    return this.#isSecret(value) || isNamed(value, this.#granted);
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
      this.#granted.split(/[\s"'<>(),;]+/).flatMap((token) => hostOf(token.replace(/[.!?:]+$/, "")) ?? []),
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

  /** Whether the user's words have these letters in a row, whatever stands between them. */
  hasLetters(letters: string): boolean {
    return (this.#letters ??= lettersOf(this.text)).includes(letters);
  }

  /** Whether the user called a person or a thing by this name. Words that stand before any noun call nothing. */
  calls(name: string): boolean {
    if (beforeNouns.has(name) || otherFunctionWords.has(name)) return false;
    return findWord(name, this.#granted) !== -1;
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

function isNamed(value: string | number, text: string): boolean {
  if (formsOf(value).some((form) => findWord(form, text) !== -1)) return true;
  if (typeof value === "number") return false;
  if (namesDate(value, text) === true) return true;
  const code = compactCode(value);
  return code !== null && withoutSeparators(text).includes(code) && hasCode(code, text);
}

/** The sentences of a text that forbid nothing, normalized. A list behind a prohibition is a part of its sentence. */
function grantedIn(text: string): string {
  const sentences = text
    .split(/(?<=[.!?;。！？])(?<!\b(?:dr|mr|mrs|ms|st|no|nr)\.)(?:\s+|(?<=[。！？]))/i)
    .map(normalize);
  return sentences.filter((sentence) => !forbids.test(sentence.replace(harmlessNots, ""))).join(" ");
}

/** Words that forbid or leave out what their sentence names. */
const forbids = new RegExp(
  [
    "never|not|don['’]?t|mustn['’]?t|shouldn['’]?t|except|excluding|without|avoid|refuse|(?:instead|rather|other|apart) (?:of|than|from)",
    "scam|fraud|phishing|nie|niemals|nicht|keine?[nmrs]?|ohne|außer|statt|betrug|jamais|pas|sans|sauf|aucune?|arnaque",
    "nunca|jamás|sin|excepto|salvo|estafa|não|sem|exceto|non|senza|tranne|truffa|niet|nooit|geen|zonder|behalve",
    "nigdy|bez|oprócz|inte|aldrig|utan|не|никогда|кроме|без|asla",
  ]
    .map((words) => `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`)
    .join("|") + "|^no [^,]|不|别|別|勿|禁止|除了|ないで|以外|마세요|말고|제외",
  "u",
);

/** What says nothing about a value: `don't forget to pay`, `I have not paid it yet`. */
const harmlessNots =
  /(?:do not|don['’]?t|never) (?:forget|hesitate|worry)|not only|without (?:delay|fail)|(?:have|has|had|did|could) not/g;

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

/** Words after which a word is a noun, such as `an email` or `unread mail`, or is not asked for: `never send it`, `don't pay`. */
const beforeNouns: ReadonlySet<string> = new Set(
  "never not t a an the my your his her its their our this that these those of in from via by any each every no some all with on new last latest recent unread received first next".split(
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

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

/** Matches a dot before a sentence that begins without a space. An address before the dot ends there. */
const sentenceEnd = /\.(?=\p{Lu}\p{Ll})/gu;

/** The words of the user, normalized once. */
export class UserWords {
  readonly isKnown: boolean;
  readonly text: string;
  #letters: string | null = null;
  /** The sentences in which the user forbids nothing. */
  readonly #granted: string;
  readonly #confirmed: ReadonlySet<string>;
  readonly #secrets: ReadonlySet<string>;
  #hosts: ReadonlySet<string> | undefined;
  readonly #typed: string;
  readonly #runs = new Map<number, ReadonlySet<number>>();
  #tokens: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> | undefined;

  /** `confirmed` are values that the user approved after seeing their origins. They count as typed, but name no action. */
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

  /** Returns every run of `length` words of the user, each as a number. Computed once for each length, in steps. */
  *runs(length: number, meter: Meter): Steps<ReadonlySet<number>> {
    const known = this.#runs.get(length);
    if (known !== undefined) return known;
    const found = new Set<number>();
    yield* eachRun(new Words(this.text), length, meter, (run) => found.add(run));
    this.#runs.set(length, found);
    return found;
  }

  /** Whether the user wrote a link to this host in a sentence that forbids nothing, or approved such a link. */
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

  /** Whether the user's words contain these letters in a row, ignoring whatever stands between them. */
  hasLetters(letters: string): boolean {
    return (this.#letters ??= lettersOf(this.text)).includes(letters);
  }

  /** Whether the user called a person or a thing by this name. Articles and similar words name nothing. */
  calls(name: string): boolean {
    if (beforeNouns.has(name) || otherFunctionWords.has(name)) return false;
    return findWord(name, this.#granted) !== -1;
  }

  /** Whether the user used this word as a verb: `email her`, `please book`, but not `an email` or `about booking`. */
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

  /** Whether the user wrote this word, with any ending. */
  has(word: string): boolean {
    const wanted = stem(word);
    return (
      this.#near(wanted).some(([token]) => stem(token) === wanted) ||
      (notOneToken.test(word) && this.text.includes(word))
    );
  }

  /** Returns the user's words that begin with the same letters as `word`, each once, with the words that precede it. */
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

/** Returns the normalized sentences of a text that forbid nothing. A list after a prohibition belongs to its sentence. */
function grantedIn(text: string): string {
  const sentences = text
    .split(/(?<=[.!?;。！？])(?<!\b(?:dr|mr|mrs|ms|st|no|nr)\.)(?:\s+|(?<=[。！？]))/i)
    .map(normalize);
  return sentences.filter((sentence) => !forbids.test(sentence.replace(harmlessNots, ""))).join(" ");
}

/** Matches words that forbid or exclude what their sentence names. */
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

/** Matches negations that forbid nothing: `don't forget to pay`, `I have not paid it yet`. */
const harmlessNots =
  /(?:do not|don['’]?t|never) (?:forget|hesitate|worry)|not only|without (?:delay|fail)|(?:have|has|had|did|could) not/g;

/** Matches several words, or a word of a script without spaces, which must be searched as a part of the text. */
const notOneToken =
  /[^\p{L}\p{N}]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Number of first letters that all forms of a word share. */
const stemStart = 2;

/** Returns each word of a text by its first letters, with the words that precede it; "" precedes the first word. */
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

/** Words after which a word is a noun, as in `an email`, or is not asked for, as in `never send it` or `don't pay`. */
const beforeNouns: ReadonlySet<string> = new Set(
  "never not t a an the my your his her its their our this that these those of in from via by any each every no some all with on new last latest recent unread received first next".split(
    " ",
  ),
);

/** Further words that are in every text and name nothing. */
const otherFunctionWords: ReadonlySet<string> = new Set(
  "to at as so up if it is are be do and or not for about into over me you he him she we us they them who what when how please".split(
    " ",
  ),
);

/** Words after which an -ing form names an action that is not asked for now: `about booking a room`. */
const beforeGerunds: ReadonlySet<string> = new Set("about for before after without while when of".split(" "));

/** Whether a word is a form of a verb that asks for an action. Plurals of nouns are not. */
function isFormOf(token: string, verb: string): boolean {
  if (token === verb) return true;
  return /(?:ing|ed)$/.test(token) && stem(token) === stem(verb);
}

/** Returns a word without its usual English endings, which is enough to compare two forms of one word. */
function stem(word: string): string {
  const plain = word.toLowerCase();
  if (plain.length <= 3) return plain;
  const base = plain.replace(/(?:'s|ies|ing|ed|es|s)$/, (ending) => (ending === "ies" ? "y" : ""));
  const short = base.length < 3 ? plain : base;
  return short.replace(/(.)\1$/, "$1").replace(/e$/, "");
}

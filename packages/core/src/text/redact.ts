import { hash } from "node:crypto";
import type { SecretTexts } from "../contract/logger.ts";
import { maxDepth } from "../json/freeze.ts";
import type { Json, JsonObject } from "../json/json.ts";

export type { SecretTexts } from "../contract/logger.ts";

/** The replacement of a secret. */
export const mask = "[masked]";

/** Words that name a secret, in keys of any case and with any separators. Source: Amplifier's list, extended. */
const secretWord =
  /password|passwd|passphrase|secret|token|apikey|accesskey|privatekey|authorization|credential|cookie|sessionkey|sshkey/;

/** Keys that contain such a word but hold no secret. */
const harmless =
  /^(max|min|input|output|total|prompt|completion|reasoning|cached)?tokens?(count|s|limit|used|details)?$/;

/** Short names of secrets. They count as whole words only: `pin` is in `shipping`, and `otp` in `footprint`. */
const secretNames: ReadonlySet<string> = new Set("pass pwd bearer jwt otp pin dsn pem".split(" "));

/** The letters of each key that names a secret have one of these. Most keys have none, and are not split into words. */
const perhapsSecret = new RegExp([secretWord.source, "auth", ...secretNames].join("|"));

/** Each name of a secret has three letters. */
const threeLetters = /[a-z][^a-z]*[a-z][^a-z]*[a-z]/i;

/** Whether a key names a secret. */
export function namesSecret(key: string): boolean {
  if (!threeLetters.test(key)) return false;
  const folded = key.toLowerCase().replaceAll(/[^a-z]/g, "");
  if (!perhapsSecret.test(folded)) return false;
  if (folded === "token" || folded === "auth") return true;
  const words = key.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ").toLowerCase();
  if (words.split(/[^a-z]+/).some((word) => secretNames.has(word))) return true;
  return !harmless.test(folded) && secretWord.test(folded);
}

/** Returns what replaces a secret where it has to be compared: `sha256 ` and the digest of its text, in hex. */
export function digestOfSecret(secret: string | number): string {
  return `sha256 ${hash("sha256", String(secret))}`;
}

/** Returns a copy of a JSON value in which secrets are masked. What is frozen and has none may be the value itself. */
export type Redactor = (value: Json) => Json;

/**
 * Creates a redactor for values that are stored or shown. It masks the values of keys that name secrets, at every
 * depth, and the given secret texts anywhere: plain, in base64 (also inside a longer text), in hex, URL-encoded and
 * escaped as in JSON. Secrets shorter than 6 characters are ignored, since ordinary words contain them.
 */
export function createRedactor(secrets: readonly string[] | SecretTexts = []): Redactor {
  const text = maskOf(secrets);
  const redactValue = (value: Json, depth: number): Json => {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= maxLevels) return deeper;
    return Array.isArray(value)
      ? redactList(value as Json[], depth)
      : redactObject(value as JsonObject, depth);
  };
  const redactList = (list: readonly Json[], depth: number): Json => {
    const shown = list.map((item) => redactValue(item, depth + 1));
    return Object.isFrozen(list) && shown.every((item, at) => item === list[at]) ? list : shown;
  };
  const redactObject = (given: JsonObject, depth: number): Json => {
    // A frozen object without a secret is its own copy: to copy 50,000 members takes longer than to look at them.
    let shown: Record<string, Json> | null = Object.isFrozen(given) ? null : {};
    const keys = Object.keys(given);
    for (const [at, key] of keys.entries()) {
      const member = given[key]!;
      const own = namesSecret(key) && !isEmpty(member) ? mask : redactValue(member, depth + 1);
      const name = text(key);
      if (shown === null && (own !== member || name !== key)) {
        shown = {};
        for (const before of keys.slice(0, at)) setOwn(shown, before, given[before]!);
      }
      if (shown !== null) setOwn(shown, name, own);
    }
    return shown ?? given;
  };
  return (value) => redactValue(value, 0);
}

/** Sets a member, also one that an object inherits, such as `__proto__`. */
function setOwn(of: Record<string, Json>, key: string, value: Json): void {
  if (key in of && !Object.hasOwn(of, key))
    Object.defineProperty(of, key, { value, writable: true, enumerable: true, configurable: true });
  else of[key] = value;
}

/** Deepest level that is shown: that of the deepest arguments, inside a record that is stored or shown. */
const maxLevels = maxDepth + 16;

/** Replaces what is nested deeper. Only a value that was never checked is, such as a row of a store. */
const deeper = "[nested too deep]";

/**
 * Masks secrets in the arguments of a call, by value and by name. Arguments that no schema accepted are the text that a
 * model wrote: names are found in that text, too, also where it is broken JSON.
 */
export function redactArguments(given: Json, redactor: Redactor): Json {
  if (typeof given !== "string") return redactor(given);
  const value = parseJson(given);
  if (value === undefined) return redactor(maskMembers(given));
  if (typeof value === "string") return JSON.stringify(redactArguments(value, redactor));
  return typeof value === "object" && value !== null ? JSON.stringify(redactor(value)) : redactor(given);
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A name in text that is nearly JSON. Its quotes may be of either kind, escaped, or missing. */
const memberName = /(?:\\*["'])?([\w.-]{1,100})(?:\\*["'])?\s*[:=]\s*/g;

/** A value: quoted text, which may be cut; a list or an object to the end; or the rest of the line or member. */
const memberValue = /\\*"(?:[^"\\]|\\.)*"?|\\*'(?:[^'\\]|\\.)*'?|[{[].*|[^\n,;}\]]*/sy;

function maskMembers(text: string): string {
  let shown = "";
  let from = 0;
  for (const { 0: start, 1: name, index } of text.matchAll(memberName)) {
    if (index < from || !namesSecret(name!)) continue;
    memberValue.lastIndex = index + start.length;
    const [value = ""] = memberValue.exec(text) ?? [];
    shown += `${text.slice(from, index + start.length)}"${mask}"`;
    from = index + start.length + value.length;
  }
  return shown + text.slice(from);
}

/** Creates a set of secret texts. */
export function createSecretTexts(secrets: readonly string[] = []): SecretTexts {
  const known = new Set<string>();
  const all = new Set<string>();
  let masks = { all: maskTextsOf(all), known: maskTextsOf(known) };
  const add = (more: readonly string[], guesses: readonly string[] = []) => {
    const before = known.size + all.size;
    for (const text of more.flatMap(withLines)) known.add(text);
    for (const text of [...more, ...guesses].flatMap(withLines)) all.add(text);
    if (known.size + all.size > before) masks = { all: maskTextsOf(all), known: maskTextsOf(known) };
  };
  add(secrets);
  return Object.freeze({
    add,
    mask: (text: string) => masks.all?.(text) ?? text,
    get maskReturned() {
      return masks.known;
    },
  });
}

/** A text, its lines, and both without the space around them. */
function withLines(secret: string): readonly string[] {
  return [secret, ...secret.split(/\r?\n/)].flatMap((text) => [text, text.trim()]);
}

/** Masks the given secrets in a text: those of a list, or those that a set of secret texts knows by then. */
export function maskOf(secrets: readonly string[] | SecretTexts): (text: string) => string {
  return "mask" in secrets ? secrets.mask : createTextRedactor(secrets);
}

/** Returns what masks secrets in what tools return: the set itself, or one of a list. Most hosts know no secret. */
export function returnedMaskOf(secrets: readonly string[] | SecretTexts): Pick<SecretTexts, "maskReturned"> {
  if ("mask" in secrets) return secrets;
  return { maskReturned: maskTextsOf(new Set(secrets)) };
}

/** A JSON value with its secrets masked, as {@link Redactor} returns it. For several values use {@link createRedactor}. */
export function redact(value: Json, secrets: readonly string[] = []): Json {
  return createRedactor(secrets)(value);
}

/** Masks the given secrets in a text, in all the encodings of {@link createRedactor}. */
function createTextRedactor(secrets: readonly string[]): (text: string) => string {
  return maskTextsOf(new Set(secrets)) ?? ((text) => text);
}

/** Masks texts that are long enough to be secrets; null without any. */
function maskTextsOf(secrets: ReadonlySet<string>): ((text: string) => string) | null {
  const forms = [...new Set([...secrets].filter((secret) => secret.length >= 6).flatMap(formsOf))];
  if (forms.length === 0) return null;
  const longestFirst = forms.toSorted((a, b) => b.length - a.length);
  const long = longestFirst.filter(({ length }) => length > maxInPattern);
  const short = longestFirst.slice(long.length);
  const pattern = new RegExp(short.map((form) => form.replaceAll(special, "\\$&")).join("|"), "g");
  const maskShort = (text: string) => (short.length === 0 ? text : text.replaceAll(pattern, mask));
  return (text) => maskShort(long.reduce((shown, form) => shown.replaceAll(form, mask), text));
}

/** Longer forms are searched one by one: from about 32,000 characters on, a pattern of one text is too large. */
const maxInPattern = 1_000;

const special = /[\\^$.*+?()[\]{}|/-]/g;

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const lower = encoded.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  const hex = Buffer.from(secret).toString("hex");
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encoded,
    lower,
    hex,
    hex.toUpperCase(),
    ...base64Forms(secret),
  ];
}

/** The base64 of a text depends on its offset modulo 3; these are the parts that do not depend on what precedes it. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const from = Math.ceil((before * 4) / 3);
    const to = Math.floor((bytes.length * 4) / 3);
    const form = bytes.toString("base64").slice(from, to);
    return form.length < 8 ? [] : [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/**
 * A text for a line of a log or a list: at most `max` characters of it, and how many are left out.
 * Source of the length: Amplifier's truncation.
 */
export function truncateText(text: string, max = 180): string {
  const fitting = text.slice(0, max);
  return text.length <= max ? text : `${fitting.toWellFormed()}… [${text.length - max} more characters]`;
}

/** Whether the value of a key that names a secret holds none. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === "" || typeof value === "boolean";
}

/** Files of variables without secrets, which a project shows to everybody. */
const examples = /\.(?:example|sample|template|dist)$/;

/** Whether a file of this name holds variables with secrets: `.env`, `.env.local`, `.envrc` and the like. */
export function holdsVariables(name: string): boolean {
  return name.startsWith(".env") && !examples.test(name);
}

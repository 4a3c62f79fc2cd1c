import { hash } from "node:crypto";
import type { SecretTexts } from "../contract/logger.ts";
import { maxDepth } from "../json/freeze.ts";
import type { Json, JsonObject } from "../json/json.ts";

export type { SecretTexts } from "../contract/logger.ts";

/** The text that replaces a secret. */
export const mask = "[masked]";

/** Words in a key that names a secret, in any case and with any separators. Source: Amplifier's list, extended. */
const secretWord =
  /password|passwd|passphrase|secret|token|apikey|accesskey|privatekey|authorization|credential|cookie|sessionkey|sshkey/;

/** Keys that contain such a word but hold no secret. */
const harmless =
  /^(max|min|input|output|total|prompt|completion|reasoning|cached)?tokens?(count|s|limit|used|details)?$/;

/** Short names of secrets, which count only as whole words: `pin` is in `shipping`, and `otp` in `footprint`. */
const secretNames: ReadonlySet<string> = new Set("pass pwd bearer jwt otp pin dsn pem".split(" "));

/** Matches a part of every key that names a secret. Most keys have no such part, and need not be split into words. */
const perhapsSecret = new RegExp([secretWord.source, "auth", ...secretNames].join("|"));

/** Matches keys with three letters, which every name of a secret has. */
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

/** Returns a replacement for a secret that can be compared: `sha256 ` and the digest of its text, in hex. */
export function digestOfSecret(secret: string | number): string {
  return `sha256 ${hash("sha256", String(secret))}`;
}

/** Returns a copy of a JSON value in which secrets are masked. A frozen value without secrets may be returned itself. */
export type Redactor = (value: Json) => Json;

/**
 * Creates a redactor for values that are stored or shown. It masks the values of keys that name secrets, at every
 * depth, and the given secret texts anywhere: plain, in base64 (also inside a longer text), in hex, URL-encoded and
 * escaped as in JSON. Secrets shorter than 6 characters are ignored, because ordinary words contain them.
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
    // A frozen object without secrets is returned itself: copying 50,000 members takes longer than looking at them.
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

/** Sets a member, even if its name is inherited by every object, such as `__proto__`. */
function setOwn(of: Record<string, Json>, key: string, value: Json): void {
  if (key in of && !Object.hasOwn(of, key))
    Object.defineProperty(of, key, { value, writable: true, enumerable: true, configurable: true });
  else of[key] = value;
}

/** Deepest level that is shown: that of the deepest arguments, and the levels of a record around them. */
const maxLevels = maxDepth + 16;

/** Shown instead of what is nested deeper. Only a value that was never checked, such as a row of a store, can be so deep. */
const deeper = "[nested too deep]";

/**
 * Masks secrets in the arguments of a call, by value and by name. Arguments that no schema accepted are the text that a
 * model wrote. Names are found in that text, too, even if it is broken JSON.
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

/** Matches a name in text that is nearly JSON. Its quotes may be of either kind, escaped, or missing. */
const memberName = /(?:\\*["'])?([\w.-]{1,100})(?:\\*["'])?\s*[:=]\s*/g;

/** Matches a value: quoted text, which may be cut; a list or object up to the end; or the rest of the line or member. */
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

/** Creates a set of secret texts, to which more can be added. */
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

/** Returns a text and its lines, each also without the white space around it. */
function withLines(secret: string): readonly string[] {
  return [secret, ...secret.split(/\r?\n/)].flatMap((text) => [text, text.trim()]);
}

/** Returns a function that masks secrets in a text: those of a list, or those that a set knows when it is called. */
export function maskOf(secrets: readonly string[] | SecretTexts): (text: string) => string {
  return "mask" in secrets ? secrets.mask : createTextRedactor(secrets);
}

/** Returns what masks secrets in the results of tools: the given set itself, or a mask for a list. Most hosts know no secret. */
export function returnedMaskOf(secrets: readonly string[] | SecretTexts): Pick<SecretTexts, "maskReturned"> {
  if ("mask" in secrets) return secrets;
  return { maskReturned: maskTextsOf(new Set(secrets)) };
}

/** Masks the secrets of one JSON value, as {@link Redactor} does. For several values use {@link createRedactor}. */
export function redact(value: Json, secrets: readonly string[] = []): Json {
  return createRedactor(secrets)(value);
}

/** Masks the given secrets in a text, in all the encodings of {@link createRedactor}. */
function createTextRedactor(secrets: readonly string[]): (text: string) => string {
  return maskTextsOf(new Set(secrets)) ?? ((text) => text);
}

/** Returns a function that masks texts that are long enough to be secrets; null if there are no such texts. */
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

/** Forms longer than this are searched one by one: a pattern of more than about 32,000 characters is too large. */
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

/** Returns the base64 forms of a text for its three offsets modulo 3, without the characters that also depend on its neighbours. */
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
 * Shortens a text for a line of a log or a list to `max` characters, and says how many are left out.
 * Source of the length: Amplifier's truncation.
 */
export function truncateText(text: string, max = 180): string {
  const fitting = text.slice(0, max);
  return text.length <= max ? text : `${fitting.toWellFormed()}… [${text.length - max} more characters]`;
}

/** Whether a value is certainly not a secret, although its key names one. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === "" || typeof value === "boolean";
}

/** Files with example variables, which contain no secrets and are shared with the project. */
const examples = /\.(?:example|sample|template|dist)$/;

/** Whether a file of this name contains variables with secrets: `.env`, `.env.local`, `.envrc` and the like. */
export function holdsVariables(name: string): boolean {
  return name.startsWith(".env") && !examples.test(name);
}

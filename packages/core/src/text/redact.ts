import { isRecord, type Json } from "../json/json.ts";

/** What stands for a secret. */
export const mask = "[masked]";

/** Words that name a secret, in a key written in any case and with any separators. Source: Amplifier's, and more. */
const secretWords = [
  "password",
  "passwd",
  "passphrase",
  "secret",
  "token",
  "apikey",
  "accesskey",
  "privatekey",
  "authorization",
  "credential",
  "cookie",
  "sessionkey",
];

/** Keys that hold such a word and no secret. */
const harmless =
  /^(max|min|input|output|total|prompt|completion|reasoning|cached)?tokens?(count|s|limit|used)?$/;

/** Tells whether a key names a secret. */
export function namesSecret(key: string): boolean {
  const folded = key.toLowerCase().replaceAll(/[^a-z]/g, "");
  if (folded === "token" || folded === "auth") return true;
  return !harmless.test(folded) && secretWords.some((word) => folded.includes(word));
}

/** Masks secrets in a JSON value, and gives back a copy. */
export type Redactor = (value: Json) => Json;

/**
 * Makes a redactor for places where values are kept or shown. It masks values under names of secrets, at every depth,
 * and the given secret texts wherever they stand: as they are, in base64 (within a longer text, too), URL-encoded and
 * as JSON writes them. Secrets shorter than 6 characters are not looked for: they stand in every other word.
 */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  const text = createTextRedactor(secrets);
  const redactValue: Redactor = (value) => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(redactValue);
    if (!isRecord(value)) return value;
    const members = Object.entries(value as Record<string, Json>).map(([key, member]): [string, Json] => [
      text(key),
      namesSecret(key) && !isEmpty(member) ? mask : redactValue(member),
    ]);
    return Object.fromEntries(members);
  };
  return redactValue;
}

/** A copy of a JSON value without secrets; see {@link createRedactor}, which is for more than one value. */
export function redact(value: Json, secrets: readonly string[] = []): Json {
  return createRedactor(secrets)(value);
}

/** Masks the given secrets in a text, in all the forms in which they are commonly written. */
export function createTextRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.filter((secret) => secret.length >= 6).flatMap(formsOf))];
  if (forms.length === 0) return (text) => text;
  const longestFirst = forms.toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((form) => form.replaceAll(special, "\\$&")).join("|"), "g");
  return (text) => text.replaceAll(pattern, mask);
}

/** What means something in a pattern. */
const special = /[\\^$.*+?()[\]{}|/-]/g;

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const lower = encoded.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  return [secret, JSON.stringify(secret).slice(1, -1), encoded, lower, ...base64Forms(secret)];
}

/** A text's base64 depends on what stands before it; these are the parts that do not, for each of three positions. */
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

function isEmpty(value: Json): boolean {
  return value === null || value === "" || typeof value === "boolean";
}

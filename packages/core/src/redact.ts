import { isRecord, type Json } from "./json.ts";

/** What stands for a secret. */
export const mask = "[masked]";

/** Words that name a secret, in a key written in any case and with any separators. */
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
  if (folded === "token") return true;
  return !harmless.test(folded) && secretWords.some((word) => folded.includes(word));
}

/**
 * A copy of a JSON value for places where it is kept or shown: values under names of secrets are masked, at every
 * depth, and so are the given secret texts wherever they stand.
 */
export function redact(value: Json, secrets: readonly string[] = []): Json {
  if (typeof value === "string") return withoutSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((item: Json) => redact(item, secrets));
  if (!isRecord(value)) return value;
  const members = Object.entries(value as Record<string, Json>).map(([key, member]): [string, Json] => [
    key,
    namesSecret(key) && !isEmpty(member) ? mask : redact(member, secrets),
  ]);
  return Object.fromEntries(members);
}

function isEmpty(value: Json): boolean {
  return value === null || value === "" || typeof value === "boolean";
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((kept, secret) => (secret.length >= 6 ? kept.replaceAll(secret, mask) : kept), text);
}

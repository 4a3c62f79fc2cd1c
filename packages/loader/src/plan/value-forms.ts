import { namesSecret } from "@toolmount/core/text";

/**
 * Forms of values that are no secrets and that help a reader of a message: words, numbers, folders, and addresses without a
 * password.
 */
const harmless = [
  /^[A-Za-z]+([ ._-][A-Za-z]+)*$/,
  /^[0-9.]{1,6}$/,
  /^(~|\.{0,2})\/[^\n]*$/,
  /^[A-Za-z]:\\[^\n]*$/,
  /^[a-z][a-z0-9+.-]*:\/\/[^@?#\s]*$/,
  /^[a-z0-9.-]+:[0-9]+$/,
];

/** Tests whether one of a value's names says that it is a secret. */
export function namesOneSecret(names: readonly string[]): boolean {
  return names.some(namesSecret);
}

/** Tests whether a value has the form of a word, a number, a folder, or an address without a password. */
export function isHarmless(value: string): boolean {
  return harmless.some((pattern) => pattern.test(value));
}

/**
 * Tests whether a value looks like a key: at least 16 characters with letters and digits, without spaces. Identifiers can look
 * the same.
 */
export function looksRandom(value: string): boolean {
  return /^(?=.*[0-9])(?=.*[A-Za-z])[^\s/:@]{16,}$/.test(value) && !isHarmless(value);
}

/** Returns the password in an address such as `postgres://user:password@host/`; empty if it has none. */
export function passwordsOf(value: string): readonly string[] {
  const [, password] = /^[a-z][a-z0-9+.-]*:\/\/[^:@/\s]*:([^@\s]+)@/.exec(value) ?? [];
  return password === undefined ? [] : [password];
}

/** Tests whether a value is a word or a number that can be in any sentence by chance. */
export function isOrdinary(value: string): boolean {
  return harmless.slice(0, 2).some((pattern) => pattern.test(value));
}

import { namesSecret } from "@toolmount/core/text";

/** Words, numbers, folders, and addresses without a password: values that a reader of a message needs. */
const harmless = [
  /^[A-Za-z]+([ ._-][A-Za-z]+)*$/,
  /^[0-9.]{1,6}$/,
  /^(~|\.{0,2})\/[^\n]*$/,
  /^[A-Za-z]:\\[^\n]*$/,
  /^[a-z][a-z0-9+.-]*:\/\/[^@?#\s]*$/,
  /^[a-z0-9.-]+:[0-9]+$/,
];

/** Whether one of the names of a value says that it is a secret. */
export function namesOneSecret(names: readonly string[]): boolean {
  return names.some(namesSecret);
}

/** Whether a value has the form of a word, a number, a folder, or an address without a password. */
export function isHarmless(value: string): boolean {
  return harmless.some((pattern) => pattern.test(value));
}

/** Whether a value has the form of a key: long, of letters and digits, without spaces. An identifier can have it, too. */
export function looksRandom(value: string): boolean {
  return /^(?=.*[0-9])(?=.*[A-Za-z])[^\s/:@]{16,}$/.test(value) && !isHarmless(value);
}

/** The password inside of an address such as `postgres://user:password@host/`; empty without one. */
export function passwordsOf(value: string): readonly string[] {
  const [, password] = /^[a-z][a-z0-9+.-]*:\/\/[^:@/\s]*:([^@\s]+)@/.exec(value) ?? [];
  return password === undefined ? [] : [password];
}

/** Whether a value is a word or a number that any sentence may have. */
export function isOrdinary(value: string): boolean {
  return harmless.slice(0, 2).some((pattern) => pattern.test(value));
}

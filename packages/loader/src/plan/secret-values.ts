import { namesSecret } from "@toolmount/core/redact";

/** Words, numbers, folders, and addresses without a password: values that a reader of a message needs. */
const harmless = [
  /^[A-Za-z]+([ ._-][A-Za-z]+)*$/,
  /^[0-9.]{1,6}$/,
  /^(~|\.{0,2})\/[^\n]*$/,
  /^[A-Za-z]:\\[^\n]*$/,
  /^[a-z][a-z0-9+.-]*:\/\/[^@?#\s]*$/,
  /^[a-z0-9.-]+:[0-9]+$/,
];

/** Whether a filled-in value is a secret: by a name, or because it does not have a harmless form. */
export function isSecretValue(value: string, names: readonly string[]): boolean {
  return names.some(namesSecret) || !harmless.some((pattern) => pattern.test(value));
}

/** The password inside of an address such as `postgres://user:password@host/`; empty without one. */
export function passwordsOf(value: string): readonly string[] {
  const [, password] = /^[a-z][a-z0-9+.-]*:\/\/[^:@/\s]*:([^@\s]+)@/.exec(value) ?? [];
  return password === undefined ? [] : [password];
}

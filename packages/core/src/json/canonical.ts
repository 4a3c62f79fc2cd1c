import { hash } from "node:crypto";

/** Returns JSON with object keys in code-unit order, so that equal values give equal texts. `undefined` members are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  let members = "";
  for (const key of Object.keys(value).toSorted()) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** Returns the SHA-256 of the canonical JSON of a value, in hex. */
export function digestOf(value: unknown): string {
  return hash("sha256", canonicalJson(value));
}

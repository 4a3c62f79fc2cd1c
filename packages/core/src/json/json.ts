/** Any value JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; arguments, details and configs are of this kind. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A JSON Schema document: draft-07 or 2020-12, kept as it came. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Tells whether a value is an object that JSON would write with braces. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object, such as arguments, details and configs. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A JSON Schema document of draft-07 or 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Whether a value is an object and not a list, so that JSON writes it with braces. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

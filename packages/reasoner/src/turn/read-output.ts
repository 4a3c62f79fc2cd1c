import type { Json, JsonSchema, Model } from "@toolmount/core";
import { createSchemaCompiler, dropOptionalNulls } from "@toolmount/interop";
import { otherFailure, type ModelError } from "../provider/model-error.ts";

/** The value of a turn's last answer, or why it is not one. */
export type Output =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly error: ModelError };

/** Reads the last answer of a turn with `outputSchema`: JSON, checked by the schema. */
export function readOutput(text: string, schema: JsonSchema, place: Model): Output {
  const refuse = (problem: string): Output => ({
    ok: false,
    error: otherFailure(place, `its answer is not as outputSchema asks: ${problem}`),
  });
  let value: unknown;
  try {
    value = dropOptionalNulls(JSON.parse(text), schema);
  } catch {
    return refuse("it is not JSON");
  }
  const checked = createSchemaCompiler().compile(schema)(value);
  if (checked.ok) return { ok: true, value: value as Json };
  const issues = checked.issues.map(({ path, message }) => `${path.join(".") || "the answer"}: ${message}`);
  return refuse(issues.slice(0, 5).join("; "));
}

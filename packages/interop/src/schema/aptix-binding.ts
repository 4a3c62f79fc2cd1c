import type { JsonSchema } from "@toolmount/core";
import { isRecord } from "./guards.ts";
import { dropOptionalNulls } from "./optional-nulls.ts";

/**
 * Mark of a schema whose arguments are read by the rules of Aptix's JSON reader. As a symbol, it is not part of the schema's
 * JSON.
 */
const bindsAsAptix = Symbol.for("toolmount.nullIsAbsent");

/**
 * Marks a schema so that arguments are read as in Aptix: null for an optional field means that it is absent, and the case of
 * names is ignored if no declared name has the same case.
 */
export function withAptixBinding(schema: JsonSchema): JsonSchema {
  return Object.defineProperty({ ...schema }, bindsAsAptix, { value: true });
}

export function hasAptixBinding(schema: JsonSchema): boolean {
  return (schema as { [bindsAsAptix]?: true })[bindsAsAptix] === true;
}

/** Returns the arguments under the names that the schema declares, and without nulls that mean absence. */
export function bindAsAptix(value: unknown, schema: JsonSchema): unknown {
  return dropOptionalNulls(bindNames(value, schema), schema);
}

function bindNames(value: unknown, schema: JsonSchema): unknown {
  const declared = schema["properties"];
  if (!isRecord(value) || !isRecord(declared)) return value;
  const names = new Map(Object.keys(declared).map((name) => [name.toLowerCase(), name]));
  const bound = Object.entries(value).map(([key, member]): [string, unknown] => {
    const name = names.get(key.toLowerCase());
    return [name === undefined || Object.hasOwn(value, name) ? key : name, member];
  });
  return Object.fromEntries(bound);
}

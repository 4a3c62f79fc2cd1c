import type { JsonSchema } from "@toolmount/core";
import { isRecord } from "./guards.ts";
import { dropOptionalNulls } from "./optional-nulls.ts";

/** Marks a schema whose arguments bind as Aptix's JSON reader binds them. Not part of the JSON. */
const bindsAsAptix = Symbol.for("toolmount.nullIsAbsent");

/**
 * A schema whose arguments bind as in Aptix: null for an optional field means that the field is absent, and names bind
 * without case, where no declared name is given as it is written.
 */
export function withAptixBinding(schema: JsonSchema): JsonSchema {
  return Object.defineProperty({ ...schema }, bindsAsAptix, { value: true });
}

/** Whether a schema was marked by {@link withAptixBinding}. */
export function hasAptixBinding(schema: JsonSchema): boolean {
  return (schema as { [bindsAsAptix]?: true })[bindsAsAptix] === true;
}

/** The arguments under the names that the schema declares, without the nulls that mean absence. */
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

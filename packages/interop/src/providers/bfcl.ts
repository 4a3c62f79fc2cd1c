import type { JsonSchema, ToolDefinition } from "@toolmount/core";
import { defineForeign, type ForeignWork } from "../schema/definition.ts";
import { isRecord, readText } from "../schema/guards.ts";
import { repairSchema } from "../schema/repair.ts";

/** A function of the Berkeley Function Calling Leaderboard as a definition of ours, and what it lost or changed. */
export interface BfclImport {
  readonly definition: ToolDefinition;
  /** The schema of its arguments, as JSON Schema. */
  readonly schema: JsonSchema;
  /** One sentence for each part of the document that is not, or not in the same form, in the definition. */
  readonly losses: readonly string[];
}

/**
 * Imports a function document of the Berkeley Function Calling Leaderboard: `dict` and `float` are types of JSON Schema,
 * and a default of the text `"None"` is left out, since it means that no argument is given. `response` has no place: it
 * does not describe errors, so a result that it does not fit may still be right.
 */
export function fromBfclFunction(document: Readonly<Record<string, unknown>>, work: ForeignWork): BfclImport {
  const { name, description, parameters, response, ...more } = document;
  const { schema: repaired, changes } = repairSchema(isRecord(parameters) ? parameters : emptyObject);
  const losses = changes.map((change) => `parameters: ${change}`);
  if (!isRecord(parameters))
    losses.push("parameters: they are no object, so the function takes no arguments");
  const schema = { ...dropNoneDefaults(repaired, losses), additionalProperties: false };
  if (response !== undefined)
    losses.push("response: it does not describe errors, so no output schema is made of it");
  for (const key of Object.keys(more)) losses.push(`${key}: a definition has no place for it`);
  return {
    definition: defineForeign(document, readText(name), readText(description), schema, work),
    schema,
    losses,
  };
}

const emptyObject = { type: "object", properties: {} };

function dropNoneDefaults(schema: JsonSchema, losses: string[]): JsonSchema {
  const given = isRecord(schema["properties"]) ? schema["properties"] : {};
  const properties = Object.entries(given).map(([name, property]) => {
    if (!isRecord(property) || property["default"] !== "None") return [name, property] as const;
    losses.push(`parameters.properties.${name}: the default "None" is left out: no argument is given`);
    const { default: _none, ...rest } = property;
    return [name, rest] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

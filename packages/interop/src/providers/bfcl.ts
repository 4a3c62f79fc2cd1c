import type { JsonSchema, ToolDefinition } from "@toolmount/core";
import { defineForeign, type ForeignWork } from "../schema/definition.ts";
import { isRecord, readText } from "../schema/guards.ts";
import { repairSchema } from "../schema/repair.ts";

/** A function of the Berkeley Function Calling Leaderboard as a definition of ours, and what was lost or changed. */
export interface BfclImport {
  readonly definition: ToolDefinition;
  /** The JSON Schema of its arguments. */
  readonly schema: JsonSchema;
  /** One sentence for each part of the document that the definition lacks or has in another form. */
  readonly losses: readonly string[];
}

/**
 * Imports a function document of the Berkeley Function Calling Leaderboard. Its types `dict` and `float` become types of JSON
 * Schema. A default of the text `"None"` is left out, because it means that no argument is given. `response` is left out,
 * because it does not describe errors, so a result that does not fit it may still be right.
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

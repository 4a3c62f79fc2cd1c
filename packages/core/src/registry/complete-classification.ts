import type { Logger } from "../contract/logger.ts";
import type { ToolDefinition } from "../contract/tool.ts";

/** The strictest classification. A definition that leaves a member out gets the value of that member from here. */
export const strictest = {
  category: "side_effect",
  consequenceLevel: "high",
  requiresConfirmation: true,
} as const;

const members = ["category", "consequenceLevel", "requiresConfirmation"] as const;

/** Marks a definition that was made from a tool whose contract has no classification. */
const unclassified = Symbol.for("toolmount.unclassified");

/** Marks a definition as made from a tool of another library. Missing members of its classification then stay missing. */
export function foreignDefinition(definition: ToolDefinition): ToolDefinition {
  return Object.assign(definition, { [unclassified]: true });
}

/** Whether a definition was made from a tool of another library, which has no classification. */
export function isForeignDefinition(definition: ToolDefinition): boolean {
  return unclassified in definition;
}

/** Completes a classification, and logs what was missing. Tools of contracts without a classification stay as they are. */
export function completeClassification(definition: ToolDefinition, logger: Logger): ToolDefinition {
  const { name, description, schema, origin } = definition;
  if ((origin !== undefined && origin !== "forge") || isForeignDefinition(definition)) return definition;
  const missing = members.filter((member) => definition[member] === undefined);
  if (missing.length === 0) return definition;
  const assumed = Object.fromEntries(missing.map((member) => [member, strictest[member]]));
  const message = `the definition of a tool has no ${missing.join(", ")}: the strictest value is assumed`;
  logger.warn({ tool: name, missing, assumed }, message);
  // Members of a class are not own properties, so the spread leaves them out.
  return {
    ...definition,
    name,
    description,
    schema,
    category: definition.category ?? strictest.category,
    consequenceLevel: definition.consequenceLevel ?? strictest.consequenceLevel,
    requiresConfirmation: definition.requiresConfirmation ?? strictest.requiresConfirmation,
    execute: (params, context) => definition.execute(params, context),
    ...(definition.preview && { preview: (params, context) => definition.preview!(params, context) }),
    ...(definition.undo && { undo: (change, context) => definition.undo!(change, context) }),
  };
}

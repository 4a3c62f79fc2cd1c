import type { Logger } from "../contract/logger.ts";
import type { ToolDefinition } from "../contract/tool.ts";

/** The value that a definition gets for a member of its classification that it leaves out: the strictest. */
export const strictest = {
  category: "side_effect",
  consequenceLevel: "high",
  requiresConfirmation: true,
} as const;

const members = ["category", "consequenceLevel", "requiresConfirmation"] as const;

/** The mark of a definition that was made from a tool whose contract has no classification. */
const unclassified = Symbol.for("toolmount.unclassified");

/** A definition made from a tool of another library: members of the classification that are missing stay missing. */
export function foreignDefinition(definition: ToolDefinition): ToolDefinition {
  return Object.assign(definition, { [unclassified]: true });
}

/** Whether a definition was made from a tool of another library, which has no classification. */
export function isForeignDefinition(definition: ToolDefinition): boolean {
  return unclassified in definition;
}

/** Completes a classification, and logs what is missing. Tools of contracts without one stay as they are. */
export function completeClassification(definition: ToolDefinition, logger: Logger): ToolDefinition {
  const { name, description, schema, origin } = definition;
  if ((origin !== undefined && origin !== "forge") || isForeignDefinition(definition)) return definition;
  const missing = members.filter((member) => definition[member] === undefined);
  if (missing.length === 0) return definition;
  const assumed = Object.fromEntries(missing.map((member) => [member, strictest[member]]));
  const message = `the definition of a tool has no ${missing.join(", ")}: the strictest value is assumed`;
  logger.warn({ tool: name, missing, assumed }, message);
  // Members of a class are not own properties: the spread leaves them out.
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

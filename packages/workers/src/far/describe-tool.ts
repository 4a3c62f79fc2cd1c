import type { ToolDefinition, ToolInfo } from "@toolmount/core";
import { isForeignDefinition } from "@toolmount/core/modules";
import type { DescribedTool } from "./described-tool.ts";

/** Members of a definition that are reported unchanged. */
const facts = [
  "name",
  "description",
  "category",
  "consequenceLevel",
  "timeout",
  "maxTimeout",
  "usage",
  "summary",
  "execution",
  "modes",
  "alwaysOffered",
  "status",
  "tags",
  "version",
  "dependsOn",
  "dynamic",
  "idempotent",
  "repeatable",
  "idempotentUndo",
  "irreversible",
  "question",
  "control",
  "content",
  "origin",
] as const satisfies readonly (keyof ToolDefinition)[];

/** Returns the facts of a mounted tool as JSON, which the host checks. */
export function describeTool(definition: ToolDefinition, info: ToolInfo): DescribedTool {
  const { inputSchema, outputSchema } = info;
  const { requiresConfirmation } = definition;
  const asks = typeof requiresConfirmation === "function" ? "dynamic" : requiresConfirmation;
  const members = Object.fromEntries(facts.map((fact) => [fact, definition[fact]]));
  const failuresOf = definition.failures?.className;
  const [alias] = info.aliases;
  const foreign = isForeignDefinition(definition) ? true : undefined;
  const described = {
    ...members,
    foreign,
    alias,
    requiresConfirmation: asks,
    inputSchema,
    outputSchema,
    failuresOf,
    undoable: info.undoable,
    previews: info.previews,
  };
  return JSON.parse(JSON.stringify(described)) as DescribedTool;
}

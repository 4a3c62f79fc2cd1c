import { ToolmountError, type ToolAdapter, type ToolDefinition } from "@toolmount/core";

/** What `defineTool` marks its tools with; those are ours. */
const authored = Symbol.for("toolmount.authored");

const classification = ["category", "consequenceLevel", "requiresConfirmation"] as const;

/** Members under which Amplifier's tools keep their schema; a definition without any schema is still one of Tool-Forge's. */
const others = ["input_schema", "inputSchema", "get_schema", "getSchema", "ExecuteAsync"] as const;

/** Members that only our definitions have. */
const ours = [
  "usage",
  "summary",
  "outputSchema",
  "execution",
  "modes",
  "dynamic",
  "idempotent",
  "origin",
] as const;

/**
 * Renders Tool-Forge definitions: schema by Zod or as JSON Schema, all three fields of the classification, and nothing
 * that is toolmount's own. They return whole results. The rules of that contract hold when a tool is mounted.
 */
export const forgeAdapter: ToolAdapter = {
  name: "forge",
  recognises: isForgeTool,
  adapt(thing) {
    const tool = thing as ToolDefinition;
    const breach = breachOf(tool);
    if (breach !== null)
      throw new ToolmountError("TOOL_INVALID", { tool: String(tool.name).slice(0, 128), ...breach });
    return bound(tool);
  },
};

/** Whether a thing is a Tool-Forge definition that was not written for toolmount. */
function isForgeTool(thing: unknown): boolean {
  if (typeof thing !== "object" || thing === null || authored in thing) return false;
  const has = (member: string) => member in thing;
  return has("execute") && classification.every(has) && !others.some(has) && !ours.some(has);
}

function breachOf({ name, schema }: Partial<ToolDefinition>): { rule: string; problem: string } | null {
  if (typeof name !== "string" || !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))
    return { rule: "name_snake_case", problem: "its name is not lower snake case" };
  if (name.length > 64)
    return {
      rule: "name_snake_case",
      problem: "its name has more than 64 characters, which no provider takes",
    };
  return schema === undefined ? { rule: "schema_required", problem: "it has no schema" } : null;
}

/** Methods stay bound to the definition, which may be an instance of a class. */
function bound(tool: ToolDefinition): ToolDefinition {
  const { name, description, schema, category, consequenceLevel, requiresConfirmation } = tool;
  const { timeout, tags, version, status, dependsOn } = tool;
  return {
    name,
    description,
    schema,
    category,
    consequenceLevel,
    requiresConfirmation,
    ...(timeout === undefined ? {} : { timeout }),
    ...(tags === undefined ? {} : { tags }),
    ...(version === undefined ? {} : { version }),
    ...(status === undefined ? {} : { status }),
    ...(dependsOn === undefined ? {} : { dependsOn }),
    origin: "forge",
    execute: (params, context) => tool.execute(params, context),
  };
}

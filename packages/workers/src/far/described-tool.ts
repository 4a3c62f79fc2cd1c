import type { JsonSchema, ToolDefinition, ToolInfo } from "@toolmount/core";
import { frozenCopy } from "@toolmount/core/internal";
import { z } from "zod";

/** Longest schema of a tool, in characters of JSON. The compiler of JSON Schemas takes no longer one. */
const maxSchemaLength = 500_000;

/** JSON that is neither nested too deep nor has a key that changes a prototype. */
const schema = z.custom<JsonSchema>(isSchema, {
  error: `a schema is a JSON object of at most ${maxSchemaLength} characters`,
});

function isSchema(value: unknown): boolean {
  try {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && JSON.stringify(frozenCopy(value)).length <= maxSchemaLength;
  } catch {
    return false;
  }
}

const line = z.string().max(200);
const lines = z.array(line).max(100);

/** The facts of a tool that its module, in a process of its own, reports to the host. All of it may be forged. */
export const describedTool = z.strictObject({
  name: z.string().max(128),
  description: z.string().max(50_000),
  inputSchema: schema,
  outputSchema: schema.optional(),
  category: z.enum(["read", "write", "delete", "side_effect"]).optional(),
  consequenceLevel: z.enum(["low", "medium", "high"]).optional(),
  requiresConfirmation: z.union([z.boolean(), z.literal("dynamic")]).optional(),
  timeout: z.int().min(0).optional(),
  usage: z.string().max(200_000).optional(),
  summary: z.string().max(5_000).optional(),
  execution: z.enum(["server", "client"]).optional(),
  modes: lines.optional(),
  alwaysOffered: z.boolean().optional(),
  status: z.enum(["active", "deprecated"]).optional(),
  tags: lines.optional(),
  version: line.optional(),
  dependsOn: lines.optional(),
  dynamic: z.boolean().optional(),
  idempotent: z.boolean().optional(),
  origin: z.enum(["aptix", "amplifier", "forge", "mcp"]).optional(),
});

/** A tool that runs in a process, as the host knows it. */
export type DescribedTool = z.output<typeof describedTool>;

/** Most tools of one module. */
export const maxTools = 1_000;

/** Members of a definition that are reported as they are. */
const facts = [
  "name",
  "description",
  "category",
  "consequenceLevel",
  "timeout",
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
  "origin",
] as const satisfies readonly (keyof ToolDefinition)[];

/** The facts of a mounted tool. Throws for one that the host would not take. */
export function describeTool(definition: ToolDefinition, info: ToolInfo): DescribedTool {
  const { inputSchema, outputSchema } = info;
  const { requiresConfirmation } = definition;
  const asks = typeof requiresConfirmation === "function" ? "dynamic" : requiresConfirmation;
  const members = Object.fromEntries(facts.map((fact) => [fact, definition[fact]]));
  const described = { ...members, requiresConfirmation: asks, inputSchema, outputSchema };
  const parsed = describedTool.safeParse(JSON.parse(JSON.stringify(described)));
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new Error(`the definition of "${definition.name}" is not valid: ${path.join(".")}: ${message}`);
}

/**
 * The definition that the host mounts for a tool that it never imports. Whether the tool asks by its arguments is for
 * its own code to say, which the host does not run, so a person is always asked.
 */
export function placeholder(tool: DescribedTool): ToolDefinition {
  const { inputSchema, requiresConfirmation, origin, ...known } = tool;
  return {
    ...known,
    // Also when it is undefined: without the member, the adapter of Tool-Forge would take the definition for one of its own.
    origin,
    schema: inputSchema,
    requiresConfirmation: requiresConfirmation === "dynamic" ? () => true : requiresConfirmation,
    execute: () => Promise.reject(new Error(`the tool "${tool.name}" runs only behind its border`)),
  };
}

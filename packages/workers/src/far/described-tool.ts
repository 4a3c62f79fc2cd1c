import type { JsonSchema } from "@toolmount/core";
import { frozenCopy } from "@toolmount/core/json";
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
  /** Another name under which the module mounts it. */
  alias: z.string().max(128).optional(),
  description: z.string().max(50_000),
  inputSchema: schema,
  outputSchema: schema.optional(),
  category: z.enum(["read", "write", "delete", "side_effect"]).optional(),
  consequenceLevel: z.enum(["low", "medium", "high"]).optional(),
  requiresConfirmation: z.union([z.boolean(), z.literal("dynamic")]).optional(),
  timeout: z.int().min(0).optional(),
  maxTimeout: z.int().min(0).optional(),
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
  repeatable: z.boolean().optional(),
  idempotentUndo: z.boolean().optional(),
  irreversible: z.boolean().optional(),
  /** It has `undo`. */
  undoable: z.boolean().optional(),
  /** It has `preview`. */
  previews: z.boolean().optional(),
  question: z.string().max(1_000).optional(),
  control: lines.optional(),
  content: lines.optional(),
  origin: z.enum(["aptix", "amplifier", "forge", "mcp"]).optional(),
  /** It is of another library, and has no classification. */
  foreign: z.literal(true).optional(),
  /** The name that its contract puts into logs of its failures. */
  failuresOf: line.optional(),
});

/** A tool that runs in a process, as the host knows it. */
export type DescribedTool = z.output<typeof describedTool>;

/** Most tools of one module. */
export const maxTools = 1_000;

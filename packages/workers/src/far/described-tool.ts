import type { JsonSchema } from "@toolmount/core";
import { frozenCopy } from "@toolmount/core/json";
import { z } from "zod";

/** Longest schema of a tool, in characters of JSON; the compiler of JSON Schemas has the same limit. */
const maxSchemaLength = 500_000;

/** Checks that a value is a JSON object of limited length and depth, without a key that would change a prototype. */
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

/** What a module's process reports to the host about one of its tools. All of it may be forged. */
export const describedTool = z.strictObject({
  name: z.string().max(128),
  /** Another name under which the module mounts the tool. */
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
  /** Whether the tool has `undo`. */
  undoable: z.boolean().optional(),
  /** Whether the tool has `preview`. */
  previews: z.boolean().optional(),
  question: z.string().max(1_000).optional(),
  control: lines.optional(),
  content: lines.optional(),
  origin: z.enum(["aptix", "amplifier", "forge", "mcp"]).optional(),
  /** Set if the tool is of another library, and has no classification. */
  foreign: z.literal(true).optional(),
  /** The name with which the tool's contract logs its failures. */
  failuresOf: line.optional(),
});

/** A tool that runs in another process, as far as the host knows it. */
export type DescribedTool = z.output<typeof describedTool>;

/** Maximum number of tools of one module. */
export const maxTools = 1_000;

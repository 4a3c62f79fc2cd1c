import {
  ToolmountError,
  type AdapterServices,
  type JsonSchema,
  type StandardSchema,
  type ToolAdapter,
  type ToolContext,
  type ToolDefinition,
} from "@toolmount/core";
import { completeClassification } from "@toolmount/core/modules";

/** What a call of a Tool-Forge tool is about. */
export type ForgeContext = Pick<ToolContext, "abortSignal" | "userId" | "client" | "auth">;

/** What a Tool-Forge tool returns: always its name and a time, and either data or an error. */
export type ForgeResult<Data = unknown> = {
  readonly tool: string;
  /** ISO 8601, when the attempt was made. */
  readonly fetchedAt: string;
} & ({ readonly data: Data; readonly error?: never } | { readonly error: string; readonly data?: never });

/** A tool as Tool-Forge defines it. */
export interface ForgeTool<Params = never> {
  readonly name: string;
  readonly description: string;
  /** Of a library of schemas, or JSON Schema. */
  readonly schema: StandardSchema | JsonSchema;
  readonly category: "read" | "write" | "delete" | "side_effect";
  readonly consequenceLevel: "low" | "medium" | "high";
  readonly requiresConfirmation: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly tags?: readonly string[];
  readonly version?: string;
  readonly dependsOn?: readonly string[];
  execute(params: Params, context: ForgeContext): Promise<ForgeResult>;
}

/** The mark of tools that `defineTool` made; those are ours. */
const authored = Symbol.for("toolmount.authored");

const classification = ["category", "consequenceLevel", "requiresConfirmation"] as const;

/** The mark of definitions that were made from a tool of a library. */
const converted = Symbol.for("toolmount.unclassified");

/** Members under which Amplifier's tools keep their schema. */
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
  "undo",
  "irreversible",
  "preview",
  "origin",
] as const;

/**
 * Renders Tool-Forge definitions: schema by Zod or as JSON Schema, members of the classification, and nothing that is
 * toolmount's own. They return whole results. The rules of that contract hold when a tool is mounted (`TOOL_INVALID`). A
 * missing member of the classification counts as the strictest value, and is logged.
 */
export const forgeAdapter: ToolAdapter = {
  name: "forge",
  recognises: isForgeTool,
  adapt(thing, { logger }: AdapterServices) {
    const tool = thing as ToolDefinition;
    const breach = breachOf(tool);
    if (breach !== null)
      throw new ToolmountError("TOOL_INVALID", { tool: String(tool.name).slice(0, 128), ...breach });
    return bound(completeClassification(tool, logger));
  },
};

/**
 * Whether a thing is a Tool-Forge definition, however incomplete, that was not written for toolmount. A complete one with
 * a Zod schema has toolmount's own shape, too: it is one of Tool-Forge only if its name follows that contract.
 */
function isForgeTool(thing: unknown): boolean {
  if (typeof thing !== "object" || thing === null || authored in thing || converted in thing) return false;
  const has = (member: string) => member in thing;
  if (!has("execute") || !classification.some(has) || others.some(has) || ours.some(has)) return false;
  return hasNameOfForge(thing) || !isOfOurShape(thing);
}

function isOfOurShape(thing: object): boolean {
  const { schema } = thing as { readonly schema?: unknown };
  const hasParser = typeof schema === "object" && schema !== null && "~standard" in schema;
  return hasParser && classification.every((member) => thing[member as never] !== undefined);
}

function hasNameOfForge({ name }: { readonly name?: unknown }): boolean {
  return isSnakeCase(name) && name.length <= 64;
}

function isSnakeCase(name: unknown): name is string {
  return typeof name === "string" && /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name);
}

function breachOf({ name, schema, version }: Partial<ToolDefinition>): {
  readonly rule: string;
  readonly problem: string;
} | null {
  if (!isSnakeCase(name))
    return {
      rule: "name_snake_case",
      problem:
        "its name is not lower snake case, as Tool-Forge's definitions need it; make the tool with defineTool if it is written for toolmount",
    };
  if (name.length > 64)
    return { rule: "name_snake_case", problem: "its name has more than 64 characters; no provider takes it" };
  if (schema === undefined) return { rule: "schema_required", problem: "it has no schema" };
  if (version !== undefined && !isVersion(version))
    return {
      rule: "version_semver",
      problem: `its version ${JSON.stringify(version)} is not a semantic version; write it like "1.0.0"`,
    };
  return null;
}

/** Source: semver.org, with pre-release and build parts. */
function isVersion(version: unknown): boolean {
  return (
    typeof version === "string" &&
    /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/.test(version)
  );
}

/** Methods stay bound to the definition, which may be an instance of a class. */
function bound(tool: ToolDefinition): ToolDefinition {
  const { name, description, schema, timeout, tags, version, status, dependsOn } = tool;
  const { category, consequenceLevel, requiresConfirmation } = tool;
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

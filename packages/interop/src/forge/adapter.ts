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

/** The context that a Tool-Forge tool gets with a call. */
export type ForgeContext = Pick<ToolContext, "abortSignal" | "userId" | "client" | "auth">;

/** The result of a Tool-Forge tool: always its name and a time, and either data or an error. */
export type ForgeResult<Data = unknown> = {
  readonly tool: string;
  /** Time of the attempt, in ISO 8601. */
  readonly fetchedAt: string;
} & ({ readonly data: Data; readonly error?: never } | { readonly error: string; readonly data?: never });

/** A tool as Tool-Forge defines it. */
export interface ForgeTool<Params = never> {
  readonly name: string;
  readonly description: string;
  /** A schema of a library, or JSON Schema. */
  readonly schema: StandardSchema | JsonSchema;
  readonly category: "read" | "write" | "delete" | "side_effect";
  readonly consequenceLevel: "low" | "medium" | "high";
  readonly requiresConfirmation: boolean;
  /** In milliseconds. */
  readonly timeout?: number;
  readonly tags?: readonly string[];
  readonly version?: string;
  readonly dependsOn?: readonly string[];
  execute(params: Params, context: ForgeContext): Promise<ForgeResult>;
}

/** Mark of the tools that toolmount's own `defineTool` made. */
const authored = Symbol.for("toolmount.authored");

const classification = ["category", "consequenceLevel", "requiresConfirmation"] as const;

/** Mark of definitions that were converted from a library's tool. */
const converted = Symbol.for("toolmount.unclassified");

/** Members of tools of other contracts, mostly those with the schema. */
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
 * The adapter for Tool-Forge definitions, which have a Zod schema or JSON Schema, members of the classification, and none of
 * toolmount's own members. Their `execute` returns a {@link ForgeResult}. The contract's rules are checked when a tool is
 * mounted (`TOOL_INVALID`). A missing member of the classification counts as the strictest value, and is logged.
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
 * Whether a thing is a Tool-Forge definition, perhaps incomplete, that was not written for toolmount. A complete one with a Zod
 * schema looks like toolmount's own, so it counts as Tool-Forge's only if its name follows that contract.
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

/** Whether a value is a semantic version, with optional pre-release and build parts. Source: semver.org. */
function isVersion(version: unknown): boolean {
  return (
    typeof version === "string" &&
    /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/.test(version)
  );
}

/** Returns the definition with its methods bound to it, because it may be an instance of a class. */
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

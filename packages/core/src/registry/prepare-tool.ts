import { authoredDefinition } from "./define-tool.ts";
import { defaultTimeoutMs, type ToolDefinition, type ToolInfo } from "../contract/tool.ts";
import { digestOf } from "../json/canonical.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { Limits, ToolShape } from "../contract/host.ts";
import type { Clock } from "../contract/clock.ts";
import { requireCount, requireRate } from "../scheduling/check-limits.ts";
import type { ModuleState } from "./module.ts";
import type { PolicyJudge, SchemaCompiler } from "../contract/ports.ts";
import { lockDigest } from "./lock-digest.ts";
import { overrideArguments } from "../schema/argument-overrides.ts";
import { prepareSchema, type PreparedSchema } from "../schema/schema.ts";
import { Pace } from "../scheduling/rate-limiter.ts";
import { Slots } from "../scheduling/semaphore.ts";
import { requireJsonSchema } from "../schema/require-json-schema.ts";

/** Everything about a tool that can be known before it is called. */
export interface MountedTool {
  readonly name: string;
  readonly declaredName: string;
  readonly aliases: readonly string[];
  readonly owner: string;
  readonly module: ModuleState;
  readonly definition: ToolDefinition;
  readonly info: ToolInfo;
  readonly parse: PreparedSchema["parse"];
  readonly checkOutput: PreparedSchema["parse"] | null;
  readonly limits: Limits;
  readonly timeoutMs: number;
  /** Name of the runner; null runs in this process. */
  readonly runner: string | null;
  readonly override: boolean;
  /** Offered names that the declared ones mean which it calls. */
  readonly uses: Readonly<Record<string, string>> | null;
  readonly slots: Slots | null;
  readonly pace: Pace | null;
  /** Judges of each generation's policies, prepared at the first call under it. */
  judges: { readonly policies: readonly unknown[]; readonly list: readonly PolicyJudge[] } | null;
  /** Calls that were given up and have not come back. */
  abandoned: number;
  /** Whether it is another tool than the plan's lock knows; found out when first asked for. */
  readonly drifted: () => boolean;
  /** Digest of the definition; made when first asked for. */
  readonly digest: () => string;
}

export interface MountOptions {
  readonly module: ModuleState;
  readonly shape: ToolShape;
  readonly alias?: string | undefined;
  readonly compiler: SchemaCompiler | null;
  /** The host's, for what neither plan nor tool says. */
  readonly defaults: Limits;
  readonly clock: Clock;
}

/** Checks a definition and prepares it. Throws `TOOL_INVALID`, `SCHEMA_NOT_JSON` or `EXTENSION_MISSING`. */
export function prepareTool(given: ToolDefinition, options: MountOptions): MountedTool {
  const authored = authoredDefinition(given);
  const definition = options.shape.definition ?? authored;
  requireValid(authored);
  const declaredName = authored.name;
  const name = options.shape.name ?? declaredName;
  requireName(name);
  const input = prepareInput(name, definition, options);
  const output =
    definition.outputSchema === undefined
      ? null
      : prepareSchema(name, definition.outputSchema, options.compiler);
  const limits = options.shape.limits ?? {};
  const timeoutMs = requireTimeout(
    name,
    limits.timeoutMs ?? definition.timeout ?? options.defaults.timeoutMs ?? defaultTimeoutMs,
  );
  const { concurrent = options.defaults.concurrent, rate = options.defaults.rate } = limits;
  requireCount(`limits.concurrent of tool "${name}"`, concurrent);
  requireRate(`limits.rate of tool "${name}"`, rate);
  const aliases = options.alias === undefined || options.alias === name ? [] : [options.alias];
  const info = describe({
    name,
    declaredName,
    definition,
    input,
    output,
    timeoutMs,
    aliases,
    owner: options.module.id,
  });
  return {
    name,
    declaredName,
    aliases,
    owner: options.module.id,
    module: options.module,
    definition,
    info,
    parse: input.parse,
    checkOutput: output?.parse ?? null,
    limits,
    timeoutMs,
    runner:
      options.shape.runner === undefined || options.shape.runner === "inline" ? null : options.shape.runner,
    override: options.shape.override ?? false,
    uses: options.shape.uses ?? null,
    slots: concurrent === undefined ? null : new Slots(concurrent),
    pace: rate === undefined ? null : new Pace(rate, options.clock),
    judges: null,
    abandoned: 0,
    drifted: driftOf(info, options.shape.lockedAs),
    digest: once(() => digestOf({ ...info, owner: undefined })),
  };
}

function prepareInput(
  name: string,
  definition: ToolDefinition,
  { shape, compiler }: MountOptions,
): PreparedSchema {
  const declared = prepareSchema(name, definition.schema, compiler);
  requireObject(name, declared);
  const input = shape.arguments === undefined ? declared : overrideArguments(name, declared, shape.arguments);
  requireJsonSchema(name, input);
  return input;
}

const namePattern = /^[A-Za-z0-9_.-]{1,128}$/;

function requireName(name: string): void {
  if (typeof name !== "string" || !namePattern.test(name))
    throw new ToolmountError("TOOL_INVALID", {
      tool: String(name).slice(0, 128),
      problem: "its name must be 1 to 128 of letters, digits, _ . and -",
    });
  if (name in Object.prototype)
    throw new ToolmountError("TOOL_INVALID", {
      tool: name,
      problem: "its name is that of a member of every JavaScript object",
    });
}

function requireValid(definition: ToolDefinition): void {
  const problem = problemOf(definition);
  if (problem !== null)
    throw new ToolmountError("TOOL_INVALID", { tool: String(definition.name).slice(0, 128), problem });
}

function problemOf(definition: ToolDefinition): string | null {
  const { description, category, consequenceLevel, requiresConfirmation, execution, status } = definition;
  if (typeof definition.name !== "string") return "its name is not a text";
  if (typeof description !== "string" || description.trim() === "") return "its description is missing";
  if (typeof definition.execute !== "function") return "it has no execute";
  if (category !== undefined && !["read", "write", "delete", "side_effect"].includes(category))
    return `its category is ${JSON.stringify(category)}; it may be read, write, delete or side_effect`;
  if (consequenceLevel !== undefined && !["low", "medium", "high"].includes(consequenceLevel))
    return `its consequenceLevel is ${JSON.stringify(consequenceLevel)}; it may be low, medium or high`;
  if (requiresConfirmation !== undefined && !["boolean", "function"].includes(typeof requiresConfirmation))
    return "its requiresConfirmation is neither true, false nor a function";
  if (execution !== undefined && !["server", "client"].includes(execution))
    return "its execution is neither server nor client";
  if (status !== undefined && !["active", "deprecated", "removed"].includes(status))
    return "its status is none of active, deprecated, removed";
  return null;
}

/** Above 2^31-1 a timer fires at once. */
function requireTimeout(tool: string, timeoutMs: number): number {
  if (Number.isInteger(timeoutMs) && timeoutMs >= 0 && timeoutMs <= 2_147_483_647) return timeoutMs;
  throw new ToolmountError("TOOL_INVALID", {
    tool,
    problem: `its timeout is ${String(timeoutMs)}; it must be a whole number of milliseconds from 1 to 2147483647, or 0 for none`,
  });
}

function requireObject(tool: string, { json }: PreparedSchema): void {
  if (json["type"] !== undefined && json["type"] !== "object")
    throw new ToolmountError("TOOL_INVALID", {
      tool,
      problem: `its schema is of type ${JSON.stringify(json["type"])}; arguments are an object`,
    });
}

function describe(parts: {
  name: string;
  declaredName: string;
  definition: ToolDefinition;
  input: PreparedSchema;
  output: PreparedSchema | null;
  timeoutMs: number;
  aliases: readonly string[];
  owner: string;
}): ToolInfo {
  const { definition, output } = parts;
  const { requiresConfirmation, tags, dependsOn } = definition;
  return Object.freeze({
    name: parts.name,
    declaredName: parts.declaredName,
    description: definition.description,
    inputSchema: parts.input.json,
    ...(output === null ? {} : { outputSchema: output.json }),
    ...present(definition, ["category", "consequenceLevel", "usage", "summary", "modes", "version"]),
    requiresConfirmation:
      typeof requiresConfirmation === "function" ? ("dynamic" as const) : (requiresConfirmation ?? false),
    timeoutMs: parts.timeoutMs,
    execution: definition.execution ?? "server",
    alwaysOffered: definition.alwaysOffered ?? false,
    status: definition.status ?? "active",
    tags: Object.freeze([...(tags ?? [])]),
    dependsOn: Object.freeze([...(dependsOn ?? [])]),
    idempotent: definition.idempotent ?? false,
    dynamic: definition.dynamic ?? false,
    origin: definition.origin ?? "toolmount",
    aliases: Object.freeze([...parts.aliases]),
    owner: parts.owner,
  });
}

function present<Key extends keyof ToolDefinition>(definition: ToolDefinition, keys: readonly Key[]) {
  const entries = keys.filter((key) => definition[key] !== undefined).map((key) => [key, definition[key]]);
  return Object.fromEntries(entries) as { [Name in Key]?: NonNullable<ToolDefinition[Name]> };
}

function driftOf(info: ToolInfo, lockedAs: string | null | undefined): () => boolean {
  if (lockedAs === undefined) return never;
  return once(() => lockDigest(info) !== lockedAs);
}

const never = () => false;

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

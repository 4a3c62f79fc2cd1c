import { fitUsage } from "./fit-usage.ts";
import { approvalDigest, lockDigest } from "./lock-digest.ts";
import { defaultTimeoutMs, type ToolDefinition, type ToolInfo } from "../contract/tool.ts";
import { withoutUndefined } from "../json/without-undefined.ts";
import type { Limits, ModuleOptions, ToolShape } from "../contract/host.ts";
import type { Clock } from "../contract/clock.ts";
import type { PolicyJudge, SchemaCompiler } from "../contract/ports.ts";
import { requireCount } from "../scheduling/limits.ts";
import { requireRate } from "../scheduling/rate.ts";
import { RateLimiter, type ServerShare } from "../scheduling/rate-limiter.ts";
import { Semaphore } from "../scheduling/semaphore.ts";
import { maskInfo } from "../result/mask-result.ts";
import { overrideArguments } from "../schema/argument-overrides.ts";
import { areClean } from "../scan/text.ts";
import { prepareSchema, type PreparedSchema } from "../schema/schema.ts";
import { requireJsonSchema } from "../schema/require-json-schema.ts";
import { requireObject, requireTimeout, requireValid } from "./check-definition.ts";

interface ToolModule {
  readonly id: string;
  readonly options: ModuleOptions;
}

export interface MountedTool {
  readonly name: string;
  readonly declaredName: string;
  readonly aliases: readonly string[];
  readonly owner: string;
  readonly module: ToolModule;
  readonly definition: ToolDefinition;
  readonly info: ToolInfo;
  /** Parses arguments. Prepares the schemas at the first use, unless they are prepared already. */
  parse: PreparedSchema["parse"];
  checkOutput: PreparedSchema["parse"] | null;
  readonly limits: Limits;
  readonly timeoutMs: number;
  /** Milliseconds that a call that reports progress may take in all; 0 if progress changes nothing. */
  readonly maxTimeoutMs: number;
  /** Name of the runner; null for this process. */
  readonly runner: string | null;
  readonly override: boolean;
  /** For tools that call tools: maps names that the author wrote to offered names. */
  readonly uses: Readonly<Record<string, string>> | null;
  readonly semaphore: Semaphore | null;
  readonly rateLimiter: RateLimiter | null;
  /** The judges of the current generation's policies for this tool, prepared at its first call in the generation. */
  judges: ToolJudges | null;
  /** Number of calls that ended before their tool, which still runs. */
  abandoned: number;
  /** Returns whether the tool differs from the plan's lock file; computed at the first use. Null without a lock file. */
  readonly drifted: (() => boolean) | null;
  /** Whether the plan's lock file has a tool of this name. */
  readonly isLocked: boolean;
  readonly digest: () => string;
}

/** The judges of one tool. */
export interface ToolJudges {
  readonly policies: readonly unknown[];
  readonly list: readonly PolicyJudge[];
  /** Whether one of the judges reads the results of the session. */
  readonly seeResults: boolean;
}

interface PrepareOptions {
  readonly module: ToolModule;
  readonly shape: ToolShape;
  readonly alias?: string | undefined;
  readonly compiler: SchemaCompiler | null;
  readonly defaults: Limits;
  readonly clock: Clock;
  /** The share of a rate that this server has. */
  readonly share: ServerShare;
  /** Throws if a text of the tool is not allowed. */
  readonly review: (info: ToolInfo) => void;
  /** Whether the tool's schemas are prepared and its texts reviewed only at the first use, which then throws their errors. */
  readonly isLate: boolean;
  /** Masks secrets in the texts of a tool; null as long as no secret is known. */
  readonly mask: ((text: string) => string) | null;
}

/** Checks a definition and prepares it. Throws `TOOL_INVALID`, `SCHEMA_NOT_JSON` or `EXTENSION_MISSING`. */
export function prepareTool(authored: ToolDefinition, options: PrepareOptions): MountedTool {
  const { shape, module, defaults } = options;
  const definition = shape.definition ?? authored;
  const declaredName = authored.name;
  const name = shape.name ?? declaredName;
  requireValid(authored, name, () => prepareSchema(name, authored.schema, options.compiler));
  const limits = shape.limits ?? {};
  const timeoutMs = requireTimeout(
    name,
    limits.timeoutMs ?? definition.timeout ?? defaults.timeoutMs ?? defaultTimeoutMs,
  );
  const { concurrent = defaults.concurrent, rate = defaults.rate } = limits;
  requireCount(`limits.concurrent of tool "${name}"`, concurrent);
  if (rate !== undefined) requireRate(`limits.rate of tool "${name}"`, rate);
  const aliases = options.alias === undefined || options.alias === name ? [] : [options.alias];
  const names = { name, declaredName, aliases, owner: module.id };
  const { usage, outputSchema: outputs } = definition;
  const fitted =
    usage === undefined || shape.arguments === undefined
      ? definition
      : { ...definition, usage: fitUsage(usage, shape.arguments) };
  const described = describe(fitted, names, timeoutMs, emptySchemas(definition));
  const facts = options.mask === null ? described : maskInfo(described, options.mask);
  const late = once(() => {
    const made = prepareSchemas(name, definition, options);
    if (made.texts === null || !areClean([...textsOf(facts), ...made.texts]))
      options.review({ ...facts, ...made.json() });
    return made;
  });
  if (!options.isLate) late();
  const info = withLateSchemas(facts, late);
  const tool: MountedTool = {
    ...names,
    module,
    definition,
    info,
    parse: (value) => (tool.parse = late().parse)(value),
    checkOutput: outputs === undefined ? null : (value) => (tool.checkOutput = late().checkOutput!)(value),
    limits,
    timeoutMs,
    maxTimeoutMs: limits.timeoutMs === undefined ? requireTimeout(name, definition.maxTimeout ?? 0) : 0,
    runner: shape.runner === undefined || shape.runner === "inline" ? null : shape.runner,
    override: shape.override ?? false,
    uses: shape.uses ?? null,
    semaphore: concurrent === undefined ? null : new Semaphore(concurrent),
    rateLimiter: rate === undefined ? null : new RateLimiter(rate, options.clock, options.share),
    judges: null,
    abandoned: 0,
    isLocked: typeof shape.lockedAs === "string",
    drifted: shape.lockedAs === undefined ? null : once(() => lockDigest(info) !== shape.lockedAs),
    digest: once(() => approvalDigest(info, definition, module.options.code)),
  };
  return tool;
}

function textsOf({
  description,
  usage = "",
  summary = "",
  question = "",
  tags,
}: ToolInfo): readonly string[] {
  return [description, usage, summary, question, ...tags];
}

type JsonSchemas = Pick<ToolInfo, "inputSchema" | "outputSchema">;

interface ToolSchemas extends Pick<MountedTool, "parse" | "checkOutput"> {
  readonly json: () => JsonSchemas;
  /** All texts of the JSON Schemas; null if the schemas are already printed. */
  readonly texts: readonly string[] | null;
}

function prepareSchemas(name: string, definition: ToolDefinition, options: PrepareOptions): ToolSchemas {
  const input = prepareInput(name, definition, options);
  const { outputSchema } = definition;
  const output = outputSchema === undefined ? null : prepareSchema(name, outputSchema, options.compiler);
  const print = () => ({ inputSchema: input.json, ...(output !== null && { outputSchema: output.json }) });
  const { mask } = options;
  const json = mask === null ? print : once(() => maskInfo(print(), mask));
  const isLate = input.texts !== undefined && (output === null || output.texts !== undefined);
  const texts = isLate ? [...input.texts, ...(output?.texts ?? [])] : null;
  return { json, texts, parse: input.parse, checkOutput: output?.parse ?? null };
}

function emptySchemas({ outputSchema }: ToolDefinition): JsonSchemas {
  return { inputSchema: {}, ...(outputSchema !== undefined && { outputSchema: {} }) };
}

function withLateSchemas(facts: ToolInfo, late: () => ToolSchemas): ToolInfo {
  const keys = (["inputSchema", "outputSchema"] as const).filter((key) => key in facts);
  const getters = keys.map((key) => [key, { enumerable: true, get: () => late().json()[key] }]);
  return Object.freeze(
    Object.defineProperties({ ...facts }, Object.fromEntries(getters) as PropertyDescriptorMap),
  );
}

function prepareInput(
  name: string,
  definition: ToolDefinition,
  { shape, compiler }: PrepareOptions,
): PreparedSchema {
  const declared = prepareSchema(name, definition.schema, compiler);
  if (declared.texts === undefined) requireObject(name, declared);
  const input = shape.arguments === undefined ? declared : overrideArguments(name, declared, shape.arguments);
  requireJsonSchema(name, input);
  return input;
}

function describe(
  definition: ToolDefinition,
  names: Pick<ToolInfo, "name" | "declaredName" | "aliases" | "owner">,
  timeoutMs: number,
  schemas: JsonSchemas,
): ToolInfo {
  const { requiresConfirmation, tags, dependsOn } = definition;
  const { category, consequenceLevel, usage, summary, question, version } = definition;
  const modes = definition.modes && Object.freeze([...definition.modes]);
  return Object.freeze({
    name: names.name,
    declaredName: names.declaredName,
    description: definition.description,
    ...schemas,
    ...withoutUndefined({ category, consequenceLevel, usage, summary, question, modes, version }),
    requiresConfirmation:
      typeof requiresConfirmation === "function" ? ("dynamic" as const) : (requiresConfirmation ?? false),
    timeoutMs,
    execution: definition.execution ?? "server",
    alwaysOffered: definition.alwaysOffered ?? false,
    status: definition.status ?? "active",
    tags: Object.freeze([...(tags ?? [])]),
    dependsOn: Object.freeze([...(dependsOn ?? [])]),
    idempotent: definition.idempotent ?? false,
    ...undoFacts(definition),
    ...frozenLists({ control: definition.control, content: definition.content }),
    dynamic: definition.dynamic ?? false,
    origin: definition.origin ?? "toolmount",
    aliases: Object.freeze([...names.aliases]),
    owner: names.owner,
  });
}

/** Returns the facts about undo and preview. They are absent if not stated, so that the locks of other tools stay valid. */
function undoFacts(
  definition: ToolDefinition,
): Pick<ToolInfo, "undoable" | "idempotentUndo" | "irreversible" | "previews"> {
  return {
    ...(definition.undo !== undefined && { undoable: true as const }),
    ...(definition.idempotentUndo === true && { idempotentUndo: true as const }),
    ...(definition.irreversible === true && { irreversible: true as const }),
    ...(definition.preview !== undefined && { previews: true as const }),
  };
}

/** Returns frozen copies of the lists that a definition has. */
function frozenLists({ control, content }: Pick<ToolDefinition, "control" | "content">) {
  return {
    ...(control !== undefined && { control: Object.freeze([...control]) }),
    ...(content !== undefined && { content: Object.freeze([...content]) }),
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

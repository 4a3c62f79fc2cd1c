import { pathToFileURL } from "node:url";
import {
  ToolmountError,
  type Host,
  type SchemaCompiler,
  type Json,
  type JsonObject,
  type ToolDefinition,
  isToolInterrupt,
  type PartialResult,
} from "@toolmount/core";
import { frozenCopy } from "@toolmount/core/json";
import {
  adaptModule,
  authoredDefinition,
  mayBeForeign,
  recogniseModule,
  runMount,
  type LoadedModule,
} from "@toolmount/core/modules";
import { isStandardSchema, prepareSchema, type PreparedSchema } from "@toolmount/core/schemas";
import { importModule } from "@toolmount/core/import";
import { createFarHost, mountAdapters, noting } from "./far-host.ts";
import { describeTool } from "./describe-tool.ts";
import type { DescribedTool } from "./described-tool.ts";
import type { HostMessage } from "./messages.ts";
import { announcedEvents, problemOf, type Contribution } from "./contributions.ts";
import type { ReportedCapability, ReportedHook } from "./far-message.ts";
import {
  createRegistrations,
  grantedCoordinator,
  refuse,
  type Contributor,
  type FarHook,
  type Registrations,
  type UseCapability,
} from "./granted-coordinator.ts";
import { messageOf } from "@toolmount/core/errors";

/** A tool that runs in this process. */
export interface FarTool {
  readonly definition: ToolDefinition;
  /** Parses arguments with the tool's own schema, if the host has not done so. */
  readonly parse: PreparedSchema["parse"] | undefined;
}

/** A module that is mounted in this process. */
export interface FarModule {
  readonly tools: ReadonlyMap<string, FarTool>;
  /** Whether the module keeps state between calls, so that all its calls must run in this process. */
  readonly keepsState: boolean;
  /** Set if the host has not imported the module. */
  readonly described: Described | undefined;
}

/** Everything that the host mounts for a module that it has not imported. */
export interface Described {
  readonly tools: readonly DescribedTool[];
  readonly contributions: readonly Contribution[];
  readonly hooks: readonly ReportedHook[];
  readonly capabilities: readonly ReportedCapability[];
  /** The module's registrations, with which the host's questions are answered. */
  readonly registrations: Registrations;
  /** Calls a listener for each event that a module in this process emits. Only plain data is passed on. */
  onEvent(listener: (event: string, data: JsonObject) => void): void;
}

type MountMessage = Extract<HostMessage, { type: "mount" }>;

/**
 * Imports and mounts a module in a host of this process that knows the plan's folder. `use` calls capabilities of the host that
 * sends the calls.
 */
export async function mountFar(message: MountMessage, use: UseCapability): Promise<FarModule> {
  const { module, describe } = message;
  const exports = await importModule(pathToFileURL(module.specifier).href);
  const host = createFarHost(message);
  const draft = host.draft();
  const recognised = recogniseModule(module.specifier, exports, module.exports);
  const config = describe ? await parseConfig(module, recognised) : (module.config as JsonObject);
  if (mayBeForeign(recognised, false)) await mountAdapters(draft);
  const definitions = new Map<string, ToolDefinition>();
  const added = draft.addModule({
    id: module.specifier,
    config,
    // The host that sends the calls has checked the texts of the tools.
    hiddenText: "allow",
    shapeTool(tool) {
      const own = authoredDefinition(tool);
      definitions.set(own.name, own);
      return {};
    },
  });
  const mounted = new Set<unknown>();
  const registrations = createRegistrations();
  const allowed = describe
    ? grantedCoordinator(added.coordinator, message.grants, registrations, use)
    : added.coordinator;
  const watched = noting(allowed, mounted);
  const adapted = adaptModule(module.specifier, recognised, watched);
  await runMount(module.specifier, adapted, watched, config, (tool) => mounted.has(tool));
  if (describe && adapted.kind === "mount" && adapted.onSessionReady !== undefined)
    refuse("exports onSessionReady");
  added.link();
  await draft.commit();
  registrations.isMounted = true;
  const { hooks, capabilities } = registrations;
  return {
    tools: new Map([...definitions].map(([name, tool]) => [name, prepare(tool, describe, host)])),
    // A module with hooks or capabilities counts as one that keeps state, so that these and all its calls run in the same
    // process.
    keepsState: exports["keepsState"] === true || hooks.size > 0 || capabilities.size > 0,
    described: describe ? await describeAll(host, definitions, registrations) : undefined,
  };
}

/** Returns the config, parsed with the module's own schema. */
async function parseConfig({ specifier, config }: MountMessage["module"], module: LoadedModule) {
  const given = config as JsonObject;
  const invalid = (problem: string) => new ToolmountError("CONFIG_INVALID", { module: specifier, problem });
  if (module.kind === "tools") {
    if (Object.keys(given).length === 0) return given;
    throw invalid("a module that only exports tools takes no config");
  }
  if (module.kind === "foreign" || module.config === undefined) return given;
  const parsed = await module.config["~standard"].validate(given);
  if (parsed.issues === undefined) return parsed.value as JsonObject;
  const sentences = parsed.issues.map(({ path = [], message }) => {
    const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
    return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
  });
  throw invalid(sentences.join("; ").slice(0, 1_500));
}

function prepare(definition: ToolDefinition, describe: boolean, { coordinator }: Host): FarTool {
  const { name, schema } = definition;
  const compiler = coordinator.get("schema-compiler") as SchemaCompiler;
  const parses = describe && isStandardSchema(schema);
  const own = describe ? describingFailures(definition) : definition;
  return { definition: own, parse: parses ? prepareSchema(name, schema, compiler).parse : undefined };
}

/**
 * Returns a tool whose failures are described in this process, because a host that has not imported it cannot describe them.
 */
function describingFailures(tool: ToolDefinition): ToolDefinition {
  const { failures } = tool;
  if (failures === undefined) return tool;
  return {
    ...tool,
    async execute(params, context) {
      try {
        return await tool.execute(params, context);
      } catch (thrown) {
        throw isToolInterrupt(thrown) ? thrown : new DescribedFailure(thrown, failures.describe(thrown));
      }
    },
  };
}

/** The error that a tool of another contract threw, with the failure into which its contract turns it. */
class DescribedFailure extends Error {
  readonly described: PartialResult<never>;

  constructor(thrown: unknown, described: PartialResult<never>) {
    super(messageOf(thrown), { cause: thrown });
    // Only plain JSON can be sent to the host, while a failure is an instance of a class.
    this.described = { ...described };
    if (!(thrown instanceof Error)) return;
    this.name = thrown.name;
    if (thrown.stack !== undefined) this.stack = thrown.stack;
  }
}

async function describeAll(
  host: Host,
  definitions: ReadonlyMap<string, ToolDefinition>,
  registrations: Registrations,
): Promise<Described> {
  const tools = host.tools({ includeDeprecated: true });
  const contributions = await Promise.all([...registrations.contributors].map(valueOf));
  registrations.own = announcedEvents(contributions);
  return {
    tools: tools.map((info) => describeTool(definitions.get(info.declaredName)!, info)),
    contributions,
    hooks: [...registrations.hooks.values()].map(reportOf),
    capabilities: [...registrations.capabilities].map(
      ([name, { shape }]) => ({ name, shape }) as ReportedCapability,
    ),
    registrations,
    onEvent(listener) {
      host.coordinator.hooks.observe("*", (event, data) => {
        const plain = plainData(data);
        if (plain !== null) listener(event, plain);
      });
    },
  };
}

function reportOf({ id, kind, event, options }: FarHook): ReportedHook {
  const { priority, timeoutMs, name } = options;
  return {
    id,
    kind,
    event,
    ...(priority !== undefined && { priority }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(name !== undefined && { name }),
  };
}

async function valueOf({ channel, name, callback }: Contributor): Promise<Contribution> {
  const value = await callback();
  const problem = problemOf(channel, name, value);
  return problem === null
    ? { channel, name, value: value as Json }
    : refuse(`contributes to "${channel}": ${problem}`);
}

function plainData(data: unknown): JsonObject | null {
  try {
    return frozenCopy(data as JsonObject);
  } catch {
    return null;
  }
}

import {
  createHost,
  ToolmountError,
  type Coordinator,
  type Host,
  type JsonObject,
  type ToolDefinition,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import {
  authoredDefinition,
  isStandardSchema,
  prepareSchema,
  recogniseModule,
  runMount,
  type LoadedModule,
  type PreparedSchema,
} from "@toolmount/core/internal";
import { describeTool, maxTools, type DescribedTool } from "./described-tool.ts";
import type { HostMessage } from "./messages.ts";
import { importFile } from "./import-module.ts";
import { refuse, toolsOnly } from "./tools-only.ts";

/** A tool that runs in this process. */
export interface FarTool {
  readonly definition: ToolDefinition;
  /** Parses arguments that the host has not parsed by the tool's own schema. */
  readonly parse: PreparedSchema["parse"] | undefined;
}

/** A module that is mounted in this process. */
export interface FarModule {
  readonly tools: ReadonlyMap<string, FarTool>;
  /** Why tools of the module are not among these: their contract needs an adapter, which only the host has. */
  readonly skipped: readonly string[];
  /** The module keeps state between calls, so all its calls must run in this process. */
  readonly keepsState: boolean;
  /** For a host that has not imported the module. */
  readonly described: readonly DescribedTool[] | undefined;
}

type MountMessage = Extract<HostMessage, { type: "mount" }>;

/** Imports and mounts a module, with a host of its own that has the folder of the plan. */
export async function mountFar(message: MountMessage): Promise<FarModule> {
  const { module, describe } = message;
  const exports = await importFile(module.specifier);
  const host = createFarHost(message);
  const recognised = recogniseModule(module.specifier, exports);
  const config = describe ? await parseConfig(module, recognised) : (module.config as JsonObject);
  const definitions = new Map<string, ToolDefinition>();
  const skipped: string[] = [];
  const draft = host.draft();
  const { coordinator } = draft.addModule({
    id: module.specifier,
    config,
    // The host that sends the calls checks the texts of the tools.
    hiddenText: "allow",
    shapeTool(tool) {
      const own = authoredDefinition(tool);
      definitions.set(own.name, own);
      return {};
    },
  });
  const mounted = new Set<unknown>();
  const watched = describe ? toolsOnly(coordinator) : skipping(coordinator, skipped);
  await runMount(module.specifier, recognised, noting(watched, mounted), config, (tool) => mounted.has(tool));
  if (describe && recognised.kind === "mount" && recognised.onSessionReady !== undefined)
    refuse("exports onSessionReady");
  await draft.commit();
  return {
    tools: new Map([...definitions].map(([name, tool]) => [name, prepare(tool, describe)])),
    skipped,
    keepsState: exports["keepsState"] === true,
    described: describe ? describeAll(host, definitions) : undefined,
  };
}

function createFarHost({ folder, protectedPaths }: MountMessage): Host {
  const host = createHost();
  host.coordinator.registerCapability("session.working_dir", folder);
  host.coordinator.registerCapability("session.protected_paths", protectedPaths);
  // The host has compiled each JSON Schema, and checks the arguments by it; core does not probe a parser that throws.
  host.coordinator.mount("schema-compiler", {
    compile: () => () => {
      throw new Error("the host parses these arguments");
    },
  });
  return host;
}

/** The config as the module's own schema parses it. */
async function parseConfig({ specifier, config }: MountMessage["module"], module: LoadedModule) {
  const given = config as JsonObject;
  const invalid = (problem: string) => new ToolmountError("CONFIG_INVALID", { module: specifier, problem });
  if (module.kind === "tools") {
    if (Object.keys(given).length === 0) return given;
    throw invalid("a module that only exports tools takes no config");
  }
  if (module.config === undefined) return given;
  const parsed = await module.config["~standard"].validate(given);
  if (parsed.issues === undefined) return parsed.value as JsonObject;
  const sentences = parsed.issues.map(({ path = [], message }) => {
    const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
    return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
  });
  throw invalid(sentences.join("; ").slice(0, 1_500));
}

function prepare(definition: ToolDefinition, describe: boolean): FarTool {
  const { name, schema } = definition;
  const parses = describe && isStandardSchema(schema);
  return { definition, parse: parses ? prepareSchema(name, schema, null).parse : undefined };
}

function describeAll(host: Host, definitions: ReadonlyMap<string, ToolDefinition>): readonly DescribedTool[] {
  const tools = host.tools({ includeDeprecated: true });
  if (tools.length > maxTools) throw new Error(`it has ${tools.length} tools; a module may have ${maxTools}`);
  return tools.map((info) => describeTool(definitions.get(info.declaredName)!, info));
}

function noting(coordinator: Coordinator, mounted: Set<unknown>): Coordinator {
  const mount = (...given: Parameters<Coordinator["mount"]>) => {
    mounted.add(given[1]);
    return coordinator.mount(...given);
  };
  return Object.freeze({ ...coordinator, mount });
}

/**
 * A coordinator that skips a tool that core refuses: one of another contract, such as an Aptix class, whose adapter is in the
 * host alone. The host has checked all others. Problems of skipped tools go to `skipped`.
 */
function skipping(coordinator: Coordinator, skipped: string[]): Coordinator {
  const mount = (...given: Parameters<Coordinator["mount"]>) => {
    if (given[0] !== "tools") return coordinator.mount(...given);
    try {
      return coordinator.mount(...given);
    } catch (error) {
      skipped.push(messageOf(error));
      return () => {};
    }
  };
  return Object.freeze({ ...coordinator, mount });
}

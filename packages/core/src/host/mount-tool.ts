import { isToolmountError, ToolmountError, messageOf } from "../contract/errors.ts";
import type { Undo } from "../contract/hooks.ts";
import type { SchemaCompiler, ToolAdapter } from "../contract/ports.ts";
import { isStandardSchema, type ToolSchema } from "../contract/standard-schema.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { completeClassification } from "../registry/complete-classification.ts";
import { authoredDefinition } from "../registry/define-tool.ts";
import type { ModuleState } from "../registry/module.ts";
import { prepareTool, type MountedTool } from "../registry/prepare-tool.ts";
import { refuseHiddenText } from "../registry/refuse-hidden-text.ts";
import { addTool, foldName, removeTool, singleAt } from "../registry/registry.ts";
import { listTool } from "../sessions/bundle.ts";
import type { HostState } from "./host-state.ts";

/** Adapts, prepares and registers a tool. Returns null if the plan leaves the tool out or its author removed it. Logs and throws errors. */
export function mountTool(
  host: HostState,
  module: ModuleState,
  thing: object,
  alias: string | undefined,
): { readonly name: string; readonly undo: Undo } | null {
  try {
    const tool = prepare(host, module, thing, alias);
    if (tool === null) return null;
    const undo = module.register({
      add: (registry) => addTool(registry, tool),
      remove: (registry) => removeTool(registry, tool),
    });
    return { name: tool.name, undo };
  } catch (err) {
    // This is only a debug message, because the application may still find the missing extension and mount the tool again.
    const level = isToolmountError(err) && err.code === "EXTENSION_MISSING" ? "debug" : "error";
    host.logger[level]({ err, module: module.id }, `a tool was refused: ${messageOf(err)}`);
    throw err;
  }
}

function prepare(
  host: HostState,
  module: ModuleState,
  thing: object,
  alias: string | undefined,
): MountedTool | null {
  const { limits: defaults, clock, share } = host;
  const { logger } = module.coordinator;
  const definition = completeClassification(authoredDefinition(adapt(module, thing, alias)), logger);
  const shape = module.options.shapeTool?.(definition);
  if (shape === null || definition.status === "removed") return null;
  const compiler = singleAt(module.newestSet.registry, "schema-compiler") as SchemaCompiler | null;
  const tool = prepareTool(definition, {
    module,
    shape: shape ?? {},
    alias,
    compiler,
    defaults,
    clock,
    share,
    review: (info) => refuseHiddenText(info, module.options.hiddenText ?? "refuse", logger),
    mask: host.secretTexts.maskReturned,
    isLate: canWait(host, definition, [shape?.name ?? definition.name, alias], compiler),
  });
  for (const name of [tool.name, ...tool.aliases])
    if (foldName(name) === listTool) throw duplicateOfOwn(name, tool.owner);
  warnOfName(module, tool);
  return tool;
}

/** Makes the error for a tool with the name of the host's own tool. In a question, a person could confuse the two. */
function duplicateOfOwn(tool: string, owner: string): ToolmountError {
  return new ToolmountError("TOOL_DUPLICATE", { tool, existing: listTool, owner, existingOwner: "host" });
}

/** Prepares a tool that the host itself calls, and that is not mounted. */
export function prepareOwnTool(
  { ownModule, limits, clock, share }: HostState,
  definition: ToolDefinition,
): MountedTool {
  const plain = { shape: {}, compiler: null, defaults: limits, isLate: false, mask: null, review: () => {} };
  return prepareTool(definition, { module: ownModule, clock, share, ...plain });
}

/** Whether a tool may be prepared at its first use: `needs` does not list it, and its schemas need no extension that is missing. */
function canWait(
  { needs }: HostState,
  { schema, outputSchema = schema }: ToolDefinition,
  names: readonly unknown[],
  compiler: SchemaCompiler | null,
): boolean {
  if (needs === null || names.some((name) => needs.includes(foldName(String(name))))) return false;
  const printsItself = (each: ToolSchema) =>
    isStandardSchema(each) && each["~standard"].jsonSchema !== undefined;
  return compiler !== null || [schema, outputSchema].every(printsItself);
}

function adapt(module: ModuleState, thing: object, name: string | undefined): ToolDefinition {
  const { coordinator } = module;
  const adapters = [...(module.newestSet.registry.points.get("adapters")?.values() ?? [])] as ToolAdapter[];
  const adapter = adapters.find((candidate) => candidate.recognises(thing));
  if (adapter !== undefined)
    return adapter.adapt(thing, {
      name,
      getCapability: (capability) => coordinator.getCapability(capability),
      capabilities: () =>
        [...module.newestSet.registry.capabilities].flatMap(([capability, given]) =>
          given.length > 0 ? [capability] : [],
        ),
      whenLinked: module.isLinked ? undefined : (work) => void module.links.push(work),
      logger: coordinator.logger,
    });
  if (isNative(thing)) return thing;
  throw new ToolmountError("EXTENSION_MISSING", {
    what: `the tool ${JSON.stringify((thing as { name?: unknown }).name ?? "without a name")}, which is not of toolmount's own shape,`,
    module: "@toolmount/interop",
    install: "npm install @toolmount/interop",
  });
}

function isNative(thing: object): thing is ToolDefinition {
  return "schema" in thing && "execute" in thing && "name" in thing;
}

function warnOfName({ coordinator: { logger } }: ModuleState, { name, aliases, info }: MountedTool): void {
  if (info.status === "internal") return;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    logger.warn({ tool: name }, "providers do not accept this name of a tool; they see another one");
  // Tools of MCP servers have names that the plan's author cannot change.
  else if (info.origin !== "mcp" && !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))
    logger.warn({ tool: name }, "the name of a tool is not lower snake case");
  if (aliases.length > 0)
    logger.warn(
      { tool: name, alias: aliases[0] },
      "a tool was mounted under another name, which is now its alias",
    );
}

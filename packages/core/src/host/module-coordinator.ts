import type { Coordinator, MountPoints } from "../contract/coordinator.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import { isToolmountError, ToolmountError, messageOf } from "../contract/errors.ts";
import { createHooks } from "./hooks.ts";
import type { HostState } from "./host-state.ts";
import type { Undo } from "../contract/hooks.ts";
import type { ModuleState } from "../registry/module.ts";
import { prepareTool, type MountedTool } from "../registry/prepare-tool.ts";
import type { SchemaCompiler, ToolAdapter } from "../contract/ports.ts";
import { addTool, removeFrom, removeTool, type Contributor } from "../registry/registry.ts";
import { guardTexts } from "../registry/refuse-hidden-text.ts";
import { authoredDefinition } from "../registry/define-tool.ts";

/** Mount points, and whether one holds a single thing or many by name. */
const points: Readonly<Record<keyof MountPoints, "named" | "single">> = {
  tools: "named",
  policies: "named",
  runners: "named",
  adapters: "named",
  "schema-compiler": "single",
  approver: "single",
  "mode-catalog": "single",
  "approval-store": "single",
  "session-store": "single",
  "audit-sink": "single",
  orchestrator: "single",
  context: "single",
  providers: "named",
  "module-source-resolver": "single",
};

/** What one module sees of the host; it follows the module from generation to generation. */
export function createFacade(host: HostState, module: ModuleState): Coordinator {
  const logger = host.logger.child({ module: module.id });
  return Object.freeze({
    config: module.options.config ?? Object.freeze({}),
    logger,
    hooks: createHooks(host, module),
    mount: (point: keyof MountPoints, thing: unknown, options?: { name?: string | undefined }) =>
      mount(host, module, point, thing, options?.name),
    unmount: (point: keyof MountPoints, name?: string) => unmount(module, point, name),
    get: (point: keyof MountPoints, name?: string) => host.desk.given(point) ?? lookUp(module, point, name),
    provide: (name: string, provider: never) => registerKeyed(module, "providers", name, provider),
    registerCapability: (name: string, value: unknown) => registerCapability(module, name, value),
    getCapability: (name: string) => module.home.registry.capabilities.get(name)?.at(-1) ?? null,
    registerContributor: (channel: string, name: string, callback: () => unknown) =>
      registerContributor(module, { channel, name, owner: module.id, callback }),
    collectContributions: (channel: string) => collect(host, module, channel),
    registerCleanup: (cleanup: () => unknown) => registerCleanup(module, cleanup),
  } satisfies Record<keyof Coordinator, unknown>) as Coordinator;
}

function kindOf(point: string): "named" | "single" {
  const kind = Object.hasOwn(points, point) ? points[point as keyof MountPoints] : undefined;
  if (kind !== undefined) return kind;
  if (point === "hooks")
    throw new ToolmountError("MOUNT_INVALID", { point, problem: "hooks are added with coordinator.hooks" });
  throw new ToolmountError("MOUNT_POINT_UNKNOWN", { point: String(point).slice(0, 100) });
}

function mount(
  host: HostState,
  module: ModuleState,
  point: keyof MountPoints,
  thing: unknown,
  name: string | undefined,
): Undo {
  const kind = kindOf(point);
  if (typeof thing !== "object" && typeof thing !== "function")
    throw new ToolmountError("MOUNT_INVALID", { point, problem: "nothing was given" });
  if (thing === null) throw new ToolmountError("MOUNT_INVALID", { point, problem: "null was given" });
  if (point === "tools") return mountTool(host, module, thing, name);
  const key = kind === "single" ? "" : nameOf(point, thing, name);
  return remember(module, point, key, registerPoint(module, point, key, thing));
}

function nameOf(point: string, thing: object, given: string | undefined): string {
  const name: unknown = given ?? (thing as { name?: unknown }).name;
  if (typeof name === "string" && name !== "") return name;
  throw new ToolmountError("MOUNT_INVALID", {
    point,
    problem: `name required: give options.name, or a thing with a name`,
  });
}

function registerPoint(module: ModuleState, point: string, key: string, thing: unknown): Undo {
  return module.register({
    add: (registry) => {
      const things = registry.points.get(point) ?? new Map<string, unknown>();
      if (things.has(key))
        throw new ToolmountError("MOUNT_INVALID", {
          point,
          problem: key === "" ? "something is mounted there already" : `"${key}" is mounted already`,
        });
      registry.points.set(point, things.set(key, thing));
    },
    remove: (registry) => {
      if (registry.points.get(point)?.get(key) === thing) registry.points.get(point)!.delete(key);
    },
  });
}

function registerKeyed(module: ModuleState, table: "providers", key: string, value: never): Undo {
  return module.register({
    add: (registry) => {
      if (registry[table].has(key) || key in contextMembers)
        throw new ToolmountError("MOUNT_INVALID", {
          point: "provide",
          problem: `the context has a "${key}" already`,
        });
      registry[table].set(key, value);
    },
    remove: (registry) => {
      if (registry[table].get(key) === value) registry[table].delete(key);
    },
  });
}

/** What a context has by itself. */
const contextMembers: Readonly<Record<string, true>> = {
  callId: true,
  runId: true,
  tool: true,
  depth: true,
  deadlineAt: true,
  parentRunId: true,
  sessionId: true,
  conversationId: true,
  turnId: true,
  userId: true,
  mode: true,
  parallelGroupId: true,
  traceparent: true,
  abortSignal: true,
  logger: true,
  session: true,
  progress: true,
  call: true,
  abort: true,
  rawArguments: true,
};

function registerCapability(module: ModuleState, name: string, value: unknown): Undo {
  return module.register({
    add: (registry) =>
      void registry.capabilities.set(name, [...(registry.capabilities.get(name) ?? []), value]),
    remove: (registry) => removeFrom(registry.capabilities, name, value),
  });
}

function registerContributor(module: ModuleState, contributor: Contributor): Undo {
  const { channel } = contributor;
  return module.register({
    add: (registry) =>
      void registry.contributors.set(channel, [...(registry.contributors.get(channel) ?? []), contributor]),
    remove: (registry) => removeFrom(registry.contributors, channel, contributor),
  });
}

async function collect(host: HostState, module: ModuleState, channel: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const { callback, name, owner } of module.home.registry.contributors.get(channel) ?? []) {
    try {
      const said = await callback();
      if (said !== null && said !== undefined) found.push(said);
    } catch (err) {
      host.logger.warn({ err, channel, contributor: name, owner }, "a contributor failed");
    }
  }
  return found;
}

function registerCleanup(module: ModuleState, cleanup: () => unknown): Undo {
  if (typeof cleanup !== "function") return () => {};
  module.cleanups.push(cleanup);
  return () => {
    const at = module.cleanups.indexOf(cleanup);
    if (at >= 0) module.cleanups.splice(at, 1);
  };
}

function mountTool(host: HostState, module: ModuleState, thing: object, alias: string | undefined): Undo {
  const definition = authoredDefinition(prepared(host, module, () => adapt(host, module, thing)));
  const shape = module.options.shapeTool === undefined ? {} : module.options.shapeTool(definition);
  if (shape === null || definition.status === "removed") return () => {};
  const compiler =
    (module.home.registry.points.get("schema-compiler")?.get("") as SchemaCompiler | undefined) ?? null;
  const tool = prepared(host, module, () =>
    prepareTool(definition, { module, shape, alias, compiler, defaults: host.limits, clock: host.clock }),
  );
  prepared(host, module, () =>
    guardTexts(tool.info, module.options.hiddenText ?? "refuse", module.coordinator.logger),
  );
  warnOfName(module, tool.name);
  if (tool.aliases.length > 0)
    host.logger.warn(
      { tool: tool.name, alias: tool.aliases[0], module: module.id },
      "a tool was mounted under another name, which is now its alias",
    );
  const undo = prepared(host, module, () =>
    module.register({
      add: (registry) => addTool(registry, tool),
      remove: (registry) => removeTool(registry, tool),
    }),
  );
  return remember(module, "tools", tool.name, undo);
}

/** A name may be one that providers do not take, or that is written in an unusual way: it is mounted, and warned of. */
function warnOfName({ coordinator }: ModuleState, name: string): void {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    coordinator.logger.warn({ tool: name }, "providers do not take the name of a tool; they see another one");
  else if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))
    coordinator.logger.warn({ tool: name }, "the name of a tool is not lower snake case");
}

/** Registration errors are logged and thrown; for a missing extension whoever mounts may still find it, and try again. */
function prepared<Value>(host: HostState, module: ModuleState, make: () => Value): Value {
  try {
    return make();
  } catch (err) {
    const level = isToolmountError(err) && err.code === "EXTENSION_MISSING" ? "debug" : "error";
    host.logger[level]({ err, module: module.id }, `a tool was refused: ${messageOf(err)}`);
    throw err;
  }
}

/** A foreign shape is rendered by the first adapter that knows it. */
function adapt(host: HostState, module: ModuleState, thing: object): ToolDefinition {
  const adapters = [...(module.home.registry.points.get("adapters")?.values() ?? [])] as ToolAdapter[];
  const adapter = adapters.find((candidate) => candidate.recognises(thing));
  if (adapter !== undefined)
    return adapter.adapt(thing, {
      getCapability: (name) => module.coordinator.getCapability(name),
      logger: module.coordinator.logger,
    });
  if (isNative(thing)) return thing;
  throw new ToolmountError("EXTENSION_MISSING", {
    what: `the tool ${JSON.stringify((thing as { name?: unknown }).name ?? "without a name")}, which is not of toolmount's own shape,`,
    module: "@toolmount/interop",
    install: "npm install @toolmount/interop",
  });
}

function isNative(thing: object): thing is MountedTool["definition"] {
  return "schema" in thing && "execute" in thing && "name" in thing;
}

function remember(module: ModuleState, point: keyof MountPoints, name: string, undo: Undo): Undo {
  const undos = module.mounted.get(point) ?? new Map<string, Undo>();
  module.mounted.set(point, undos.set(name, undo));
  return undo;
}

function unmount(module: ModuleState, point: keyof MountPoints, name: string | undefined): void {
  if (kindOf(point) === "named" && name === undefined)
    throw new ToolmountError("MOUNT_INVALID", { point, problem: "name required" });
  module.mounted.get(point)?.get(name ?? "")?.();
  module.mounted.get(point)?.delete(name ?? "");
}

function lookUp(module: ModuleState, point: keyof MountPoints, name: string | undefined): unknown {
  const { registry } = module.home;
  const kind = kindOf(point);
  if (point === "tools")
    return name === undefined ? infos(registry.tools) : (registry.tools.get(name)?.info ?? null);
  const things = registry.points.get(point) ?? new Map<string, unknown>();
  if (kind === "single") return things.get("") ?? null;
  return name === undefined ? new Map(things) : (things.get(name) ?? null);
}

function infos(tools: ReadonlyMap<string, MountedTool>) {
  return new Map([...tools].map(([name, tool]) => [name, tool.info]));
}

import type { ContextProvider, Coordinator, MountPoints } from "../contract/coordinator.ts";
import { ToolCallContext } from "../call/tool-context.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { Undo } from "../contract/hooks.ts";
import type { ModuleState } from "../registry/module.ts";
import type { MountedTool } from "../registry/prepare-tool.ts";
import { removeFrom, singleAt, type Registry } from "../registry/registry.ts";
import { createHooks } from "./hooks.ts";
import type { HostState } from "./host-state.ts";
import { mountTool } from "./mount-tool.ts";

/** How many values each mount point takes. `models` is declared by another package, so core adds its name here. */
const points: Readonly<Record<keyof MountPoints | "models", "named" | "single">> = {
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
  "work-store": "single",
  models: "named",
  orchestrator: "single",
  context: "single",
  providers: "named",
  "module-source-resolver": "single",
};

/** Creates a module's view of the host. It stays the same object while the module is kept from generation to generation. */
export function createModuleCoordinator(host: HostState, module: ModuleState): Coordinator {
  const logger = host.logger.child({ module: module.id });
  return Object.freeze({
    config: module.options.config ?? Object.freeze({}),
    logger,
    hooks: createHooks(host, module),
    mount: (point: keyof MountPoints, thing: unknown, options?: { name?: string | undefined }) =>
      mount(host, module, point, thing, options?.name),
    unmount: (point: keyof MountPoints, name?: string) => unmount(module, point, name),
    get: (point: keyof MountPoints, name?: string) => host.stores.given(point) ?? lookUp(module, point, name),
    provide: (name: string, provider: ContextProvider) => registerProvider(module, name, provider),
    registerCapability: (name: string, value: unknown) =>
      append(module, ({ capabilities }) => capabilities, name, value),
    getCapability: (name: string) =>
      module.options.capabilities?.[name] ?? module.newestSet.registry.capabilities.get(name)?.at(-1) ?? null,
    registerContributor: (channel: string, name: string, callback: () => unknown) =>
      append(module, ({ contributors }) => contributors, channel, { name, owner: module.id, callback }),
    collectContributions: (channel: string) => collect(host, module, channel),
    registerCleanup: (cleanup: () => unknown) => registerCleanup(module, cleanup),
  } satisfies Record<keyof Coordinator, unknown>) as Coordinator;
}

function kindOf(point: string): "named" | "single" {
  const kind = Object.hasOwn(points, point) ? points[point as keyof MountPoints] : undefined;
  if (kind !== undefined) return kind;
  if (point === "hooks") throw invalid(point, "hooks are added with coordinator.hooks");
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
  if (typeof thing !== "object" && typeof thing !== "function") throw invalid(point, "nothing was given");
  if (thing === null) throw invalid(point, "null was given");
  if (point === "tools") {
    const mounted = mountTool(host, module, thing, name);
    return mounted === null ? () => {} : remember(module, point, mounted.name, mounted.undo);
  }
  const key = kind === "single" ? "" : nameOf(point, thing, name);
  return remember(module, point, key, registerPoint(module, point, key, thing));
}

function nameOf(point: string, thing: object, given: string | undefined): string {
  const name: unknown = given ?? (thing as { name?: unknown }).name;
  if (typeof name === "string" && name !== "") return name;
  throw invalid(point, "name required: give options.name, or a thing with a name");
}

function registerPoint(module: ModuleState, point: string, key: string, thing: unknown): Undo {
  return module.register({
    add: (registry) => {
      const things = registry.points.get(point) ?? new Map<string, unknown>();
      if (things.has(key))
        throw invalid(
          point,
          key === "" ? "something is mounted there already" : `"${key}" is mounted already`,
        );
      registry.points.set(point, things.set(key, thing));
    },
    remove: (registry) => {
      if (registry.points.get(point)?.get(key) === thing) registry.points.get(point)!.delete(key);
    },
  });
}

function registerProvider(module: ModuleState, name: string, provider: ContextProvider): Undo {
  return module.register({
    add: ({ providers }) => {
      if (providers.has(name) || contextMembers.has(name))
        throw invalid("provide", `the context has a "${name}" already`);
      providers.set(name, provider);
    },
    remove: ({ providers }) => {
      if (providers.get(name) === provider) providers.delete(name);
    },
  });
}

const contextMembers: ReadonlySet<string> = new Set(
  Object.getOwnPropertyNames(ToolCallContext.prototype).concat(Object.getOwnPropertyNames(Object.prototype)),
);

function append<Value>(
  module: ModuleState,
  listsOf: (registry: Registry) => Map<string, Value[]>,
  key: string,
  value: Value,
): Undo {
  return module.register({
    add: (registry) => void listsOf(registry).set(key, [...(listsOf(registry).get(key) ?? []), value]),
    remove: (registry) => removeFrom(listsOf(registry), key, value),
  });
}

async function collect(host: HostState, module: ModuleState, channel: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const { callback, name, owner } of module.newestSet.registry.contributors.get(channel) ?? []) {
    try {
      const contribution = await callback();
      if (contribution !== null && contribution !== undefined) found.push(contribution);
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

function remember(module: ModuleState, point: keyof MountPoints, name: string, undo: Undo): Undo {
  const undos = module.mounted.get(point) ?? new Map<string, Undo>();
  module.mounted.set(point, undos.set(name, undo));
  return undo;
}

function unmount(module: ModuleState, point: keyof MountPoints, name: string | undefined): void {
  if (kindOf(point) === "named" && name === undefined) throw invalid(point, "name required");
  module.mounted.get(point)?.get(name ?? "")?.();
  module.mounted.get(point)?.delete(name ?? "");
}

function lookUp(module: ModuleState, point: keyof MountPoints, name: string | undefined): unknown {
  const { registry } = module.newestSet;
  const kind = kindOf(point);
  if (point === "tools")
    return name === undefined ? infos(registry.tools) : (registry.tools.get(name)?.info ?? null);
  if (kind === "single") return singleAt(registry, point);
  const things = registry.points.get(point) ?? new Map<string, unknown>();
  return name === undefined ? new Map(things) : (things.get(name) ?? null);
}

function infos(tools: ReadonlyMap<string, MountedTool>) {
  const listed = [...tools].filter(([, { info }]) => info.status !== "internal");
  return new Map(listed.map(([name, tool]) => [name, tool.info]));
}

function invalid(point: string, problem: string): ToolmountError {
  return new ToolmountError("MOUNT_INVALID", { point, problem });
}

import {
  ToolmountError,
  type Announce,
  type Coordinator,
  type DescribedModule,
  type JsonObject,
  type Runner,
  type RunnerModule,
} from "@toolmount/core";
import type { LoadedModule } from "@toolmount/core/modules";
import type { Resolution } from "../modules/resolve.ts";
import type { ModuleUse } from "./module-use.ts";
import { runOf } from "./runner-modules.ts";

/** The connection of a module that its runner imports elsewhere: the runner's description of the module. */
interface Described {
  readonly module: Promise<DescribedModule>;
}

/**
 * Creates a module that only its runner imports, for example behind a border. Such modules of a plan start at the same time, as
 * servers do, except those that may use capabilities of others.
 */
export function createFarModule(
  { id, entry, runner = "" }: ModuleUse,
  resolution: Resolution,
  exported: readonly string[] | undefined,
): LoadedModule {
  const connect = (coordinator: Coordinator, config: JsonObject): Described => {
    const port = coordinator.get("runners", runner) as Runner | null;
    const problem = `the runner "${runner}" does not mount modules behind its border`;
    if (port?.describe === undefined)
      throw new ToolmountError("MODULE_MOUNT_FAILED", { module: id, problem });
    const host = {
      announce: announceTo(coordinator),
      getCapability: (name: string) => coordinator.getCapability(name),
    };
    const module = port.describe(runnerModule(resolution, config, exported)!, host);
    // The error is reported later, when the module is mounted.
    module.catch(() => undefined);
    return { module };
  };
  const mount = async (coordinator: Coordinator, config: JsonObject, described?: Described) => {
    const { tools, contributions, hooks, capabilities } = await (described ?? connect(coordinator, config))
      .module;
    for (const { kind, event, handler, options } of hooks) coordinator.hooks[kind](event, handler, options);
    for (const { name, value } of capabilities) coordinator.registerCapability(name, value);
    for (const { channel, name, value } of contributions)
      coordinator.registerContributor(channel, name, () => value);
    for (const { definition, alias } of tools) coordinator.mount("tools", definition, { name: alias });
  };
  // A module that may use capabilities of other modules is started only when it is mounted, because these modules come first.
  const exports = usesCapabilities(entry) ? {} : { connect };
  return { kind: "mount", mount, config: undefined, onSessionReady: undefined, exports };
}

function usesCapabilities(entry: ModuleUse["entry"]): boolean {
  const capabilities = entry === null ? undefined : runOf(entry)?.["capabilities"];
  return Array.isArray(capabilities) && capabilities.length > 0;
}

/** Returns a function that emits, in the host, the events of a module that runs behind a border. */
function announceTo({ hooks, logger }: Coordinator): Announce {
  return (event, data) =>
    void hooks
      .emit(event, data)
      .catch((err: unknown) => logger.warn({ err, event }, "an event of a module could not be emitted"));
}

/** Returns the module in the form in which a runner imports it; undefined for a module that exists only in memory. */
export function runnerModule(
  { givenFile, path = givenFile, files, version }: Resolution,
  config: JsonObject,
  exports?: readonly string[],
): RunnerModule | undefined {
  if (path === undefined) return undefined;
  const revision = files?.digest ?? version;
  return {
    specifier: path,
    config,
    ...(exports !== undefined && { exports }),
    ...(revision !== undefined && { revision }),
  };
}

import {
  ToolmountError,
  type Coordinator,
  type JsonObject,
  type Runner,
  type RunnerModule,
  type ToolDefinition,
} from "@toolmount/core";
import type { LoadedModule } from "@toolmount/core/internal";
import type { Resolution } from "../modules/resolve.ts";
import type { ModuleUse } from "./module-use.ts";

/** Tools that a runner describes, before they are mounted. */
interface Described {
  readonly tools: Promise<readonly ToolDefinition[]>;
}

/** A module that only its runner imports. All such modules of a plan start side by side, as servers do. */
export function createFarModule({ id, runner = "" }: ModuleUse, resolution: Resolution): LoadedModule {
  const connect = (coordinator: Coordinator, config: JsonObject): Described => {
    const port = coordinator.get("runners", runner) as Runner | null;
    const problem = `the runner "${runner}" does not mount modules behind its border`;
    if (port?.describe === undefined)
      throw new ToolmountError("MODULE_MOUNT_FAILED", { module: id, problem });
    const tools = port.describe(runnerModule(resolution, config)!);
    // The mount of the module, which may come later, reports why it was refused.
    tools.catch(() => undefined);
    return { tools };
  };
  const mount = async (coordinator: Coordinator, config: JsonObject, described?: Described) => [
    ...(await (described ?? connect(coordinator, config)).tools),
  ];
  const exports = { connect };
  return { kind: "mount", mount, config: undefined, onSessionReady: undefined, exports };
}

/** What a runner imports; undefined for a module in memory. */
export function runnerModule(
  { path, files, version }: Resolution,
  config: JsonObject,
): RunnerModule | undefined {
  if (path === undefined) return undefined;
  const revision = files?.digest ?? version;
  return { specifier: path, config, ...(revision !== undefined && { revision }) };
}

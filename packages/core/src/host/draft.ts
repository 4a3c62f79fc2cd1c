import type { Draft, DrainReport, ModuleOptions } from "../contract/host.ts";
import { ModuleSet, ModuleState } from "../registry/module.ts";
import { drain } from "./drain.ts";
import type { HostState } from "./host-state.ts";
import { createModuleCoordinator } from "./module-coordinator.ts";

export function addModule(host: HostState, set: ModuleSet, options: ModuleOptions): ModuleState {
  const module = new ModuleState(options);
  set.add(module);
  module.coordinator = createModuleCoordinator(host, module);
  return module;
}

/** Begins a draft of the next generation. It has what the application itself registered. */
export function createDraft(host: HostState): Draft {
  const set = new ModuleSet();
  const added: ModuleState[] = [];
  set.add(host.ownModule);
  return {
    addModule(options) {
      const module = addModule(host, set, options);
      added.push(module);
      return module;
    },
    keepModule: (module) => set.add(module as ModuleState),
    dropModule(module) {
      added.splice(0, added.length, ...added.filter((other) => other !== module));
      return undoModules(host, [module as ModuleState]);
    },
    commit: (options) => commit(host, set, options?.drainMs ?? 10_000),
    async discard() {
      for (const module of set.modules.filter((kept) => !added.includes(kept))) set.remove(module);
      return undoModules(host, added);
    },
  };
}

/** Makes a draft current with one assignment, then drains and undoes the modules that it does not keep. */
async function commit(host: HostState, set: ModuleSet, drainMs: number): Promise<DrainReport> {
  const removed = host.moduleSet.modules.filter((module) => !set.modules.includes(module));
  host.moduleSet = set;
  for (const module of set.modules) module.sets = [set];
  const owners = new Set<unknown>(removed);
  const report = await drain(host, (call) => call.tool !== null && owners.has(call.tool.module), drainMs);
  return { ...report, failures: await undoModules(host, removed) };
}

export async function undoModules(
  host: HostState,
  modules: readonly ModuleState[],
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const module of modules.toReversed()) {
    failures.push(...(await module.undo(host.clock, host.limits.cleanupMs)));
    for (const set of module.sets) set.remove(module);
  }
  return failures;
}

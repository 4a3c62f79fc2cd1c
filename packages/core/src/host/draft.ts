import type { Call } from "../call/call.ts";
import type { Draft, DrainReport, ModuleOptions } from "../contract/host.ts";
import { ModuleSet, ModuleState } from "../registry/module.ts";
import { drain, waitUntil } from "./drain.ts";
import type { HostState } from "./host-state.ts";
import { createModuleCoordinator } from "./module-coordinator.ts";

export function addModule(host: HostState, set: ModuleSet, options: ModuleOptions): ModuleState {
  const module = new ModuleState(options);
  set.add(module);
  module.coordinator = createModuleCoordinator(host, module);
  return module;
}

/** Begins a draft of the next generation. It contains what the application itself registered. */
export function createDraft(host: HostState): Draft {
  const set = new ModuleSet();
  const added: ModuleState[] = [];
  set.add(host.ownModule);
  return {
    addModule(options) {
      const module = addModule(host, set, options);
      module.isLinked = false;
      added.push(module);
      return module;
    },
    keepModule: (module) => set.add(module as ModuleState),
    dropModule(module) {
      added.splice(0, added.length, ...added.filter((other) => other !== module));
      return undoModules(host, [module as ModuleState]);
    },
    commit: (options) => commit(host, set, options?.drainMs),
    async discard() {
      for (const module of set.modules.filter((kept) => !added.includes(kept))) set.remove(module);
      return undoModules(host, added);
    },
  };
}

/** Makes a draft current with one assignment. The modules that it does not keep are undone when their calls have ended. */
async function commit(host: HostState, set: ModuleSet, drainMs: number | undefined): Promise<DrainReport> {
  const removed = host.moduleSet.modules.filter((module) => !set.modules.includes(module));
  host.moduleSet = set;
  for (const module of set.modules) {
    module.sets = [set];
    module.isLinked = true;
  }
  const owners = new Set<unknown>(removed);
  const concerns = (call: Call) => call.tool !== null && owners.has(call.tool.module);
  const running = host.active.items().filter(concerns);
  if (drainMs === undefined && running.length > 0) {
    void undoLater(host, removed, concerns);
    return { draining: running.map((call) => call.runId), aborted: [], abandoned: [], failures: [] };
  }
  const report = await drain(host, concerns, drainMs ?? 0);
  return { ...report, failures: await undoModules(host, removed) };
}

/** Undoes replaced modules when all their calls have ended. If the host closes before that, it undoes the modules itself. */
async function undoLater(
  host: HostState,
  removed: readonly ModuleState[],
  concerns: (call: Call) => boolean,
): Promise<void> {
  for (const module of removed) host.leaving.add(module);
  await waitUntil(host, () => !host.active.items().some(concerns));
  for (const module of removed) host.leaving.delete(module);
  await undoModules(host, removed);
}

/** Undoes modules, the newest first. Returns the errors that their cleanups throw, and logs them. */
export async function undoModules(
  host: HostState,
  modules: readonly ModuleState[],
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const module of modules.toReversed()) {
    const thrown = await module.undo(host.clock, host.limits.cleanupMs);
    for (const err of thrown) host.logger.warn({ err, owner: module.id }, "a cleanup of a module failed");
    failures.push(...thrown);
    for (const set of module.sets) set.remove(module);
  }
  return failures;
}

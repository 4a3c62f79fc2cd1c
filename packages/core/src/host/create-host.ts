import { createApprovals } from "./approvals.ts";
import { drain } from "./drain.ts";
import { nobody } from "../call/tool-events.ts";
import { createFacade } from "./module-coordinator.ts";
import { announceCancellation } from "./cancel-host.ts";
import { HostState } from "./host-state.ts";
import type {
  Draft,
  DrainReport,
  Host,
  HostOptions,
  ModuleOptions,
  MountedModule,
  OutputPage,
} from "../contract/host.ts";
import { Home, ModuleState } from "../registry/module.ts";
import { silentLogger } from "../contract/logger.ts";
import { breakDown, walk } from "../call/pipeline.ts";
import { redactingLogger } from "../text/redacting-logger.ts";
import type { ToolInfo } from "../contract/tool.ts";
import { byName, isForMode, makeOffer } from "../sessions/offer.ts";
import { resume } from "./resume.ts";
import { createSessions } from "./session.ts";

/** Makes a host with nothing mounted. `host.coordinator.mount("tools", tool)` is enough to call a tool. */
export function createHost(options: HostOptions = {}): Host {
  const { logger = silentLogger, secrets = [] } = options;
  const state = new HostState({ ...options, logger: redactingLogger(logger, secrets) }, { walk, breakDown });
  state.home = new Home();
  const own = addModule(state, state.home, { id: "host" });
  state.own = own;
  own.coordinator.registerCapability("host.id", state.id);
  const cancelled = announceCancellation(state);
  let closed: Promise<DrainReport> | null = null;
  return {
    coordinator: own.coordinator,
    call: (request, context = nobody) => state.call(request, context, null),
    resume: (ticket, context = {}, clientResult) => resume(state, ticket, context, clientResult),
    approvals: createApprovals(state),
    tools: (filter) => listed(state, filter),
    offer: (filter) => makeOffer(state, filter),
    guidance: async (filter) => (await makeOffer(state, filter)).guidance,
    session: createSessions(state),
    output: (ref, page): OutputPage => state.outputs.page(ref, page?.offset, page?.limit),
    draft: () => createDraft(state, own),
    modules: () => state.home.modules.filter((module) => module !== own),
    cancellation: state.cancellation,
    async requestCancel({ immediate = false } = {}) {
      const changed = immediate
        ? state.cancellation.requestImmediate()
        : state.cancellation.requestGraceful();
      await cancelled();
      return changed;
    },
    close: (closing) => (closed ??= close(state, closing?.graceMs ?? 5_000)),
  };
}

function addModule(state: HostState, home: Home, options: ModuleOptions): ModuleState {
  const module = new ModuleState(options);
  home.adopt(module);
  module.coordinator = createFacade(state, module);
  return module;
}

function listed(state: HostState, filter: Parameters<Host["tools"]>[0] = {}): readonly ToolInfo[] {
  const { mode, includeDeprecated = false } = filter;
  return [...state.home.registry.tools.values()]
    .map((tool) => tool.info)
    .filter((info) => includeDeprecated || info.status !== "deprecated")
    .filter((info) => mode === undefined || info.alwaysOffered || isForMode(info, mode))
    .toSorted(byName);
}

function createDraft(state: HostState, own: ModuleState): Draft {
  const home = new Home();
  const fresh: ModuleState[] = [];
  home.adopt(own);
  return {
    addModule(options) {
      const module = addModule(state, home, options);
      fresh.push(module);
      return module;
    },
    keepModule: (module) => home.adopt(module as ModuleState),
    dropModule(module) {
      fresh.splice(0, fresh.length, ...fresh.filter((other) => other !== module));
      return undoAll(state, [module as ModuleState]);
    },
    commit: (options) => commit(state, home, options?.drainMs ?? 10_000),
    async discard() {
      for (const module of home.modules.filter((kept) => !fresh.includes(kept))) home.release(module);
      return undoAll(state, fresh);
    },
  };
}

async function commit(state: HostState, home: Home, drainMs: number): Promise<DrainReport> {
  const old = state.home;
  const left = old.modules.filter((module) => !home.modules.includes(module));
  state.home = home;
  for (const module of home.modules) module.homes = [home];
  const gone = new Set<MountedModule>(left);
  const report = await drain(state, (run) => run.tool !== null && gone.has(run.tool.module), drainMs);
  return { ...report, failures: await undoAll(state, left) };
}

async function undoAll(state: HostState, modules: readonly ModuleState[]): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const module of modules.toReversed()) {
    failures.push(...(await module.undo(state.clock, state.limits.cleanupMs)));
    for (const home of module.homes) home.release(module);
  }
  return failures;
}

async function close(state: HostState, graceMs: number): Promise<DrainReport> {
  state.closing = true;
  const waiting = state.active.items();
  state.cancellation.requestGraceful();
  const turnedAway = waiting.filter((run) => run.stopReason === "cancel").map((run) => run.runId);
  const drained = await drain(
    state,
    () => true,
    graceMs,
    () => state.cancellation.requestImmediate(),
  );
  const report = { ...drained, aborted: [...turnedAway, ...drained.aborted] };
  await observersSettled(state, graceMs);
  await within(state, graceMs, state.desk.settle());
  const failures = await undoAll(state, [...state.home.modules]);
  state.stopTimers();
  state.outputs.clear();
  return { ...report, failures };
}

/** Observers are never waited for by a call; closing waits, bounded. */
function observersSettled(state: HostState, ms: number): Promise<void> {
  if (state.observing.size === 0) return Promise.resolve();
  return within(state, ms, Promise.all(state.observing));
}

function within(state: HostState, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = state.clock.setTimer(resolve, ms);
    void work.then(() => {
      timer.cancel();
      resolve();
    });
  });
}

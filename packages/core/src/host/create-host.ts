import { guidanceOf } from "../sessions/guidance.ts";
import { emptyContext } from "../call/call.ts";
import { startCall } from "../call/pipeline.ts";
import type { DrainReport, Host, HostOptions } from "../contract/host.ts";
import { silentLogger } from "../contract/logger.ts";
import type { ToolInfo } from "../contract/tool.ts";
import { withTimeout } from "../scheduling/time.ts";
import { byName, isForMode, makeOffer } from "../sessions/offer.ts";
import { redactingLogger } from "../text/redacting-logger.ts";
import { createApprovals } from "./approvals.ts";
import { followHostToken } from "./cancel-host.ts";
import { addModule, createDraft, undoModules } from "./draft.ts";
import { drain } from "./drain.ts";
import { HostState } from "./host-state.ts";
import { callInner, endQuestions } from "./inner-calls.ts";
import { resume } from "./resume.ts";
import { createSessions } from "./session.ts";
import { rememberState } from "./tools-here.ts";

/**
 * Makes a host with nothing mounted. `host.coordinator.mount("tools", tool)` is enough to call a tool.
 *
 * The life of a call in it (the hops are described in `call/pipeline.ts`):
 *
 * 1. `host.call` starts it in the current generation (`startCall`).
 * 2. `runPipeline` takes it through find, parse, decide, approve, execute, shape and notify, until it waits or has ended.
 * 3. A call that waits for something in this process continues with `resumeCall` (`call/transitions.ts`).
 * 4. A call that ends as `pending` is in the store (`pending/stored-call.ts`). `host.approvals` decides it, and
 *    `host.resume` starts it again, in this process or another.
 * 5. Its deadline, its caller, a session, the host's own token and `close` can stop it at any time (`stopCall`).
 * 6. The hop notify resolves the promise that `host.call` returned.
 */
export function createHost(options: HostOptions = {}): Host {
  const { logger = silentLogger, secrets = [] } = options;
  const state = new HostState(
    { ...options, logger: redactingLogger(logger, secrets) },
    { callInner, endQuestions },
  );
  const own = addModule(state, state.moduleSet, { id: "host" });
  state.ownModule = own;
  rememberState(own.coordinator, state);
  own.coordinator.registerCapability("host.id", state.id);
  const cancelCompleted = followHostToken(state);
  const session = createSessions(state);
  let closed: Promise<DrainReport> | null = null;
  return {
    coordinator: own.coordinator,
    call: (request, context = emptyContext) => startCall(state, request, context),
    resume: (ticket, context = {}, clientResult) => resume(state, ticket, context, clientResult),
    approvals: createApprovals(state, session),
    tools: (filter) => listTools(state, filter),
    offer: (filter) => makeOffer(state, filter),
    guidance: async (filter) => {
      const { tools, available } = await makeOffer(state, filter);
      return guidanceOf(tools, available);
    },
    session,
    output: (ref, page) => state.outputs.page(ref, page),
    draft: () => createDraft(state),
    modules: () => state.moduleSet.modules.filter((module) => module !== own),
    cancellation: state.cancellation,
    async requestCancel({ immediate = false } = {}) {
      const { cancellation } = state;
      const changed = immediate ? cancellation.requestImmediate() : cancellation.requestGraceful();
      await cancelCompleted();
      return changed;
    },
    close: (closing) => (closed ??= close(state, closing?.graceMs ?? 5_000)),
  };
}

function listTools(state: HostState, filter: Parameters<Host["tools"]>[0] = {}): readonly ToolInfo[] {
  const { mode, includeDeprecated = false, includeInternal = false } = filter;
  return [...state.moduleSet.registry.tools.values()]
    .map((tool) => tool.info)
    .filter((info) => includeDeprecated || info.status !== "deprecated")
    .filter((info) => includeInternal || info.status !== "internal")
    .filter((info) => mode === undefined || info.alwaysOffered || isForMode(info, mode))
    .toSorted(byName);
}

/** Waits for calls and stops the rest, waits for observers and stores, each at most `graceMs`, then undoes the modules. */
async function close(state: HostState, graceMs: number): Promise<DrainReport> {
  const { cancellation, clock, observers, stores } = state;
  state.closing = true;
  const active = state.active.items();
  cancellation.requestGraceful();
  const cancelled = active.filter((call) => call.stop?.reason === "cancel").map((call) => call.runId);
  const drained = await drain(
    state,
    () => true,
    graceMs,
    () => cancellation.requestImmediate(),
  );
  const observed = observers.settled();
  if (observed !== null) await withTimeout(clock, graceMs, observed, () => undefined);
  await withTimeout(clock, graceMs, stores.settle(), () => undefined);
  stores.stopped = true;
  const failures = await undoModules(state, [...state.moduleSet.modules, ...state.leaving]);
  state.stopTimers();
  state.outputs.clear();
  return { ...drained, aborted: [...cancelled, ...drained.aborted], failures };
}

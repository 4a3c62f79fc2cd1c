import { guidanceOf } from "../sessions/guidance.ts";
import { activateTools } from "../sessions/activation.ts";
import { createCancellation, isUnused, type CancellationToken } from "../contract/cancellation.ts";
import { applyCancellation } from "../call/cancellation.ts";
import { startCall } from "../call/pipeline.ts";
import type { CallContext, CallRequest } from "../contract/context.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import { waitUntil } from "./drain.ts";
import { ToolmountError, messageOf } from "../contract/errors.ts";
import type { HostState } from "./host-state.ts";
import type { SessionId } from "../contract/own-session.ts";
import { ownSession } from "../call/call-state.ts";
import { logId } from "../pending/session-logs.ts";
import { IdleCache } from "../sessions/states.ts";
import { makeOffer } from "../sessions/offer.ts";
import { resume } from "./resume.ts";
import { createRehearsal } from "./approved-list.ts";
import { differenceOf, listChanges, undoChanges } from "./undo.ts";
import { defaultMode, modeOf, sessionMode } from "../sessions/mode.ts";
import type { Session, SessionCallContext, SessionTurn } from "../contract/session.ts";

/** Returns a function that finds the session of an id: the same object while it or its token is in use. */
export function createSessions(host: HostState): (id: string) => Session {
  const sessions = new IdleCache<Session>(({ cancellation }) => isUnused(cancellation));
  /** Keeps a session in memory as long as its token is held. */
  const holders = new WeakMap<CancellationToken, Session>();
  return (id) => {
    if (typeof id !== "string" || id === "")
      throw new ToolmountError("OPTION_INVALID", {
        option: "session",
        problem: "its id must be a text that is not empty",
      });
    if (logId.test(id))
      throw new ToolmountError("OPTION_INVALID", {
        option: "session",
        problem: `its id must not begin with "${logId.exec(id)![0]}"`,
      });
    const known = sessions.get(id) ?? createSession(host, ownSession(null, id), () => sessions.delete(id));
    holders.set(known.cancellation, known);
    sessions.set(id, known);
    return known;
  };
}

function createSession(host: HostState, id: SessionId, forget: () => void): Session {
  const cancellation = createCancellation();
  const held = { state: host.states.of(id) }; // the loaded state stays in memory while the session does
  const stateOf = () => (held.state = host.states.of(id));
  const load = () => {
    stateOf();
    return loadState(host, id);
  };
  const offer = (turn: SessionTurn = {}) => makeOffer(host, { ...turn, sessionId: id });
  const begin = (given: SessionCallContext, of: string = id) => {
    stateOf();
    return beginIn(host, of, { ...given, cancellation });
  };
  const session: Session = {
    id,
    get state() {
      return stateOf();
    },
    snapshot: () => stateOf().snapshot(),
    restore: (state) => stateOf().restore(state),
    load: async () => void (await load()),
    async call(request, given = {}) {
      const { context, origin } = await begin(given);
      return startCall(host, request, context, origin);
    },
    async resume(ticket, given = {}, clientResult) {
      const { context } = await begin(given);
      return resume(host, ticket, context, clientResult);
    },
    changes: (filter) => listChanges(host, id, filter),
    difference: (filter) => differenceOf(host, id, filter),
    undo: (selection, given = {}) =>
      undoChanges(host, ownSession(given.userId, id), (of) => begin(given, of), selection),
    rehearse: () => createRehearsal(host, session, begin),
    async mode(turn = {}) {
      await load();
      return (await modeOf(host, { ...turn, sessionId: id })).key;
    },
    offer,
    tools: async (turn) => (await offer(turn)).tools,
    guidance: async (turn) => {
      const { tools, available } = await offer(turn);
      return guidanceOf(tools, available);
    },
    activate: (tools) => activate(host, id, tools),
    cancellation,
    cancel: (options) => cancel(host, id, cancellation, options?.immediate ?? false),
    end() {
      host.states.forget(id);
      host.changes.forget(id);
      forget();
    },
  };
  internalCalls.set(session, async (request, given = {}) => {
    const { context, origin } = await begin(given);
    return startCall(host, request, context, { ...origin, isInternal: true });
  });
  return session;
}

/** Prepares the context of a call in a session. */
async function beginIn(host: HostState, sessionId: string, given: CallContext) {
  const key = ownSession(given.userId, sessionId);
  // A failure is ignored here: the call loads the state again, and reports the failure in its outcome.
  const session = await loadState(host, key).catch(() => null);
  const mode = await callMode(host, key, given.turnId);
  const context: CallContext & { readonly sessionId: string } = { ...given, sessionId, mode };
  return { context, origin: { parent: null, session } };
}

async function loadState(host: HostState, id: SessionId): Promise<object> {
  const state = host.states.of(id);
  await host.states.load(id);
  return state;
}

const internalCalls = new WeakMap<Session, Session["call"]>();

/** Calls an internal tool in a session. No other call can find the tool by its name. */
export function callInternal(
  session: Session,
  request: CallRequest,
  context?: SessionCallContext,
): Promise<ToolOutcome> {
  const call = internalCalls.get(session);
  if (call === undefined) throw new Error("this is not a session that a host made");
  return call(request, context);
}

/** Returns the mode of a call. If the catalog fails, returns the mode that the session's state has, so that the call does not fail. */
async function callMode(host: HostState, sessionId: SessionId, turnId: string | undefined): Promise<string> {
  try {
    return (await modeOf(host, { sessionId, turnId })).key;
  } catch (err) {
    const mode = sessionMode(host.states.of(sessionId), turnId) ?? defaultMode;
    host.logger.warn({ err, session_id: sessionId, mode }, `the mode was not checked: ${messageOf(err)}`);
    return mode;
  }
}

function activate(host: HostState, id: SessionId, tools: readonly string[]): void {
  const { registry } = host.moduleSet;
  activateTools(
    host.states.of(id),
    tools.filter((name) => registry.tools.has(name)),
  );
}

/** Stops all calls of the session, also those started through the host. `token` also stops the session's later calls. */
async function cancel(
  host: HostState,
  id: SessionId,
  token: CancellationToken,
  immediate: boolean,
): Promise<boolean> {
  const changed = immediate ? token.requestImmediate() : token.requestGraceful();
  const concerned = host.active.items().filter(({ sessionKey }) => sessionKey === id);
  for (const call of concerned) applyCancellation(call, token.state);
  await waitUntil(host, () => concerned.every(({ place }) => place === -1));
  return changed;
}

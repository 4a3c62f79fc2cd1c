import { activateTools } from "../sessions/activation.ts";
import { createCancellation, type CancellationToken } from "../contract/cancellation.ts";
import { heed } from "../call/cancellation.ts";
import type { CallContext } from "../contract/context.ts";
import { idle } from "./drain.ts";
import { ToolmountError, messageOf } from "../contract/errors.ts";
import type { HostState } from "./host-state.ts";
import { defaultMode } from "../sessions/mode-catalog.ts";
import { makeOffer, modeOf } from "../sessions/offer.ts";
import { resume } from "./resume.ts";
import { sessionMode } from "../sessions/mode.ts";
import type { Session, SessionCallContext, SessionTurn } from "../contract/session.ts";

/** Gives the session of an id: the same object until it ends. Throws `OPTION_INVALID` for an id that is none. */
export function createSessions(host: HostState): (id: string) => Session {
  const sessions = new Map<string, Session>();
  return (id) => {
    if (typeof id !== "string" || id === "")
      throw new ToolmountError("OPTION_INVALID", {
        option: "session",
        problem: "its id is a text, not empty",
      });
    const known = sessions.get(id) ?? createSession(host, id, () => sessions.delete(id));
    sessions.set(id, known);
    return known;
  };
}

function createSession(host: HostState, id: string, forget: () => void): Session {
  const cancellation = createCancellation();
  const load = async () => void (await host.states.load(id));
  const offer = (turn: SessionTurn = {}) => makeOffer(host, { ...turn, sessionId: id });
  const contextOf = async (given: SessionCallContext): Promise<CallContext> => {
    await load().catch(() => {}); // the call itself finds out, and says so in its outcome
    const mode = await callMode(host, id, given.turnId);
    return { ...given, sessionId: id, mode, cancellation };
  };
  return {
    id,
    get state() {
      return host.sessionState(id);
    },
    snapshot: () => host.sessionState(id).snapshot(),
    restore: (state) => host.sessionState(id).restore(state),
    load,
    call: async (request, context = {}) => host.call(request, await contextOf(context), null),
    resume: async (ticket, context = {}, clientResult) =>
      resume(host, ticket, await contextOf(context), clientResult),
    async mode(turn = {}) {
      await load();
      return (await modeOf(host, { ...turn, sessionId: id })).key;
    },
    offer,
    tools: async (turn) => (await offer(turn)).tools,
    guidance: async (turn) => (await offer(turn)).guidance,
    activate: (tools) => activate(host, id, tools),
    cancellation,
    cancel: (options) => cancel(host, id, cancellation, options?.immediate ?? false),
    end() {
      host.forgetSession(id);
      forget();
    },
  };
}

/** A call is not refused because the catalog is away: it runs in the mode that the session has without it. */
async function callMode(host: HostState, sessionId: string, turnId: string | undefined): Promise<string> {
  try {
    return (await modeOf(host, { sessionId, turnId })).key;
  } catch (err) {
    const mode = sessionMode(host.sessionState(sessionId), turnId) ?? defaultMode;
    host.logger.warn({ err, session_id: sessionId, mode }, `the mode was not checked: ${messageOf(err)}`);
    return mode;
  }
}

function activate(host: HostState, id: string, tools: readonly string[]): void {
  const { registry } = host.home;
  activateTools(
    host.sessionState(id),
    tools.filter((name) => registry.tools.has(name)),
  );
}

/** Stops what runs for the session, whoever called it; what comes later through the session is held by its token. */
async function cancel(
  host: HostState,
  id: string,
  token: CancellationToken,
  immediate: boolean,
): Promise<boolean> {
  const changed = immediate ? token.requestImmediate() : token.requestGraceful();
  const concerned = host.active.items().filter(({ given }) => given.sessionId === id);
  for (const run of concerned) heed(run, token.state);
  await idle(host, () => concerned.every(({ active }) => active.list === null));
  return changed;
}

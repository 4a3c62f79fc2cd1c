import { AsyncLocalStorage } from "node:async_hooks";
import {
  createCancellation,
  failure,
  ownSession,
  type CancellationToken,
  type PartialResult,
  type SessionId,
  type ToolContext,
} from "@toolmount/core";

/** The state that Amplifier's modules have for one session. */
export interface AmplifierSession {
  readonly id: string;
  readonly parentId: string | null;
  /** A dictionary in which policies and modes keep data. */
  readonly state: Record<string, unknown>;
  readonly cancellation: CancellationToken;
  /** Estimated number of tokens that hooks have injected in this turn. */
  injectedTokens: number;
}

/** The sessions of one host, as its modules see them. */
export interface AmplifierSessions {
  /** Returns the session of the call or event that runs now, else the host's own. */
  current(): AmplifierSession;
  /** Returns the call that runs now; undefined outside of calls. */
  call(): ToolContext | undefined;
  /** Runs a tool in the session of its call, unless that is cancelled. Immediate cancellation does not wait for the tool. */
  within(context: ToolContext, work: () => unknown): Promise<unknown>;
  /**
   * Runs a hook in the session of its event. An event that a module emits has no user, so the user of the running session
   * counts.
   */
  inSession<Value>(sessionId: unknown, work: () => Value, userId?: unknown): Value;
}

/** Maximum number of sessions that are remembered. If there are more, those used longest ago are dropped. */
const maxSessions = 10_000;

/** Id of the session that modules see while no call runs. */
const hostSession = "host";

/** Makes the sessions of one host. A session is made when it is first used, and kept in memory. */
export function createAmplifierSessions(): AmplifierSessions {
  const sessions = new Map<SessionId, AmplifierSession>();
  const at = new AsyncLocalStorage<{ session: AmplifierSession; context?: ToolContext }>();
  const sessionOf = (id: string, user?: unknown, parentId: string | null = null): AmplifierSession => {
    const key = ownSession(user, id);
    const session = sessions.get(key) ?? makeSession(id, parentId);
    sessions.delete(key);
    sessions.set(key, session);
    for (const [oldest] of sessions) {
      if (sessions.size <= maxSessions) break;
      sessions.delete(oldest);
    }
    return session;
  };
  return {
    current: () => at.getStore()?.session ?? sessionOf(hostSession),
    call: () => at.getStore()?.context,
    within: (context, work) => {
      const { sessionId, userId, parentRunId = null } = context;
      const user = sessionId === undefined ? undefined : userId;
      const session = sessionOf(sessionId ?? hostSession, user, parentRunId);
      return at.run({ session, context }, () => cancellable(session, context, work));
    },
    inSession: (sessionId, work, userId) => {
      if (typeof sessionId !== "string" || sessionId === "") return work();
      const before = at.getStore()?.session;
      if (before?.id === sessionId && userId === undefined) return work();
      const session = sessionOf(sessionId, userId);
      return before === session ? work() : at.run({ session }, work);
    },
  };
}

function makeSession(id: string, parentId: string | null): AmplifierSession {
  const state = Object.create(null) as Record<string, unknown>;
  return { id, parentId, state, cancellation: createCancellation(), injectedTokens: 0 };
}

async function cancellable(
  { cancellation }: AmplifierSession,
  context: ToolContext,
  work: () => unknown,
): Promise<unknown> {
  const { callId, tool } = context;
  if (cancellation.isCancelled) return stopped(tool);
  cancellation.registerToolStart(callId, tool);
  let undo = () => {};
  const gaveUp = new Promise<unknown>((resolve) => {
    undo = cancellation.onChange((state) => {
      if (state === "immediate") resolve(stopped(tool));
    });
  });
  try {
    return await Promise.race([work(), gaveUp]);
  } finally {
    undo();
    cancellation.registerToolComplete(callId);
  }
}

/** The result of a call whose session was cancelled before or while the call ran. */
export class Stopped {
  readonly tool: string;

  constructor(tool: string) {
    this.tool = tool;
  }

  toResult(): PartialResult<never> {
    return failure("Request was cancelled", { details: { cancelled: true, tool: this.tool } });
  }
}

function stopped(tool: string): Stopped {
  return new Stopped(tool);
}

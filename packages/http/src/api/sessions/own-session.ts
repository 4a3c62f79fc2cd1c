import { randomUUID } from "node:crypto";
import { isToolmountError, ownSession, ToolmountError } from "@toolmount/core";
import type { CallHistory } from "../../journal/call-history.ts";
import type { ServedTurns } from "../../served-host.ts";
import { visibleUser, type Principal } from "../../access/principal.ts";

/** What is known of the sessions of a host. */
interface Known {
  readonly turns?: ServedTurns | undefined;
  readonly history: CallHistory;
}

/** A session that a request names. */
interface NamedSession {
  readonly name: string;
  readonly principal: Principal;
  /** The user that the request names, where the token has none. */
  readonly userId?: string | undefined;
}

/** The id of a user's new session without a name; undefined where the model's loop makes one, since it belongs to no user. */
export function newSession(user: string | undefined): string | undefined {
  return user && ownSession(user, randomUUID());
}

/** The id of a session that a client names to look at it or to continue it. */
export async function sessionNamed(known: Known, { name, principal, userId }: NamedSession): Promise<string> {
  const user = principal.user ?? userId;
  const own = ownSession(user, name);
  if (user === undefined || own === name) return name;
  // The sessions of agents that a session began have ids of their own.
  if ((await ownerOf(known.turns, name)) === user) return name;
  const isOwn = visibleUser(principal) !== null || (await isKnown(known, own, user));
  return isOwn ? own : name;
}

/** The id of a session that has turns. Throws `SESSION_NOT_FOUND`: another user's does not exist for a token of a user. */
export async function turnsNamed(
  known: Known & { readonly turns: ServedTurns },
  named: NamedSession,
): Promise<string> {
  const session = await sessionNamed(known, named);
  const user = visibleUser(named.principal);
  if (user !== null && (await ownerOf(known.turns, session)) !== user)
    throw new ToolmountError("SESSION_NOT_FOUND", { session: named.name });
  return session;
}

/** Whether a user's session has turns or calls. Who sees everything may also name what belongs to no user. */
async function isKnown({ turns, history }: Known, session: string, user: string): Promise<boolean> {
  if ((await ownerOf(turns, session)) === user) return true;
  const { calls } = await history.list({ sessionId: session, limit: 1 });
  return calls.length > 0;
}

/** The user of a session with turns; null where there is none, or no such session. */
async function ownerOf(turns: ServedTurns | undefined, session: string): Promise<string | null> {
  try {
    return (await turns?.owner(session)) ?? null;
  } catch (error) {
    if (isToolmountError(error) && error.code === "SESSION_NOT_FOUND") return null;
    throw error;
  }
}

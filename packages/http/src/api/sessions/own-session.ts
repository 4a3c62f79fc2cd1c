import { randomUUID } from "node:crypto";
import { isToolmountError, ownSession, ToolmountError } from "@toolmount/core";
import type { CallHistory } from "../../journal/call-history.ts";
import type { ServedTurns } from "../../served-host.ts";
import { visibleUser, type Principal } from "../../access/principal.ts";

/** The parts of a host that know its sessions. */
interface Known {
  readonly turns?: ServedTurns | undefined;
  readonly history: CallHistory;
}

/** A session that a request names. */
interface NamedSession {
  readonly name: string;
  readonly principal: Principal;
  /** The user that the request names, if the token has none. */
  readonly userId?: string | undefined;
}

/** Creates the id of a user's new session without a name. Undefined without a user, because the model's loop then creates the id. */
export function newSession(user: string | undefined): string | undefined {
  return user && ownSession(user, randomUUID());
}

/** Returns the id of a session that a client names to look at it or to continue it. */
export async function sessionNamed(known: Known, { name, principal, userId }: NamedSession): Promise<string> {
  const user = principal.user ?? userId;
  const own = ownSession(user, name);
  if (user === undefined || own === name) return name;
  // The sessions of agents that a session started have other ids, without the user.
  if ((await ownerOf(known.turns, name)) === user) return name;
  const isOwn = visibleUser(principal) !== null || (await isKnown(known, own, user));
  return isOwn ? own : name;
}

/** Returns the id of a session that has turns. Throws `SESSION_NOT_FOUND` also for another user's session. */
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

/** Tests whether a user's session has turns or calls. A token that sees everything may also name sessions without a user. */
async function isKnown({ turns, history }: Known, session: string, user: string): Promise<boolean> {
  if ((await ownerOf(turns, session)) === user) return true;
  const { calls } = await history.list({ sessionId: session, limit: 1 });
  return calls.length > 0;
}

/** Returns the user of a session with turns; null if it has no user, or does not exist. */
async function ownerOf(turns: ServedTurns | undefined, session: string): Promise<string | null> {
  try {
    return (await turns?.owner(session)) ?? null;
  } catch (error) {
    if (isToolmountError(error) && error.code === "SESSION_NOT_FOUND") return null;
    throw error;
  }
}

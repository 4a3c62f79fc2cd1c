import { randomUUID } from "node:crypto";
import { isToolmountError, ownSession, ToolmountError } from "@toolmount/core";
import type { CallHistory } from "../../journal/call-history.ts";
import type { ServedTurns } from "../../served-host.ts";
import { visibleUser, type Principal } from "../../access/principal.ts";

/** The parts of a host from which the owner of a session is known. */
interface Known {
  readonly turns?: ServedTurns | undefined;
  readonly history: CallHistory;
}

/** A session that a request names. */
interface NamedSession {
  readonly name: string;
  readonly principal: Principal;
  /** The user that the request names; used only if the token has no user. */
  readonly userId?: string | undefined;
}

/** Creates the id of a user's new session. Undefined without a user: the reasoner then creates an id itself. */
export function newSession(user: string | undefined): string | undefined {
  return user && ownSession(user, randomUUID());
}

/** Returns the full id of a session that a client names. For a user's session, the client may leave out the user in its id. */
export async function sessionNamed(known: Known, { name, principal, userId }: NamedSession): Promise<string> {
  const user = principal.user ?? userId;
  const own = ownSession(user, name);
  if (user === undefined || own === name) return name;
  // Sessions of sub-agents have ids without the user, but belong to the user of the session that started them.
  if ((await ownerOf(known.turns, name)) === user) return name;
  const isOwn = visibleUser(principal) !== null || (await isKnown(known, own, user));
  return isOwn ? own : name;
}

/** Returns the full id of a session with turns. Throws `SESSION_NOT_FOUND` if it belongs to another user. */
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

/** Tests whether a user's session has turns or calls. If not, a token that sees all sessions may mean one without a user. */
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

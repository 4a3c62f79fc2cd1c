import { ToolmountError, type ChangeFilter, type SessionChange } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { findByPrefix } from "../options/find-by-prefix.ts";
import { sessionStoreOf } from "./session-store.ts";

/** Maximum number of sessions, the last changed ones, in which a turn or a call is searched. */
const maxSessions = 100;

/** The changes that a person named: those of a session, of a turn or of a call. */
interface NamedChanges {
  readonly sessionId: string;
  readonly filter: ChangeFilter;
  readonly changes: readonly SessionChange[];
}

/**
 * Finds the changes that a word names: those of a session, by its id or the beginning of its id. If no session fits, those of a
 * turn or a call, in the given session or in the sessions that changed last. Throws `USAGE_INVALID` if nothing fits.
 */
export async function findChanges(
  host: OpenedHost,
  word: string,
  session: string | undefined,
): Promise<NamedChanges> {
  const known = session === undefined ? await sessionIds(host) : [session];
  if (session === undefined) {
    const sessionId = findByPrefix(word, known);
    const changes = await host.session(sessionId).changes();
    if (changes.length > 0 || known.includes(sessionId)) return { sessionId, filter: {}, changes };
  }
  for (const sessionId of known)
    for (const filter of [{ turn: word }, { call: word }]) {
      const changes = await host.session(sessionId).changes(filter);
      if (changes.length > 0) return { sessionId, filter, changes };
    }
  const problem = `no session, turn or call with changes has the id "${word}"; name the session with --session`;
  throw new ToolmountError("USAGE_INVALID", { problem });
}

async function sessionIds(host: OpenedHost): Promise<readonly string[]> {
  const sessions = (await sessionStoreOf(host)?.list({ limit: maxSessions })) ?? [];
  return sessions.map(({ id }) => id);
}

import { ToolmountError, type AuditSink, type Host, type PastCallFilter } from "@toolmount/core";
import { readStory, recentSessions } from "@toolmount/record";
import type { Reasoner } from "@toolmount/reasoner";
import { findByPrefix } from "../options/find-by-prefix.ts";
import type { AllSessions, SessionStory } from "../render/session-story.ts";

/** Lists the sessions, the last used first. With a filter, only those that have a matching call in the audit. */
export async function listSessions(
  reasoner: Reasoner,
  host: Host,
  filter: Omit<PastCallFilter, "limit"> = {},
): Promise<AllSessions> {
  const sessions = await reasoner.list();
  const known = new Set(sessions.map(({ id }) => id));
  const audit = auditOf(host);
  const recent = audit === null ? [] : await recentSessions(audit, filter);
  const chosen = new Set(recent.map(({ session }) => session));
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return {
    sessions: isFiltered ? sessions.filter(({ id }) => chosen.has(id)) : sessions,
    ofClients: recent.filter(({ session }) => !known.has(session)),
  };
}

/**
 * Reads the conversation and the audited calls of a session. `written` is its id, the beginning of its id, or the run id of one
 * of its calls, which logs, exports and questions show. Rejects with `SESSION_NOT_FOUND`.
 */
export async function readSessionStory(
  reasoner: Reasoner,
  host: Host,
  written: string,
): Promise<SessionStory> {
  const { sessions, ofClients } = await listSessions(reasoner, host);
  const ids = [...sessions.map(({ id }) => id), ...ofClients.map(({ session }) => session)];
  const found = findByPrefix(written, ids);
  const id = ids.includes(found) ? found : ((await sessionOfRun(host, written)) ?? found);
  const isOfModel = sessions.some((session) => session.id === id);
  const conversation = isOfModel ? await reasoner.show(id) : null;
  const of = conversation === null ? {} : { spent: conversation, said: await reasoner.said(id) };
  const story = auditOf(host) === null ? null : await readStory(host, id, of);
  if (!isOfModel && (story?.steps.length ?? 0) === 0)
    throw new ToolmountError("SESSION_NOT_FOUND", { session: written });
  return { conversation, story };
}

/** Finds the session of a call in the audit; undefined if no call has this run id, or the call had no session. */
async function sessionOfRun(host: Host, runId: string): Promise<string | undefined> {
  const found = await auditOf(host)?.calls?.({ runIds: [runId], limit: 1 });
  return found?.calls[0]?.sessionId ?? undefined;
}

/** Returns the audit; null for a plan with `audit: off`, whose sessions are listed without it. */
const auditOf = ({ coordinator }: Host) => coordinator.get("audit-sink") as AuditSink | null;

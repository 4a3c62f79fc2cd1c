import { ToolmountError, type AuditSink, type Host, type PastCallFilter } from "@toolmount/core";
import { readStory, recentSessions } from "@toolmount/record";
import type { Reasoner } from "@toolmount/reasoner";
import { findByPrefix } from "../options/find-by-prefix.ts";
import type { AllSessions, SessionStory } from "../render/session-story.ts";

/** Lists the sessions, the last used first. */
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

/** What is known of a session, by its id or the beginning of it. Rejects with `SESSION_NOT_FOUND`. */
export async function readSessionStory(
  reasoner: Reasoner,
  host: Host,
  written: string,
): Promise<SessionStory> {
  const { sessions, ofClients } = await listSessions(reasoner, host);
  const ids = [...sessions.map(({ id }) => id), ...ofClients.map(({ session }) => session)];
  const id = findByPrefix(written, ids);
  const isOfModel = sessions.some((session) => session.id === id);
  const said = isOfModel ? await reasoner.said(id) : [];
  const story = auditOf(host) === null ? null : await readStory(host, id, { said });
  if (!isOfModel && (story?.steps.length ?? 0) === 0)
    throw new ToolmountError("SESSION_NOT_FOUND", { session: written });
  return { conversation: isOfModel ? await reasoner.show(id) : null, story };
}

/** Null for a plan that says `audit: off`: its sessions are listed without it. */
const auditOf = ({ coordinator }: Host) => coordinator.get("audit-sink") as AuditSink | null;

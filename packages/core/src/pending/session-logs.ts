import { isRecord, type Json } from "../json/json.ts";

/** Returns the id of the log in which a session store keeps the results of a session, beside the log of its turns. */
export function resultsLogOf(sessionId: string): string {
  return `results of ${sessionId}`;
}

/** The id of the log in which a session store keeps the changes of a session, and what was undone of them. */
export function changesLogOf(sessionId: string): string {
  return `changes of ${sessionId}`;
}

/** The id of the log in which an adapter keeps the tickets of calls that wait for a person. */
export function ticketsLogOf(sessionId: string): string {
  return `tickets of ${sessionId}`;
}

/** The id of the log that names a session's other logs: one for each call of a `repeatable` tool. */
export function callsLogOf(sessionId: string): string {
  return `calls of ${sessionId}`;
}

/** The id of the log of the calls that one call made. `digest` is of fixed length, so no two sessions share an id. */
export function innerLogOf(digest: string, sessionId: string): string {
  return `made by ${digest} of ${sessionId}`;
}

/** Matches the ids of those logs: no session may have one, since its own log would be another session's. */
export const logId = /^(?:results|changes|calls|tickets|made by [\da-f]{64}) of /;

/** The ids of all logs of a session: they are deleted together. `calls` are the entries of its {@link callsLogOf}. */
export function logsOf(sessionId: string, calls: readonly Json[]): readonly string[] {
  const digests = calls.flatMap((entry) =>
    isRecord(entry) && typeof entry["call"] === "string" ? entry["call"] : [],
  );
  const inner = new Set(digests.map((digest) => innerLogOf(digest, sessionId)));
  const own = [resultsLogOf, changesLogOf, callsLogOf, ticketsLogOf].map((logOf) => logOf(sessionId));
  return [sessionId, ...own, ...inner];
}

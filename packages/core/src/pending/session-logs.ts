import { isRecord, type Json } from "../json/json.ts";

/** Returns the id of the log in which a session store keeps the results of a session, separate from the log of its turns. */
export function resultsLogOf(sessionId: string): string {
  return `results of ${sessionId}`;
}

/** Returns the id of the log in which a session store keeps the changes of a session, and which of them were undone. */
export function changesLogOf(sessionId: string): string {
  return `changes of ${sessionId}`;
}

/** Returns the id of the log in which an adapter keeps the tickets of calls that wait for a person. */
export function ticketsLogOf(sessionId: string): string {
  return `tickets of ${sessionId}`;
}

/** Returns the id of the log that lists a session's inner logs: one for each call of a `repeatable` tool. */
export function callsLogOf(sessionId: string): string {
  return `calls of ${sessionId}`;
}

/** Returns the id of the log of the calls that one call made. `digest` has a fixed length, so no two sessions share an id. */
export function innerLogOf(digest: string, sessionId: string): string {
  return `made by ${digest} of ${sessionId}`;
}

/** Matches the ids of the logs above. No session may have such an id, because its own log would be another session's log. */
export const logId = /^(?:results|changes|calls|tickets|made by [\da-f]{64}) of /;

/** Returns the ids of all logs of a session, which are deleted together. `calls` are the entries of its {@link callsLogOf}. */
export function logsOf(sessionId: string, calls: readonly Json[]): readonly string[] {
  const digests = calls.flatMap((entry) =>
    isRecord(entry) && typeof entry["call"] === "string" ? entry["call"] : [],
  );
  const inner = new Set(digests.map((digest) => innerLogOf(digest, sessionId)));
  const own = [resultsLogOf, changesLogOf, callsLogOf, ticketsLogOf].map((logOf) => logOf(sessionId));
  return [sessionId, ...own, ...inner];
}

/** The id of the log in which a session store keeps the results of a session, beside the log of its turns. */
export function resultsLogOf(sessionId: string): string {
  return `results of ${sessionId}`;
}

/** The id of the log in which a session store keeps the changes of a session, and what was undone of them. */
export function changesLogOf(sessionId: string): string {
  return `changes of ${sessionId}`;
}

/** The ids of all logs of a session: they are deleted together. */
export function logsOf(sessionId: string): readonly string[] {
  return [sessionId, resultsLogOf(sessionId), changesLogOf(sessionId)];
}

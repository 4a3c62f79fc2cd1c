/** The id of the log in which a session store keeps the results of a session, beside the log of its turns. */
export function resultsLogOf(sessionId: string): string {
  return `results of ${sessionId}`;
}

/** Run ids, and the callers' ids of calls that have not ended. */
export class CallIds {
  readonly #prefix: string;
  readonly #claimed = new Map<string, Set<string>>();
  #runs = 0;

  /** `hostId` begins every run id: it is different for each host of a process. */
  constructor(hostId: string) {
    this.#prefix = `${hostId}-`;
  }

  nextRunId(): string {
    return this.#prefix + (++this.#runs).toString(36);
  }

  /** Claims a caller's id for a session; false when a call of the session has it already. */
  claim(sessionId: string, callId: string): boolean {
    const ids = this.#claimed.get(sessionId) ?? new Set();
    if (ids.has(callId)) return false;
    this.#claimed.set(sessionId, ids.add(callId));
    return true;
  }

  release(sessionId: string, callId: string): void {
    const ids = this.#claimed.get(sessionId);
    ids?.delete(callId);
    if (ids?.size === 0) this.#claimed.delete(sessionId);
  }
}

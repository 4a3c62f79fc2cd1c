/** The last two digits of a run's number, in base 36: to print the whole number takes 3 % of a call's time. */
const lastDigits = Array.from({ length: 36 * 36 }, (_, run) => run.toString(36).padStart(2, "0"));

/** Run ids, and the callers' ids of calls that have not ended. */
export class CallIds {
  readonly #prefix: string;
  readonly #claimed = new Map<string, Set<string>>();
  #block: string;
  #runs = 0;

  /** `hostId` begins every run id: it is different for each host of a process. */
  constructor(hostId: string) {
    this.#prefix = this.#block = `${hostId}-`;
  }

  nextRunId(): string {
    const run = ++this.#runs;
    if (run < lastDigits.length) return this.#prefix + run.toString(36);
    if (run % lastDigits.length === 0) this.#block = this.#prefix + (run / lastDigits.length).toString(36);
    return this.#block + lastDigits[run % lastDigits.length]!;
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

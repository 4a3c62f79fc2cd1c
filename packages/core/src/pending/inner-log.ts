import type { Clock, Timer } from "../contract/clock.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { SessionId } from "../contract/own-session.ts";
import type { SessionStore } from "../contract/stores.ts";
import type { Json } from "../json/json.ts";
import { isRecord } from "../json/json.ts";
import { leastBytes } from "../json/meter.ts";
import { callsLogOf, innerLogOf } from "./session-logs.ts";
import { withStoreCode } from "./stored-call.ts";

/** Maximum number of bytes of outcomes in the log of one call. A call that exceeds it can make no further calls. */
const maxBytes = 67_108_864;

/** Milliseconds between two writes of entries that may be lost, because their calls can run again. */
const paceMs = 100;

/** Milliseconds within which a tool that runs again must repeat the next call of the earlier run. */
const patienceMs = 30_000;

/** What the log says about one call. `began` means that its tool may have run. */
interface MadeCall {
  readonly key: string;
  readonly tool: string;
  readonly began?: true | undefined;
  readonly ticket?: string | undefined;
  readonly outcome?: ToolOutcome | undefined;
  /** Number of grants of an approved list that were spent up to this call. */
  readonly spent?: number | undefined;
}

/** An entry of the log: what happened to the call with a number, or the end of the call that made these calls. */
type Entry = ({ readonly number: number } & MadeCall) | { readonly end: ToolOutcome | null };

/**
 * The log of the calls that one call of a `repeatable` tool makes, stored with its session. It lets the tool run again after
 * its process died: each call that has an outcome is answered from the log, in the order of the earlier answers.
 *
 * The log is also a lock. If two hosts run the same call, one appends first; the next entry of the other host is refused, and
 * that host makes no further call.
 */
export class InnerLog {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #id: string;
  /** The number of the last stored entry. */
  #count = 0;
  #bytes = 0;
  readonly #queue: Entry[] = [];
  #work: Promise<void> = Promise.resolve();
  #writtenAt = Number.NEGATIVE_INFINITY;
  readonly #earlier = new Map<number, MadeCall>();
  /** Numbers of earlier calls with an outcome, in the order in which they were answered; those answered again are removed. */
  readonly #order: number[] = [];
  readonly #waiting = new Map<number, PromiseWithResolvers<ToolOutcome>>();
  /** Resolves when all earlier calls have been answered again. */
  #replayed: PromiseWithResolvers<void> | null = null;
  #patience: Timer | null = null;
  #isAnswering = false;
  #isClosed = false;
  /** The end of the call that made these calls; null if it has not ended. */
  end: ToolOutcome | null = null;

  private constructor(store: SessionStore, clock: Clock, id: string) {
    [this.#store, this.#clock, this.#id] = [store, clock, id];
  }

  /** Reads the log of a call, which `digest` identifies within its session. Rejects with `STORE_FAILED`. */
  static async open(
    store: SessionStore,
    clock: Clock,
    { sessionId, digest }: { readonly sessionId: SessionId; readonly digest: string },
  ): Promise<InnerLog> {
    const log = new InnerLog(store, clock, innerLogOf(digest, sessionId));
    await withStoreCode(async () => {
      for (const { sequence, entry } of await store.entries(log.#id)) log.#read(sequence, entry);
      if (log.#count === 0) await register(store, clock, sessionId, digest);
    });
    return log;
  }

  #read(sequence: number, entry: Json): void {
    this.#count = sequence;
    if (!isRecord(entry)) return;
    if ("end" in entry) return this.#startAgain(entry["end"] as unknown as ToolOutcome | null);
    const { number, ...made } = entry as unknown as { number: number } & MadeCall;
    this.#earlier.set(number, { ...this.#earlier.get(number), ...made });
    this.#bytes += leastBytes(made.outcome, maxBytes);
    if (made.outcome !== undefined) this.#order.push(number);
  }

  #startAgain(end: ToolOutcome | null): void {
    this.end = end;
    this.#earlier.clear();
    this.#order.length = 0;
    this.#bytes = 0;
  }

  get isFull(): boolean {
    return this.#bytes > maxBytes;
  }

  /** Returns what earlier runs noted about their call of this number, or null. Throws `PROGRAM_DIVERGED` if it was a different call. */
  earlier(number: number, key: string, tool: string): MadeCall | null {
    const made = this.#earlier.get(number);
    if (made === undefined) return null;
    if (made.key === key) return made;
    const now = tool === made.tool ? "made with other arguments" : `"${tool}"`;
    throw new ToolmountError("PROGRAM_DIVERGED", { number, tool: made.tool, now });
  }

  /** Resolves to the outcome of an earlier call, when all calls that were answered before it have been answered again. */
  inOrder(number: number): Promise<ToolOutcome> {
    const answer = Promise.withResolvers<ToolOutcome>();
    this.#waiting.set(number, answer);
    void this.#answer();
    return answer.promise;
  }

  /** Resolves when all earlier outcomes have been answered again. New outcomes come after them. */
  async replayed(): Promise<void> {
    if (this.#order.length === 0 && !this.#isAnswering) return;
    this.#replayed ??= Promise.withResolvers<void>();
    this.#wait();
    return this.#replayed.promise;
  }

  /** Answers calls with known outcomes in order. Each answer reaches the tool before the next is given. */
  async #answer(): Promise<void> {
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    for (let next = this.#next(); next !== null; next = this.#next()) {
      next();
      await new Promise(setImmediate);
    }
    this.#isAnswering = false;
    if (this.#order.length === 0) this.#replayed?.resolve();
    this.#wait();
  }

  #next(): (() => void) | null {
    const [number] = this.#order;
    const waiting = number === undefined ? undefined : this.#waiting.get(number);
    if (number === undefined || waiting === undefined) return null;
    this.#order.shift();
    this.#waiting.delete(number);
    const outcome = this.#earlier.get(number)!.outcome!;
    this.#earlier.delete(number);
    return () => waiting.resolve(outcome);
  }

  /** Starts the time within which the tool must repeat its next earlier call, if a call waits for that. */
  #wait(): void {
    this.#patience?.cancel();
    if (this.#waiting.size === 0 && (this.#replayed === null || this.#order.length === 0)) return;
    this.#patience = this.#clock.setTimer(() => this.#giveUp(), patienceMs);
    this.#patience.keepAlive(false);
  }

  #giveUp(): void {
    const number = this.#order[0]!;
    const { tool } = this.#earlier.get(number)!;
    const diverged = new ToolmountError("PROGRAM_DIVERGED", { number, tool, now: "not made" });
    for (const { reject } of this.#waiting.values()) reject(diverged);
    this.#replayed?.reject(diverged);
    this.#waiting.clear();
  }

  /** Number of earlier calls that this run has not made. */
  get missing(): number {
    return this.#order.length;
  }

  /** Stores that the tool of a call begins, so that it may have run from then on. Rejects if it must not begin. */
  begin(number: number, made: MadeCall): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Overtaken());
    this.#queue.push({ number, ...made, began: true });
    return this.#write();
  }

  /** Notes the outcome or the ticket of a call. With `canRepeat`, the note may be lost, because the call can run again. */
  note(number: number, made: MadeCall, canRepeat: boolean): void {
    if (this.#isClosed) return;
    this.#bytes += leastBytes(made.outcome, maxBytes);
    this.#queue.push({ number, ...made });
    if (canRepeat && this.#clock.now() - this.#writtenAt < paceMs) return;
    this.#write().catch(() => {}); // the next `begin`, or the end, rejects with the error
  }

  /** Stores all that was noted. */
  flush(): Promise<void> {
    return this.#write();
  }

  /** Stores the end. Its outcome is kept for a caller who may make the same call again because its process died. */
  async close(end: ToolOutcome | null): Promise<void> {
    this.#patience?.cancel();
    this.#isClosed = true;
    this.#queue.length = 0;
    this.#queue.push({ end });
    await this.#write();
    await withStoreCode(async () => this.#store.trim?.(this.#id, this.#count));
  }

  /** Writes all queued entries after the previous write. After a write has failed, nothing more is written. */
  #write(): Promise<void> {
    this.#work = this.#work.then(async () => {
      const entries = this.#queue.splice(0) as unknown as Json[];
      if (entries.length === 0) return;
      const stored = await withStoreCode(() => this.#store.append(this.#id, this.#count, entries));
      if (!stored) throw new Overtaken();
      this.#count += entries.length;
      this.#writtenAt = this.#clock.now();
    });
    return this.#work;
  }
}

/** Thrown when another host runs the same call. */
export class Overtaken extends Error {}

/** Adds the log to the list of its session's logs, so that it is deleted with the session. */
async function register(store: SessionStore, clock: Clock, sessionId: string, call: string): Promise<void> {
  for (;;) {
    const last = (await store.entries(callsLogOf(sessionId))).at(-1)?.sequence ?? 0;
    if (await store.append(callsLogOf(sessionId), last, [{ call, at: clock.now() }])) return;
  }
}

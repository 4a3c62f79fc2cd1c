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

/** Bytes of outcomes that one call's log may have. A call that made more makes no further ones. */
const maxBytes = 67_108_864;

/** Milliseconds between two writes of what may be lost, because it would run again. */
const paceMs = 100;

/** Milliseconds in which a tool that runs again must make a call that it made before. */
const patienceMs = 30_000;

/** What the log says of one call. `began`: its tool may have run. */
interface MadeCall {
  readonly key: string;
  readonly tool: string;
  readonly began?: true | undefined;
  readonly ticket?: string | undefined;
  readonly outcome?: ToolOutcome | undefined;
  /** How many grants of an approved list were spent by then. */
  readonly spent?: number | undefined;
}

/** An entry: what happened to a call with a number, or the end of the call that made them. */
type Entry = ({ readonly number: number } & MadeCall) | { readonly end: ToolOutcome | null };

/**
 * The calls that one call of a `repeatable` tool makes, in a log beside its session, so that the tool can run again after its
 * process died: each call that has an outcome is answered from the log, in the order in which it was answered before.
 *
 * The log is also a lock. Of two hosts that run the same call one appends first; the other's next entry is refused, and it
 * makes no further call.
 */
export class InnerLog {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #id: string;
  /** The last entry that is stored. */
  #count = 0;
  #bytes = 0;
  readonly #queue: Entry[] = [];
  #work: Promise<void> = Promise.resolve();
  #writtenAt = Number.NEGATIVE_INFINITY;
  readonly #earlier = new Map<number, MadeCall>();
  /** Numbers of earlier calls with an outcome, as they were answered. */
  readonly #order: number[] = [];
  readonly #waiting = new Map<number, PromiseWithResolvers<ToolOutcome>>();
  /** Resolves once all of them have been answered again. */
  #replayed: PromiseWithResolvers<void> | null = null;
  #patience: Timer | null = null;
  #isAnswering = false;
  #isClosed = false;
  /** How the call that made them ended, if it did. */
  end: ToolOutcome | null = null;

  private constructor(store: SessionStore, clock: Clock, id: string) {
    [this.#store, this.#clock, this.#id] = [store, clock, id];
  }

  /** Reads the log of a call. `digest` says which call of the session it is. Rejects with `STORE_FAILED`. */
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

  /** What is known of a call that an earlier run made. Throws `PROGRAM_DIVERGED` when that was another one. */
  earlier(number: number, key: string, tool: string): MadeCall | null {
    const made = this.#earlier.get(number);
    if (made === undefined) return null;
    if (made.key === key) return made;
    const now = tool === made.tool ? "made with other arguments" : `"${tool}"`;
    throw new ToolmountError("PROGRAM_DIVERGED", { number, tool: made.tool, now });
  }

  /** The outcome of an earlier call, once those that were answered before it have been answered again. */
  inOrder(number: number): Promise<ToolOutcome> {
    const answer = Promise.withResolvers<ToolOutcome>();
    this.#waiting.set(number, answer);
    void this.#answer();
    return answer.promise;
  }

  /** Resolves once all earlier outcomes have been answered again; what is new comes after them. */
  async replayed(): Promise<void> {
    if (this.#order.length === 0 && !this.#isAnswering) return;
    this.#replayed ??= Promise.withResolvers<void>();
    this.#wait();
    return this.#replayed.promise;
  }

  /** Answers each call whose answer is known, in order. An answer has reached the tool before the next one is given. */
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

  /** Gives the tool its time for the next call that it made before. */
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

  /** Earlier calls that this run has not made. */
  get missing(): number {
    return this.#order.length;
  }

  /** Stores that the tool of a call begins: from here on it may have run. Rejects when it may not. */
  begin(number: number, made: MadeCall): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Overtaken());
    this.#queue.push({ number, ...made, began: true });
    return this.#write();
  }

  /** Notes what a call ended with, or its ticket. `canRepeat`: nothing is lost when it runs again. */
  note(number: number, made: MadeCall, canRepeat: boolean): void {
    if (this.#isClosed) return;
    this.#bytes += leastBytes(made.outcome, maxBytes);
    this.#queue.push({ number, ...made });
    if (canRepeat && this.#clock.now() - this.#writtenAt < paceMs) return;
    this.#write().catch(() => {}); // the next `begin`, or the end, rejects
  }

  /** Stores all that was noted. */
  flush(): Promise<void> {
    return this.#write();
  }

  /** Stores the end. Its outcome is kept for a caller that may make the same call again, because its process died. */
  async close(end: ToolOutcome | null): Promise<void> {
    this.#patience?.cancel();
    this.#isClosed = true;
    this.#queue.length = 0;
    this.#queue.push({ end });
    await this.#write();
    await withStoreCode(async () => this.#store.trim?.(this.#id, this.#count));
  }

  /** Writes follow each other; one takes all that waits. Once one has failed, nothing more is written. */
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

/** Another host runs the same call. */
export class Overtaken extends Error {}

/** Names the log among the logs of its session, so that it is deleted with it. */
async function register(store: SessionStore, clock: Clock, sessionId: string, call: string): Promise<void> {
  for (;;) {
    const last = (await store.entries(callsLogOf(sessionId))).at(-1)?.sequence ?? 0;
    if (await store.append(callsLogOf(sessionId), last, [{ call, at: clock.now() }])) return;
  }
}

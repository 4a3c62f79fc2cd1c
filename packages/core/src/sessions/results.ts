import { isRecord, type Json } from "../json/json.ts";
import { frozenCopy } from "../json/freeze.ts";
import { leastBytes } from "../json/meter.ts";
import type { Clock } from "../contract/clock.ts";
import type { CallHistory, KeptResult } from "../contract/origins.ts";
import type { SessionId } from "../contract/own-session.ts";
import type { SessionStore } from "../contract/stores.ts";
import { resultsLogOf } from "../pending/session-logs.ts";
import { withStoreCode } from "../pending/stored-call.ts";
import { generationOf, type Generation, type Registered } from "../registry/generation.ts";
import type { Redactor } from "../text/redact.ts";

interface ResultsHost {
  readonly clock: Clock;
  /** Masks secrets in what is stored. */
  readonly redact: Redactor;
  readonly moduleSet: Registered;
  readonly stores: {
    sessions(generation: Generation): SessionStore | null;
    track<Value>(work: Promise<Value>): Promise<Value>;
  };
}

/** Maximum bytes of results in memory, for one session and for all, and maximum number of sessions. The oldest are dropped. */
const bounds = { sessionBytes: 8_388_608, allBytes: 134_217_728, sessions: 10_000 } as const;

type Limits = { readonly [Key in keyof typeof bounds]: number };

/** A result without its number. */
export type NewResult = Omit<KeptResult, "call">;

/** The results of a session that are in memory. */
interface Log {
  readonly results: KeptResult[];
  readonly sizes: number[];
  bytes: number;
  /** Number of the last result, which is its sequence in the store's log. Dropped results are counted, too. */
  count: number;
  isPartial: boolean;
  /** Whether the session is not in the store and has no results. */
  isGone: boolean;
  /** The number of the first entry that the store still has, after this host deleted older entries there. */
  trimmed: number;
  /** The last append or read, after which the next one runs. */
  work: Promise<unknown> | null;
}

/**
 * The results that sessions have seen, for policies that ask where a value came from. They belong to the host, so a reload
 * keeps them. With a session store they are appended to a log of the session, where other hosts read them.
 */
export class SessionResults {
  readonly #host: ResultsHost;
  readonly #limits: Limits;
  /** The logs by session. The session that was used most recently is the last. */
  readonly #logs = new Map<SessionId, Log>();
  #bytes = 0;

  constructor(host: ResultsHost, limits: Limits = bounds) {
    this.#host = host;
    this.#limits = limits;
  }

  /** Keeps a result. The promise resolves when it is stored; null without a store. Rejects with `STORE_FAILED`. */
  add(sessionId: SessionId, result: NewResult): Promise<void> | null {
    const store = this.#store();
    if (store === null) {
      this.#take(sessionId, this.#logOf(sessionId), { ...result, call: this.#logOf(sessionId).count + 1 });
      return null;
    }
    return this.#host.stores.track(this.#queue(sessionId, () => this.#append(store, sessionId, result)));
  }

  /** Returns the results of a session after those of its parents. `sessionIds` has the parents first. */
  of(sessionIds: readonly SessionId[]): CallHistory {
    const logs = sessionIds.map((id) => this.#logOf(id));
    const [only] = logs;
    if (logs.length === 1) return { results: only!.results, isPartial: only!.isPartial };
    const isPartial = logs.some((log, at) => log.isPartial || (log.isGone && at < logs.length - 1));
    return { results: logs.flatMap(({ results }) => results), isPartial };
  }

  /** Reads what other hosts have stored. Null without a store. Rejects with `STORE_FAILED`. */
  load(sessionIds: readonly SessionId[]): Promise<unknown> | null {
    const store = this.#store();
    if (store === null) return null;
    return Promise.all(
      sessionIds.map((id, at) =>
        this.#queue(id, async () => {
          await this.#read(store, id);
          if (at < sessionIds.length - 1) await this.#lookForParent(store, id);
        }),
      ),
    );
  }

  /** Checks whether a parent without results was deleted: this session may have seen results that were deleted with it. */
  async #lookForParent(store: SessionStore, id: SessionId): Promise<void> {
    const log = this.#logOf(id);
    log.isGone = log.count === 0 && (await store.load(id)) === null;
  }

  #store(): SessionStore | null {
    return this.#host.stores.sessions(generationOf(this.#host.moduleSet));
  }

  async #append(store: SessionStore, sessionId: SessionId, result: NewResult): Promise<void> {
    for (;;) {
      const log = this.#logOf(sessionId);
      const kept = { ...result, call: log.count + 1 };
      if (await store.append(resultsLogOf(sessionId), log.count, [this.#entryOf(kept)])) {
        this.#take(sessionId, log, kept);
        return this.#trim(store, sessionId, log);
      }
      const before = log.count;
      await this.#read(store, sessionId);
      if (log.count === before) await this.#forgetDeleted(store, sessionId, log);
    }
  }

  /** Returns a result as it is stored: masked and with its time. A result that is too large is stored as an entry of only its time. */
  #entryOf(kept: KeptResult): Json {
    if (sizeOf(kept, this.#limits) > this.#limits.sessionBytes) return { at: this.#host.clock.now() };
    return this.#host.redact({ ...kept, at: this.#host.clock.now() } as unknown as Json);
  }

  /** Deletes from the store what was dropped here. The last entry stays, because the next number follows from it. */
  async #trim(store: SessionStore, sessionId: SessionId, log: Log): Promise<void> {
    const first = log.results[0]?.call ?? log.count;
    if (!log.isPartial || first === log.trimmed) return;
    await store.trim?.(resultsLogOf(sessionId), first);
    log.trimmed = first;
  }

  /** Forgets the results of a deleted session, whose log is empty again. Throws if the log is not empty. */
  async #forgetDeleted(store: SessionStore, sessionId: SessionId, log: Log): Promise<void> {
    const stored = await store.entries(resultsLogOf(sessionId), { limit: 1 });
    if (log.count === 0 || stored.length > 0)
      throw new Error("the log of the session's results accepts no entry");
    this.#drop(log, log.results.length);
    log.count = 0;
  }

  async #read(store: SessionStore, sessionId: SessionId): Promise<void> {
    const log = this.#logOf(sessionId);
    for (const { sequence, entry } of await store.entries(resultsLogOf(sessionId), { after: log.count })) {
      const kept = readKept(entry, sequence);
      if (kept === null || sequence > log.count + 1) log.isPartial = true;
      if (kept === null) log.count = sequence;
      else this.#take(sessionId, log, kept);
    }
  }

  #queue<Value>(sessionId: SessionId, work: () => Promise<Value>): Promise<Value> {
    const log = this.#logOf(sessionId);
    const next = (log.work ?? Promise.resolve()).then(() => withStoreCode(work));
    log.work = next.catch(() => {});
    return next;
  }

  #take(sessionId: SessionId, log: Log, result: KeptResult): void {
    const size = sizeOf(result, this.#limits);
    log.count = result.call;
    this.#logs.delete(sessionId);
    this.#logs.set(sessionId, log);
    if (size > this.#limits.sessionBytes) log.isPartial = true;
    else this.#push(log, result, size);
    this.#bound(log);
  }

  #push(log: Log, result: KeptResult, size: number): void {
    log.results.push(Object.freeze(result));
    log.sizes.push(size);
    log.bytes += size;
    this.#bytes += size;
  }

  /** Drops the oldest results of a session that has too many, then all results of the least recently used sessions. */
  #bound(log: Log): void {
    while (log.bytes > this.#limits.sessionBytes) this.#drop(log, 1);
    for (const [id, oldest] of this.#logs) {
      if (this.#bytes <= this.#limits.allBytes && this.#logs.size <= this.#limits.sessions) return;
      if (oldest === log) continue;
      this.#drop(oldest, oldest.results.length);
      if (this.#logs.size > this.#limits.sessions) this.#logs.delete(id);
    }
  }

  #drop(log: Log, count: number): void {
    if (count === 0) return;
    log.results.splice(0, count);
    const freed = log.sizes.splice(0, count).reduce((sum, size) => sum + size, 0);
    log.bytes -= freed;
    this.#bytes -= freed;
    log.isPartial = true;
  }

  #logOf(sessionId: SessionId): Log {
    const known = this.#logs.get(sessionId);
    if (known !== undefined) return known;
    const log: Log = {
      results: [],
      sizes: [],
      bytes: 0,
      count: 0,
      isPartial: false,
      isGone: false,
      trimmed: 0,
      work: null,
    };
    this.#logs.set(sessionId, log);
    return log;
  }
}

function sizeOf({ value, arguments: given, meta = {} }: KeptResult, { sessionBytes }: Limits): number {
  return leastBytes([value, given, meta] as unknown, sessionBytes);
}

function readKept(entry: Json, sequence: number): KeptResult | null {
  if (!isRecord(entry)) return null;
  const { tool, owner, arguments: given, value = null, isError, meta, confirmed } = entry;
  if (typeof tool !== "string" || typeof owner !== "string" || !isRecord(given)) return null;
  return frozenCopy({
    call: sequence,
    tool,
    owner,
    arguments: given,
    value,
    isError: isError === true,
    ...(isRecord(meta) && { meta }),
    ...(Array.isArray(confirmed) && { confirmed }),
  }) as KeptResult;
}

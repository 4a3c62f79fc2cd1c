import type { UndoRequest } from "../contract/changes.ts";
import type { CallCause } from "../contract/context.ts";
import type { Clock } from "../contract/clock.ts";
import type { SessionId } from "../contract/own-session.ts";
import type { SessionEntry, SessionStore } from "../contract/stores.ts";
import { isRecord, type Json, type JsonObject } from "../json/json.ts";
import { changesLogOf } from "../pending/session-logs.ts";
import { createMemorySessions } from "../pending/memory-store.ts";
import { withStoreCode } from "../pending/stored-call.ts";
import { generationOf, type Generation, type Registered } from "../registry/generation.ts";
import type { Redactor } from "../text/redact.ts";

interface ChangesHost {
  readonly clock: Clock;
  /** Masks secrets in arguments. */
  readonly redact: Redactor;
  readonly moduleSet: Registered;
  readonly stores: {
    sessions(generation: Generation): SessionStore | null;
    track<Value>(work: Promise<Value>): Promise<Value>;
  };
}

/**
 * Maximum number of bytes of JSON of one change, of one session, of all sessions of a host without a store, and of one argument. A larger
 * change cannot be undone; beyond the other numbers, the oldest changes are dropped, and long arguments are left out.
 */
const bounds = {
  changeBytes: 16_777_216,
  sessionBytes: 33_554_432,
  memoryBytes: 67_108_864,
  argumentBytes: 4_096,
} as const;

type Limits = { readonly [Key in keyof typeof bounds]: number };

/** The facts about a call that are stored with the change that it makes. */
export interface ChangingCall {
  readonly tool: string;
  readonly owner: string;
  readonly callId: string;
  readonly runId: string;
  readonly turnId?: string | undefined;
  readonly parents: readonly string[];
  /** The turns and calls of other sessions that began this session. */
  readonly causes: readonly CallCause[];
  readonly arguments: JsonObject;
}

/** A change that a call undoes. */
export interface CalledUndo {
  readonly request: UndoRequest;
  /** The module of the tool that made the change. */
  readonly owner: string;
  /** Whether an earlier undo of the change began and may not have ended, so that the call ends as unknown. */
  readonly isUnclear: boolean;
  /** Records that the tool begins. False if another process has taken the undo over. */
  begin(): Promise<boolean>;
}

/** What this process knows about the log of a session: the numbers and sizes of its entries. */
interface Log {
  readonly sizes: { readonly sequence: number; readonly bytes: number }[];
  bytes: number;
  count: number;
  work: Promise<unknown>;
}

/**
 * The changes that calls of sessions made, in a log for each session: what `undo` needs, which changes cannot be undone,
 * and which were undone. A host without a session store keeps them in memory.
 */
export class SessionChanges {
  readonly #host: ChangesHost;
  readonly #limits: Limits;
  readonly #logs = new Map<SessionId, Log>();
  readonly #memory = createMemorySessions();
  /** Time of the last change. The next gets a later time, because a session and its agents are undone in the order of time. */
  #lastAt = 0;

  constructor(host: ChangesHost, limits: Limits = bounds) {
    this.#host = host;
    this.#limits = limits;
  }

  /** Stores a change before it is made. Resolves to null, or to why it cannot be undone. Rejects with `STORE_FAILED`. */
  async keep(sessionId: SessionId, call: ChangingCall, data: Json): Promise<string | null> {
    const bytes = Buffer.byteLength(JSON.stringify(data));
    if (bytes <= this.#limits.changeBytes) {
      await this.#add(sessionId, { kind: "change", ...this.#factsOf(call), data });
      return null;
    }
    const reason = `what it replaces has ${bytes} bytes, and at most ${this.#limits.changeBytes} are kept`;
    await this.keepIrreversible(sessionId, call, reason);
    return reason;
  }

  /** Stores that a call which begins now cannot be undone. Rejects with `STORE_FAILED`. */
  keepIrreversible(sessionId: SessionId, call: ChangingCall, reason: string): Promise<void> {
    return this.#add(sessionId, { kind: "irreversible", ...this.#factsOf(call), reason });
  }

  /** Reads the entries with a number above `after`. Rejects with `STORE_FAILED`. */
  entries(sessionId: SessionId, after: number): Promise<readonly SessionEntry[]> {
    return withStoreCode(() => this.#store().entries(changesLogOf(sessionId), { after }));
  }

  /** Appends an entry if `after` is still the last number. Rejects with `STORE_FAILED`. */
  append(sessionId: SessionId, after: number, entry: JsonObject): Promise<boolean> {
    const timed = { ...entry, at: this.#host.clock.now() };
    return withStoreCode(() => this.#store().append(changesLogOf(sessionId), after, [timed]));
  }

  /** Returns the sessions of agents that a session began, directly or not. Rejects with `STORE_FAILED`. */
  async below(sessionId: SessionId): Promise<readonly SessionId[]> {
    const store = this.#host.stores.sessions(generationOf(this.#host.moduleSet));
    return store === null ? [] : withStoreCode(() => belowOf(store, sessionId));
  }

  /** Forgets what only this process knows about a session. */
  forget(sessionId: SessionId): void {
    this.#logs.delete(sessionId);
    void this.#memory.delete(sessionId);
  }

  #store(): SessionStore {
    return this.#host.stores.sessions(generationOf(this.#host.moduleSet)) ?? this.#memory;
  }

  #factsOf({ arguments: given, ...call }: ChangingCall): JsonObject {
    const shown = this.#host.redact(given) as JsonObject;
    const short = Object.entries(shown).filter(
      ([, value]) => JSON.stringify(value).length <= this.#limits.argumentBytes,
    );
    const { turnId, parents, causes, ...facts } = call;
    return {
      ...facts,
      ...(turnId !== undefined && { turnId }),
      ...(parents.length > 0 && { parents }),
      ...(causes.length > 0 && { causes: causes as unknown as Json }),
      arguments: Object.fromEntries(short),
      at: (this.#lastAt = Math.max(this.#host.clock.now(), this.#lastAt + 0.001)),
    };
  }

  #add(sessionId: SessionId, entry: JsonObject): Promise<void> {
    const log = this.#logOf(sessionId);
    const store = this.#store();
    const next = log.work.then(() => withStoreCode(() => this.#append(store, sessionId, log, entry)));
    log.work = next.catch(() => {});
    return this.#host.stores.track(next);
  }

  /** Appends an entry with the next number. If another process has used that number, it first reads the new entries. */
  async #append(store: SessionStore, sessionId: SessionId, log: Log, entry: JsonObject): Promise<void> {
    const id = changesLogOf(sessionId);
    while (!(await store.append(id, log.count, [entry]))) {
      const before = log.count;
      for (const { sequence, entry: other } of await store.entries(id, { after: before }))
        take(log, sequence, other);
      if (log.count === before) await startAgain(store, id, log);
    }
    take(log, log.count + 1, entry);
    await this.#bound(store, id, log);
  }

  async #bound(store: SessionStore, id: string, log: Log): Promise<void> {
    if (store === this.#memory) this.#boundMemory(log);
    if (log.bytes <= this.#limits.sessionBytes) return;
    while (log.bytes > this.#limits.sessionBytes && log.sizes.length > 1)
      log.bytes -= log.sizes.shift()!.bytes;
    await store.trim?.(id, log.sizes[0]!.sequence);
  }

  /** Drops the changes of the sessions that were used least recently. */
  #boundMemory(used: Log): void {
    let bytes = 0;
    for (const log of this.#logs.values()) bytes += log.bytes;
    for (const [sessionId, log] of this.#logs) {
      if (bytes <= this.#limits.memoryBytes) return;
      if (log === used) continue;
      bytes -= log.bytes;
      this.forget(sessionId);
    }
  }

  #logOf(sessionId: SessionId): Log {
    const log = this.#logs.get(sessionId) ?? { sizes: [], bytes: 0, count: 0, work: Promise.resolve() };
    this.#logs.delete(sessionId);
    this.#logs.set(sessionId, log); // the session that was used most recently is the last
    return log;
  }
}

/** Maximum number of sessions of agents that one undo reads. */
const maxBelow = 1_000;

async function belowOf(store: SessionStore, sessionId: SessionId): Promise<readonly SessionId[]> {
  const found = new Set([sessionId]);
  for (const parentId of found)
    for (const { id } of await store.list({ parentId, limit: maxBelow }))
      if (found.size <= maxBelow) found.add(id as SessionId);
  return [...found].slice(1);
}

function take(log: Log, sequence: number, entry: Json): void {
  const bytes = JSON.stringify(entry).length;
  log.sizes.push({ sequence, bytes });
  log.bytes += bytes;
  log.count = sequence;
}

/** Starts the log again if the session was deleted, so that its log is empty. Throws otherwise. */
async function startAgain(store: SessionStore, id: string, log: Log): Promise<void> {
  if (log.count === 0 || (await store.entries(id, { limit: 1 })).length > 0)
    throw new Error("the log of the session's changes accepts no entry");
  Object.assign(log, { bytes: 0, count: 0 });
  log.sizes.length = 0;
}

/** An entry of the log, as `undo` reads it. */
export type ChangeEntry =
  | (ChangingCall & { readonly kind: "change"; readonly at: number; readonly data: Json })
  | (ChangingCall & { readonly kind: "irreversible"; readonly at: number; readonly reason: string })
  | {
      readonly kind: "claim";
      readonly of: number;
      readonly by: string;
      readonly until: number;
      /** The process that has the claim, if it is known. */
      readonly process?: string;
    }
  | { readonly kind: "begun"; readonly of: number; readonly by: string }
  | { readonly kind: "undone" | "stopped"; readonly of: number };

/** Reads an entry of the log. Null for an entry that this version does not know. */
export function readChangeEntry(entry: Json): ChangeEntry | null {
  if (!isRecord(entry)) return null;
  const { kind, of, by, until, process, tool, owner, callId, runId } = entry;
  if (kind === "undone" || kind === "stopped") return typeof of === "number" ? { kind, of } : null;
  if (kind === "begun") return typeof of === "number" && typeof by === "string" ? { kind, of, by } : null;
  if (kind === "claim")
    return typeof of === "number" && typeof by === "string" && typeof until === "number"
      ? { kind, of, by, until, ...(typeof process === "string" && { process }) }
      : null;
  const isOfCall = [tool, owner, callId, runId].every((fact) => typeof fact === "string");
  if (!isOfCall || !isRecord(entry["arguments"]) || (kind !== "change" && kind !== "irreversible"))
    return null;
  return { parents: [], causes: [], ...entry } as unknown as ChangeEntry;
}

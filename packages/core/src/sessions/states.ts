import { messageOf } from "../contract/errors.ts";
import type { Logger } from "../contract/logger.ts";
import type { SessionId } from "../contract/own-session.ts";
import type { SessionStore } from "../contract/stores.ts";
import { withStoreCode } from "../pending/stored-call.ts";
import { generationOf, type Generation, type Registered } from "../registry/generation.ts";
import { LiveState, type KeptState } from "./state.ts";

interface StatesHost {
  readonly logger: Logger;
  readonly moduleSet: Registered;
  readonly stores: {
    sessions(generation: Generation): SessionStore | null;
    track(work: Promise<void>): Promise<void>;
  };
  readonly limits: { readonly stateBytes: number };
}

/** The states of a host's sessions. A call begins with the stored state, and its changes are stored before its outcome. */
export class SessionStates {
  readonly #host: StatesHost;
  /** The states in memory. A state may be dropped if it is empty or a store has all of its changes. */
  readonly #states = new IdleCache<LiveState>((state) =>
    this.#store() === null ? state.isEmpty : !state.isUnsaved,
  );
  /** Sessions with changes that are not stored yet; usually empty. */
  readonly unsaved = new Set<SessionId>();
  readonly #saving = new Map<SessionId, Promise<void>>();

  constructor(host: StatesHost) {
    this.#host = host;
  }

  /** Returns the state of a session: the same object as long as it is in use. A call without a session gets a new state. */
  of(sessionId: SessionId | undefined): KeptState {
    return sessionId === undefined
      ? new LiveState({ maxBytes: this.#host.limits.stateBytes })
      : this.#live(sessionId);
  }

  /** Drops the session's state from memory. Unsaved changes are stored first; if that fails, they are lost. */
  forget(sessionId: SessionId): void {
    if (!this.unsaved.has(sessionId)) this.#states.delete(sessionId);
    else void this.#saveAndLog(sessionId).finally(() => this.#states.delete(sessionId));
  }

  /** Updates the state from the store. Null without a store. Rejects with `STORE_FAILED`. */
  load(sessionId: SessionId): Promise<void> | null {
    const store = this.#store();
    if (store === null) return null;
    return withStoreCode(() => this.#live(sessionId).refresh(() => store.readState(sessionId)));
  }

  /** Resolves when all changes so far are stored. Rejects with `STORE_FAILED`; the next save tries them again. */
  save(sessionId: SessionId): Promise<void> {
    const before = this.#saving.get(sessionId) ?? Promise.resolve();
    const saved = before.then(() => this.#write(sessionId));
    const settled = saved
      .catch(() => {})
      .finally(() => {
        if (this.#saving.get(sessionId) === settled) this.#saving.delete(sessionId);
      });
    this.#saving.set(sessionId, settled);
    return saved;
  }

  async #write(sessionId: SessionId): Promise<void> {
    const store = this.#store();
    const state = this.#states.get(sessionId);
    if (store === null || state === undefined) return;
    await withStoreCode(() => state.save((changes) => store.writeState(sessionId, changes)));
    if (!state.isUnsaved) this.unsaved.delete(sessionId);
  }

  #store(): SessionStore | null {
    return this.#host.stores.sessions(generationOf(this.#host.moduleSet));
  }

  #live(sessionId: SessionId): LiveState {
    return this.#states.get(sessionId) ?? this.#create(sessionId);
  }

  #create(sessionId: SessionId): LiveState {
    const state: LiveState = new LiveState({
      onChange: () => this.#onChange(sessionId, state),
      maxBytes: this.#host.limits.stateBytes,
    });
    this.#states.set(sessionId, state);
    return state;
  }

  /** Marks a session as unsaved. A call saves its own changes; changes from outside of calls are saved soon. */
  #onChange(sessionId: SessionId, state: LiveState): void {
    if (this.#states.get(sessionId) !== state) return; // the session has ended
    if (this.unsaved.has(sessionId) || this.#store() === null) return;
    this.unsaved.add(sessionId);
    void this.#host.stores.track(
      new Promise<void>((resolve) => setImmediate(() => void this.#saveAndLog(sessionId).then(resolve))),
    );
  }

  async #saveAndLog(sessionId: SessionId): Promise<void> {
    try {
      await this.save(sessionId);
    } catch (err) {
      this.#host.logger.error(
        { err, session_id: sessionId },
        `the state of a session could not be stored: ${messageOf(err)}`,
      );
    }
  }
}

/** Number of values below which none is dropped. */
const leastKept = 1_000;

/** A map that drops idle values when nothing else refers to them, for a host with millions of sessions. */
export class IdleCache<Value extends object> {
  readonly #isIdle: (value: Value, key: string) => boolean;
  readonly #kept = new Map<string, Value>();
  readonly #idle = new Map<string, WeakRef<Value>>();
  readonly #collected = new FinalizationRegistry<string>((key) => {
    if (this.#idle.get(key)?.deref() === undefined) this.#idle.delete(key);
  });
  #sweepAt = leastKept;

  /** `isIdle` returns whether a value can be dropped, because everything in it can be made again. */
  constructor(isIdle: (value: Value, key: string) => boolean) {
    this.#isIdle = isIdle;
  }

  get(key: string): Value | undefined {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const idle = this.#idle.get(key)?.deref();
    if (idle !== undefined) this.set(key, idle);
    return idle;
  }

  set(key: string, value: Value): void {
    if (this.#idle.size > 0) this.#idle.delete(key);
    this.#kept.set(key, value);
    if (this.#kept.size >= this.#sweepAt) this.#sweep();
  }

  delete(key: string): void {
    this.#kept.delete(key);
    this.#idle.delete(key);
  }

  #sweep(): void {
    for (const [key, value] of this.#kept) {
      if (!this.#isIdle(value, key)) continue;
      this.#kept.delete(key);
      this.#idle.set(key, new WeakRef(value));
      this.#collected.register(value, key);
    }
    this.#sweepAt = Math.max(leastKept, this.#kept.size * 2);
  }
}

import { messageOf } from "../contract/errors.ts";
import type { Logger } from "../contract/logger.ts";
import type { SessionStore } from "../contract/stores.ts";
import { withStoreCode } from "../pending/store-errors.ts";
import { IdleCache } from "./idle-cache.ts";
import { LiveState, type KeptState } from "./state.ts";

interface StatesHost {
  readonly logger: Logger;
  readonly sessionStore: () => SessionStore | null;
  readonly track: (work: Promise<void>) => Promise<void>;
  readonly maxBytes: number;
}

/** The states of a host's sessions. A call begins with the stored state, and stores its changes before its outcome. */
export class SessionStates {
  readonly #host: StatesHost;
  /** A state that a store has, or that has no values, can be made again. */
  readonly #states = new IdleCache<LiveState>((state) =>
    this.#host.sessionStore() === null ? state.isEmpty : !state.isUnsaved,
  );
  /** Sessions with changes that are not stored; usually empty. */
  readonly #unsaved = new Set<string>();
  readonly #saving = new Map<string, Promise<void>>();

  constructor(host: StatesHost) {
    this.#host = host;
  }

  /** The state of a session: the same object while something holds it. A call without a session has a state of its own. */
  of(sessionId: string | undefined): KeptState {
    return sessionId === undefined ? new LiveState({ maxBytes: this.#host.maxBytes }) : this.#live(sessionId);
  }

  /** Drops the session's state from memory; a store keeps it. */
  forget(sessionId: string): void {
    if (!this.#unsaved.has(sessionId)) this.#states.delete(sessionId);
    else void this.#saveAndLog(sessionId).finally(() => this.#states.delete(sessionId));
  }

  /** Updates the state from the store. Null without a store. Rejects with `STORE_FAILED`. */
  load(sessionId: string): Promise<void> | null {
    const store = this.#host.sessionStore();
    if (store === null) return null;
    return withStoreCode(() => this.#live(sessionId).refresh(() => store.readState(sessionId)));
  }

  /** Whether the session has changes that are not stored; nearly free when no session has. */
  isUnsaved(sessionId: string | undefined): boolean {
    return this.#unsaved.size > 0 && sessionId !== undefined && this.#unsaved.has(sessionId);
  }

  /** Resolves once all changes so far are stored. Rejects with `STORE_FAILED`; the next save tries them again. */
  save(sessionId: string): Promise<void> {
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

  async #write(sessionId: string): Promise<void> {
    const store = this.#host.sessionStore();
    const state = this.#states.get(sessionId);
    if (store === null || state === undefined) return;
    await withStoreCode(() => state.save((changes) => store.writeState(sessionId, changes)));
    if (!state.isUnsaved) this.#unsaved.delete(sessionId);
  }

  #live(sessionId: string): LiveState {
    return this.#states.get(sessionId) ?? this.#create(sessionId);
  }

  #create(sessionId: string): LiveState {
    const state: LiveState = new LiveState({
      onChange: () => this.#onChange(sessionId, state),
      maxBytes: this.#host.maxBytes,
    });
    this.#states.set(sessionId, state);
    return state;
  }

  /** A call saves its own changes; changes from outside of calls are saved soon. */
  #onChange(sessionId: string, state: LiveState): void {
    if (this.#states.get(sessionId) !== state) return; // the session has ended
    if (this.#unsaved.has(sessionId) || this.#host.sessionStore() === null) return;
    this.#unsaved.add(sessionId);
    void this.#host.track(
      new Promise<void>((resolve) => setImmediate(() => void this.#saveAndLog(sessionId).then(resolve))),
    );
  }

  async #saveAndLog(sessionId: string): Promise<void> {
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

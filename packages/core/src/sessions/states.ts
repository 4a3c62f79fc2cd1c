import type { Desk } from "../pending/desk.ts";
import { ToolmountError, messageOf } from "../contract/errors.ts";
import type { HostState } from "../host/host-state.ts";
import { LiveState, type KeptState } from "./state.ts";
import type { SessionStore } from "../contract/stores.ts";

/**
 * The state of a host's sessions. Where there is a store of sessions it has what was changed before the outcome of the
 * call that changed it is told, and a call begins with what others, in other processes too, have put there.
 */
export class SessionStates {
  readonly #host: HostState;
  readonly #states = new Map<string, LiveState>();
  /** Sessions of which something is not on disk; mostly none. */
  readonly #unsaved = new Set<string>();
  readonly #saving = new Map<string, Promise<void>>();

  constructor(host: HostState) {
    this.#host = host;
  }

  /** The state of a session, the same object until it is forgotten; for a call without one, its own. */
  of(sessionId: string | undefined): KeptState {
    return sessionId === undefined ? new LiveState() : this.#live(sessionId);
  }

  /** Forgets what is in memory of a session; what a store has stays there. */
  forget(sessionId: string): void {
    if (!this.#unsaved.has(sessionId)) this.#states.delete(sessionId);
    else void this.#keep(sessionId).finally(() => this.#states.delete(sessionId));
  }

  /** Brings the state up to what the store has. Null where there is none. Rejects with `STORE_FAILED`. */
  load(sessionId: string): Promise<void> | null {
    const store = this.#store();
    return store === null ? null : coded(this.#live(sessionId).refresh(() => store.readState(sessionId)));
  }

  /** Whether something of the session has to be put on disk; costs next to nothing when not. */
  isUnsaved(sessionId: string | undefined): boolean {
    return this.#unsaved.size > 0 && sessionId !== undefined && this.#unsaved.has(sessionId);
  }

  /** Resolves once all changes so far are on disk. Rejects with `STORE_FAILED`; they are tried again with the next. */
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
    const store = this.#store();
    const state = this.#states.get(sessionId);
    if (store === null || state === undefined) return;
    await coded(state.save((changes) => store.writeState(sessionId, changes)));
    if (!state.isUnsaved) this.#unsaved.delete(sessionId);
  }

  #live(sessionId: string): LiveState {
    const known = this.#states.get(sessionId) ?? new LiveState(() => this.#changed(sessionId));
    this.#states.set(sessionId, known);
    return known;
  }

  /** A call puts down what it changed itself; what is changed outside of calls is put down soon. */
  #changed(sessionId: string): void {
    if (this.#unsaved.has(sessionId) || this.#store() === null) return;
    this.#unsaved.add(sessionId);
    void this.#desk.track(
      new Promise<void>((resolve) => setImmediate(() => void this.#keep(sessionId).then(resolve))),
    );
  }

  async #keep(sessionId: string): Promise<void> {
    try {
      await this.save(sessionId);
    } catch (err) {
      this.#host.logger.error(
        { err, session_id: sessionId },
        `the state of a session could not be kept: ${messageOf(err)}`,
      );
    }
  }

  #store(): SessionStore | null {
    return this.#desk.sessions(this.#host.home.generation());
  }

  get #desk(): Desk {
    return this.#host.desk;
  }
}

async function coded<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw new ToolmountError("STORE_FAILED", {}, { cause });
  }
}

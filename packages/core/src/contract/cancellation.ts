import type { Undo } from "./hooks.ts";

/** `graceful` lets running tools finish and starts no new ones; `immediate` also stops running tools. */
export type CancellationState = "none" | "graceful" | "immediate";

/**
 * Stops the calls of a session, a turn or a host: none → graceful → immediate, or directly to immediate.
 *
 * Calls get it as `context.cancellation`. Source of states and names: Amplifier's CancellationToken.
 */
export interface CancellationToken {
  readonly state: CancellationState;
  /** Whether a cancellation was requested. */
  readonly isCancelled: boolean;
  readonly isGraceful: boolean;
  readonly isImmediate: boolean;
  /** Aborted as soon as the state is immediate. `reset` replaces an aborted signal with a new one. */
  readonly signal: AbortSignal;
  /** A copy of the ids of the calls that run under this token. */
  readonly runningTools: ReadonlySet<string>;
  /** The names of the called tools, one for each call. */
  readonly runningToolNames: readonly string[];
  /** Returns whether the state changed; it changes only from none. */
  requestGraceful(): boolean;
  /** Returns whether the state changed; it changes from none and graceful. */
  requestImmediate(): boolean;
  /** Returns to none, without running tools. Children and callbacks stay, and children keep their state. */
  reset(): void;
  registerToolStart(callId: string, toolName: string): void;
  /** Ignores an id that is not running. */
  registerToolComplete(callId: string): void;
  /** Passes requests on to `child`, including one that was already made. Returns the undo. */
  registerChild(child: CancellationToken): Undo;
  unregisterChild(child: CancellationToken): void;
  /** Adds a callback for {@link triggerCallbacks}; it may be asynchronous. Returns the undo. */
  onCancel(callback: () => unknown): Undo;
  /** Calls all callbacks and waits for them. One that throws does not stop the others; resolves to the thrown values. */
  triggerCallbacks(): Promise<readonly unknown[]>;
  /** Calls `listener` synchronously on each change of state. An error that it throws is reported as uncaught. */
  onChange(listener: (state: CancellationState) => void): Undo;
}

/** Calls that run under a token: the id and the name of the tool. */
export type RunningCalls = Iterable<readonly [id: string, toolName: string]>;

/** Creates a token in the state none. `alsoRunning` lists further running calls that are counted elsewhere. */
export function createCancellation(alsoRunning?: () => RunningCalls): CancellationToken {
  return new Cancellation(alsoRunning ?? (() => []));
}

class Cancellation implements CancellationToken {
  #state: CancellationState = "none";
  #controller: AbortController | null = null;
  readonly #running = new Map<string, string>();
  readonly #alsoRunning: () => RunningCalls;
  readonly #children = new Set<CancellationToken>();
  readonly #callbacks = new Set<{ readonly call: () => unknown }>();
  readonly #listeners = new Set<{ readonly notify: (state: CancellationState) => void }>();

  constructor(alsoRunning: () => RunningCalls) {
    this.#alsoRunning = alsoRunning;
  }

  get state(): CancellationState {
    return this.#state;
  }

  get isCancelled(): boolean {
    return this.#state !== "none";
  }

  get isGraceful(): boolean {
    return this.#state === "graceful";
  }

  get isImmediate(): boolean {
    return this.#state === "immediate";
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.isImmediate) this.#controller.abort(cancelled());
    }
    return this.#controller.signal;
  }

  get runningTools(): ReadonlySet<string> {
    return new Set(this.#all().keys());
  }

  get runningToolNames(): readonly string[] {
    return [...this.#all().values()];
  }

  requestGraceful(): boolean {
    if (this.isCancelled) return false;
    this.#enter("graceful");
    this.#children.forEach((child) => child.requestGraceful());
    return true;
  }

  requestImmediate(): boolean {
    if (this.isImmediate) return false;
    this.#enter("immediate");
    this.#children.forEach((child) => child.requestImmediate());
    return true;
  }

  reset(): void {
    this.#running.clear();
    if (!this.isCancelled) return;
    if (this.isImmediate) this.#controller = null;
    this.#enter("none");
  }

  registerToolStart(callId: string, toolName: string): void {
    this.#running.set(callId, toolName);
  }

  registerToolComplete(callId: string): void {
    this.#running.delete(callId);
  }

  registerChild(child: CancellationToken): Undo {
    this.#children.add(child);
    if (this.isGraceful) child.requestGraceful();
    if (this.isImmediate) child.requestImmediate();
    return () => this.unregisterChild(child);
  }

  unregisterChild(child: CancellationToken): void {
    this.#children.delete(child);
  }

  onCancel(callback: () => unknown): Undo {
    const entry = { call: callback };
    this.#callbacks.add(entry);
    return () => void this.#callbacks.delete(entry);
  }

  async triggerCallbacks(): Promise<readonly unknown[]> {
    const settled = await Promise.allSettled([...this.#callbacks].map(async ({ call }) => call()));
    return settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  }

  onChange(listener: (state: CancellationState) => void): Undo {
    const entry = { notify: listener };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Whether a token that is made again would be equal. */
  get isUnused(): boolean {
    const parts = [this.#running, this.#children, this.#callbacks, this.#listeners];
    return this.#state === "none" && parts.every(({ size }) => size === 0);
  }

  lists(callId: string): boolean {
    if (this.#running.has(callId)) return true;
    for (const [id] of this.#alsoRunning()) if (id === callId) return true;
    return false;
  }

  #all(): ReadonlyMap<string, string> {
    return new Map([...this.#alsoRunning(), ...this.#running]);
  }

  #enter(state: CancellationState): void {
    this.#state = state;
    if (state === "immediate") this.#controller?.abort(cancelled());
    this.#listeners.forEach((listener) => notify(listener.notify, state));
  }
}

/** Whether nothing was requested of a token, and nothing is registered with it. */
export function isUnused(token: CancellationToken): boolean {
  return token instanceof Cancellation && token.isUnused;
}

/** Whether a token lists a call of this id as running. Each call asks, so nothing is copied. */
export function listsCall(token: CancellationToken, callId: string): boolean {
  return token instanceof Cancellation ? token.lists(callId) : token.runningTools.has(callId);
}

/** As with the listeners of an AbortSignal: a listener that throws does not stop the others. */
function notify(listener: (state: CancellationState) => void, state: CancellationState): void {
  try {
    listener(state);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function cancelled(): DOMException {
  return new DOMException("Request was cancelled", "AbortError");
}

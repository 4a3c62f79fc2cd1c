import type { Undo } from "./hooks.ts";

/** `graceful` lets running tools finish and starts no new ones; `immediate` also stops running tools. */
export type CancellationState = "none" | "graceful" | "immediate";

/**
 * Stops the calls of a session, a turn or a host. Its state goes from none to graceful to immediate, or directly to immediate.
 *
 * Callers pass it as `cancellation` of a call's context. Source of states and names: Amplifier's CancellationToken.
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
  /** Requests the state graceful. Returns whether the state changed, which it does only from none. */
  requestGraceful(): boolean;
  /** Requests the state immediate. Returns whether the state changed, which it does from none and graceful. */
  requestImmediate(): boolean;
  /** Sets the state to none and forgets the running tools. Children and callbacks stay, and children keep their state. */
  reset(): void;
  registerToolStart(callId: string, toolName: string): void;
  /** Ignores an id that is not running. */
  registerToolComplete(callId: string): void;
  /** Passes requests on to `child`, including a request that was already made. Returns a function that ends this. */
  registerChild(child: CancellationToken): Undo;
  unregisterChild(child: CancellationToken): void;
  /** Adds a callback for {@link triggerCallbacks}; it may be asynchronous. Returns a function that removes it. */
  onCancel(callback: () => unknown): Undo;
  /** Calls all callbacks and waits for them, even if some throw. Resolves to the thrown values. */
  triggerCallbacks(): Promise<readonly unknown[]>;
  /** Calls `listener` synchronously on each change of state. An error that it throws is reported as uncaught. */
  onChange(listener: (state: CancellationState) => void): Undo;
}

/** The calls that run under a token, each with its id and the name of its tool. */
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

  /** Whether this token equals a new token, so that it need not be kept. */
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

/** Whether no cancellation was requested of a token and nothing is registered with it. */
export function isUnused(token: CancellationToken): boolean {
  return token instanceof Cancellation && token.isUnused;
}

/** Whether a token lists a call of this id as running. It copies nothing, because every call asks this. */
export function listsCall(token: CancellationToken, callId: string): boolean {
  return token instanceof Cancellation ? token.lists(callId) : token.runningTools.has(callId);
}

/** Calls a listener. Its error is thrown later, as with an AbortSignal, so that it does not stop the other listeners. */
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

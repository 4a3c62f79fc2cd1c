import {
  createMemoryStore,
  systemClock,
  type Coordinator,
  type CounterChange,
  type CounterState,
  type Timer,
  type WorkStore,
} from "@toolmount/core";
import type { Budgets } from "./config.ts";

/** Milliseconds after which a running call counts as ended, unless its server renews this lease, as servers do after 20 seconds. */
const leaseMs = 60_000;
/** Milliseconds for which the costs of ended calls are collected, unless the next call takes them to the store earlier. */
const collectMs = 50;
/** Milliseconds before the next attempt while the store cannot be reached. */
const awayMs = 1_000;

/** A call that takes its part of a budget. */
interface Taking {
  readonly key: string;
  readonly runId: string;
  /** Whether the call was counted before. */
  readonly isKnown: boolean;
  readonly also?: CounterChange["also"];
}

/** Why a call may not run (null if it may), and the count of the other counter. */
export interface Taken {
  readonly excess: string | null;
  readonly also?: number | undefined;
}

/** The members of the coordinator that the counters need. */
export type CountingHost = Pick<Coordinator, "hooks" | "get" | "logger" | "registerCleanup">;

/** What is to be stored for calls that have ended or wait. */
interface Left {
  readonly count: number;
  readonly amount: number;
  /** The run ids of calls that no longer run, each with the value 0. */
  readonly running: Readonly<Record<string, number>>;
}

const nothing: Left = { count: 0, amount: 0, running: {} };

/**
 * Counts calls, their time, and calls that run. The counters are in the store, or in memory if the host has no store or the
 * call has neither a session nor a turn. The cost of an ended call is stored together with the next call of the same key, or by
 * itself a moment later.
 */
export class BudgetCounters {
  readonly #budgets: Budgets;
  readonly #host: CountingHost;
  readonly #memory = createMemoryStore().work!;
  /** What is to be added to each counter, by key. */
  readonly #left = new Map<string, Left>();
  /** The run ids of calls that run here, with the keys of their counters. */
  readonly #running = new Map<string, string>();
  #timer: Timer | null = null;
  #renewal: Timer | null = null;
  /** Whether the store failed at the last change. */
  #isAway = false;

  constructor(budgets: Budgets, host: CountingHost) {
    this.#budgets = budgets;
    this.#host = host;
    host.registerCleanup(async () => {
      this.#renewal?.cancel();
      await this.#flush();
    });
  }

  get #isNeeded(): boolean {
    const { calls, ms, concurrent } = this.#budgets;
    return (calls ?? ms ?? concurrent) !== undefined;
  }

  /** Whether a call costs a round trip to the store, which can also change another counter. */
  counts(key: string, isKnown: boolean): boolean {
    const { ms, concurrent } = this.#budgets;
    if (!this.#isNeeded || this.#storeOf(key) === this.#memory) return false;
    return !isKnown || (ms ?? concurrent) !== undefined;
  }

  /** Takes a part of the budget for a call, unless it has one, and marks it as running. Returns why the call may not run. */
  async take({ key, runId, isKnown, also }: Taking): Promise<Taken> {
    const { ms, concurrent } = this.#budgets;
    if (!this.#isNeeded || (isKnown && (ms ?? concurrent) === undefined)) return { excess: null };
    const first = await this.#tryTake({ key, runId, isKnown, also });
    const isBusy = !first.isAdded && this.#excessOf(first, isKnown) === null;
    if (!isBusy || this.#storeOf(key) === this.#memory) return this.#taken(first, isKnown);
    // The store may not know yet that a call has ended at another server.
    await new Promise<void>((resolve) => void systemClock.setTimer(resolve, 2 * collectMs));
    const second = await this.#tryTake({ key, runId, isKnown });
    return this.#taken({ ...second, also: first.also }, isKnown);
  }

  #taken(state: CounterState, isKnown: boolean): Taken {
    const { per, concurrent } = this.#budgets;
    const busy = `${concurrent} calls of the ${per} run already; wait for one to end`;
    return { excess: state.isAdded ? null : (this.#excessOf(state, isKnown) ?? busy), also: state.also };
  }

  /** Returns which budget is used up; null if none is. */
  #excessOf({ count, amount }: CounterState, isKnown: boolean): string | null {
    const { per, calls, ms } = this.#budgets;
    if (calls !== undefined && !isKnown && count >= calls) return `the ${per} has used its ${calls} calls`;
    return ms !== undefined && amount >= ms ? `the ${per} has used its ${ms} ms of tool time` : null;
  }

  /** Adds a call to its counter, together with what earlier calls here left to store. Resolves to the counter. */
  async #tryTake({ key, runId, isKnown, also }: Taking): Promise<CounterState> {
    const { calls, ms, concurrent } = this.#budgets;
    const left = this.#takeLeft(key);
    const state = await this.#change(key, {
      ...left,
      count: left.count + (isKnown ? 0 : 1),
      running: { ...left.running, ...this.#begun(runId) },
      ...(!isKnown && { maxCount: calls }),
      maxAmount: ms,
      maxRunning: concurrent,
      also,
    }).catch((error: unknown) => {
      if (left !== nothing) this.#leave(key, left, awayMs);
      throw error;
    });
    if (state.isAdded && concurrent !== undefined) this.#hold(key, runId);
    if (!state.isAdded && left !== nothing) this.#leave(key, left);
    return { ...state, count: state.count + left.count, amount: state.amount + left.amount };
  }

  /** Notes that a call of a key has ended or waits. `count` is -1 for a denied call; `amount` is its cost in milliseconds. */
  leave(
    key: string,
    { runId, count = 0, amount = 0 }: { runId: string; count?: number; amount?: number },
  ): void {
    const { ms } = this.#budgets;
    const running = this.#running.delete(runId) ? { [runId]: 0 } : {};
    const spent = ms === undefined ? 0 : amount;
    if (!this.#isNeeded || (count === 0 && spent === 0 && Object.keys(running).length === 0)) return;
    this.#leave(key, { count, amount: spent, running });
  }

  #leave(key: string, more: Left, inMs = collectMs): void {
    const left = this.#left.get(key) ?? nothing;
    const running = { ...left.running, ...more.running };
    this.#left.set(key, { count: left.count + more.count, amount: left.amount + more.amount, running });
    // What a denied call gives back is stored at once, so that a call at any server can take it.
    if (more.count !== 0 || this.#storeOf(key) === this.#memory) return void this.#flushOne(key);
    this.#timer ??= systemClock.setTimer(() => void this.#flush(), inMs);
    this.#timer.keepAlive(false);
  }

  #takeLeft(key: string): Left {
    const left = this.#left.get(key) ?? nothing;
    this.#left.delete(key);
    return left;
  }

  async #flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    await Promise.all([...this.#left.keys()].map((key) => this.#flushOne(key)));
  }

  async #flushOne(key: string): Promise<void> {
    const left = this.#takeLeft(key);
    if (left === nothing) return;
    try {
      await this.#change(key, left);
      this.#isAway = false;
    } catch (err) {
      if (!this.#isAway)
        this.#host.logger.warn({ err }, "what calls cost could not be counted; it is tried again");
      this.#isAway = true;
      this.#leave(key, left, awayMs);
    }
  }

  #begun(runId: string): Left["running"] {
    return this.#budgets.concurrent === undefined ? {} : { [runId]: systemClock.now() + leaseMs };
  }

  /** Renews the lease of a running call before it ends, as long as the call runs. */
  #hold(key: string, runId: string): void {
    this.#running.set(runId, key);
    this.#renewal ??= systemClock.setTimer(() => {
      this.#renewal = null;
      for (const [id, of] of this.#running) this.#renew(of, id);
    }, leaseMs / 3);
    this.#renewal.keepAlive(false);
  }

  #renew(key: string, runId: string): void {
    this.#leave(key, { ...nothing, running: this.#begun(runId) });
    this.#hold(key, runId);
  }

  #storeOf(key: string): WorkStore {
    const store = isSingle(key) ? null : (this.#host.get("work-store") as WorkStore | null);
    return store ?? this.#memory;
  }

  #change(key: string, change: Omit<CounterChange, "at">): Promise<CounterState> {
    return this.#storeOf(key).count(`budget ${key}`, { ...change, at: systemClock.now() });
  }
}

/** Whether a key belongs to a call that has neither a session nor a turn. */
function isSingle(key: string): boolean {
  return key.startsWith("run ");
}

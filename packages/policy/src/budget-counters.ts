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

/** Milliseconds after which a call counts as ended whose server says nothing more. It says so when a third of them is over. */
const leaseMs = 60_000;
/** Milliseconds in which what calls leave behind is collected, to go to the store with the next call where one comes. */
const collectMs = 50;
/** Milliseconds after which it is tried again while the store cannot be reached. */
const awayMs = 1_000;

/** A call that wants its part of a budget. */
interface Taking {
  readonly key: string;
  readonly runId: string;
  /** The call was counted before. */
  readonly isKnown: boolean;
  readonly also?: CounterChange["also"];
}

/** Why a call may not run, and the count of the other counter. */
export interface Taken {
  readonly excess: string | null;
  readonly also?: number | undefined;
}

/** What the counters need of their host. */
export type CountingHost = Pick<Coordinator, "hooks" | "get" | "logger" | "registerCleanup">;

/** What calls leave behind that have ended, or wait. */
interface Left {
  readonly count: number;
  readonly amount: number;
  /** Of calls that do not run any more: 0. */
  readonly running: Readonly<Record<string, number>>;
}

const nothing: Left = { count: 0, amount: 0, running: {} };

/**
 * Counts calls, their time, and calls that run. The store has the counters; memory has those of a host without a store, and those
 * of calls without a session and a turn. What a call leaves behind goes to the store with the next call of its key, or a moment later by itself.
 */
export class BudgetCounters {
  readonly #budgets: Budgets;
  readonly #host: CountingHost;
  readonly #memory = createMemoryStore().work!;
  /** What is to be added to each counter. */
  readonly #left = new Map<string, Left>();
  /** Calls that run here, and the keys of their counters. */
  readonly #running = new Map<string, string>();
  #timer: Timer | null = null;
  #renewal: Timer | null = null;
  /** The store refused the last change. */
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

  /** Whether a call costs the store a round trip, in which another counter has room. */
  counts(key: string, isKnown: boolean): boolean {
    const { ms, concurrent } = this.#budgets;
    if (!this.#isNeeded || this.#storeOf(key) === this.#memory) return false;
    return !isKnown || (ms ?? concurrent) !== undefined;
  }

  /** Takes a call of the budget, unless it has one, and says that it runs. Returns why it may not. */
  async take({ key, runId, isKnown, also }: Taking): Promise<Taken> {
    const { ms, concurrent } = this.#budgets;
    if (!this.#isNeeded || (isKnown && (ms ?? concurrent) === undefined)) return { excess: null };
    const first = await this.#tryTake({ key, runId, isKnown, also });
    const isBusy = !first.isAdded && this.#excessOf(first, isKnown) === null;
    if (!isBusy || this.#storeOf(key) === this.#memory) return this.#taken(first, isKnown);
    // That a call has ended at another server may be on its way to the store.
    await new Promise<void>((resolve) => void systemClock.setTimer(resolve, 2 * collectMs));
    const second = await this.#tryTake({ key, runId, isKnown });
    return this.#taken({ ...second, also: first.also }, isKnown);
  }

  #taken(state: CounterState, isKnown: boolean): Taken {
    const { per, concurrent } = this.#budgets;
    const busy = `${concurrent} calls of the ${per} run already; wait for one to end`;
    return { excess: state.isAdded ? null : (this.#excessOf(state, isKnown) ?? busy), also: state.also };
  }

  /** What is used up. */
  #excessOf({ count, amount }: CounterState, isKnown: boolean): string | null {
    const { per, calls, ms } = this.#budgets;
    if (calls !== undefined && !isKnown && count >= calls) return `the ${per} has used its ${calls} calls`;
    return ms !== undefined && amount >= ms ? `the ${per} has used its ${ms} ms of tool time` : null;
  }

  /** Resolves to what is counted, with what calls left behind here. */
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

  /** A call of a key has ended, or waits: it is denied, or has cost so many milliseconds. */
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
    // What gives something back is free for a call at any server.
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

  /** A call that runs for long is still there when its lease would be over. */
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

/** Whether the key is that of a call without a session and a turn. */
function isSingle(key: string): boolean {
  return key.startsWith("run ");
}

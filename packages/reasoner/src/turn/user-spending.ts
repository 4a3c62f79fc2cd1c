import {
  createMemoryStore,
  ToolmountError,
  type Clock,
  type Coordinator,
  type WorkStore,
} from "@toolmount/core";
import type { Settings } from "../config/settings.ts";
import { costOf, tokensOf, type Usage } from "../provider/usage.ts";

/** What a user may spend in all sessions of a day or a month of UTC. */
export interface UserLimits {
  readonly period: "day" | "month";
  readonly tokens?: number | undefined;
  readonly cost?: number | undefined;
}

/** Whose spending it is. */
interface Spender {
  readonly settings: Settings;
  /** Null where the plan counts for each session. */
  readonly limits: UserLimits | null;
  /** Turns without a user are counted together. */
  readonly userId: string | undefined;
}

/** How many characters of a date name a period. */
const lengths = { day: "2000-01-01".length, month: "2000-01".length };

/**
 * What users spend in a day or a month. It is counted in the plan's store, so that no second server and no restart gives a user
 * more; a host without a store counts its own.
 */
export class UserSpending {
  readonly #coordinator: Pick<Coordinator, "get" | "getCapability">;
  readonly #clock: Clock;
  readonly #memory = createMemoryStore().work!;

  constructor(coordinator: Pick<Coordinator, "get" | "getCapability">, clock: Clock) {
    this.#coordinator = coordinator;
    this.#clock = clock;
  }

  /** Where the plan counts over a day or a month, the budgets of tokens and cost are those of the user, and no session's. */
  split(settings: Settings): { readonly settings: Settings; readonly limits: UserLimits | null } {
    const period = this.#coordinator.getCapability("host.budget_period");
    if (period === null) return { settings, limits: null };
    const { tokens, cost, ...budgets } = settings.budgets;
    return { settings: { ...settings, budgets }, limits: { period, tokens, cost } };
  }

  /**
   * Counts what an answer has used. It comes before the answer is in the log: an answer that a crash loses is paid, and so
   * is the one that takes its place.
   */
  async add(spender: Spender, usage: Usage): Promise<void> {
    const amount = costOf(usage, spender.settings.prices)?.amount ?? 0;
    await this.#change(spender, tokensOf(usage), amount);
  }

  /** Rejects with `AGENT_BUDGET_EXHAUSTED` where the user has nothing left. */
  async require(spender: Spender): Promise<void> {
    const { limits } = spender;
    const spent = await this.#change(spender, 0, 0);
    if (limits === null || spent === null) return;
    for (const budget of ["tokens", "cost"] as const) {
      const limit = limits[budget];
      if (limit !== undefined && spent[budget] >= limit)
        throw new ToolmountError("AGENT_BUDGET_EXHAUSTED", { budget, limit, period: limits.period });
    }
  }

  /** Adds to the counter of the user, and resolves to what it is then; null where nothing is counted. */
  async #change({ settings, limits, userId }: Spender, tokens: number, cost: number) {
    if ((limits?.tokens ?? limits?.cost) === undefined) return null;
    const at = this.#clock.now();
    const store = (this.#coordinator.get("work-store") as WorkStore | null) ?? this.#memory;
    const date = new Date(at).toISOString().slice(0, lengths[limits!.period]);
    const key = JSON.stringify(["spent", date, userId ?? null, settings.prices?.currency ?? null]);
    const { count, amount } = await store.count(key, { count: tokens, amount: cost, at });
    return { tokens: count, cost: amount };
  }
}

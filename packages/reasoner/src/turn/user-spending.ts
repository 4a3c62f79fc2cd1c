import {
  createMemoryStore,
  ToolmountError,
  type Clock,
  type Coordinator,
  type WorkStore,
} from "@toolmount/core";
import type { Settings } from "../config/settings.ts";
import { costOf, tokensOf, type Usage } from "../provider/usage.ts";

/** The limits of a user for all sessions of a day or a month in UTC. */
export interface UserLimits {
  readonly period: "day" | "month";
  readonly tokens?: number | undefined;
  readonly cost?: number | undefined;
}

/** The user and the settings for which spending is counted. */
interface Spender {
  readonly settings: Settings;
  /** Null if the plan counts for each session instead. */
  readonly limits: UserLimits | null;
  /** The user; all turns without a user are counted together. */
  readonly userId: string | undefined;
}

/** The number of characters of an ISO date that name a period. */
const lengths = { day: "2000-01-01".length, month: "2000-01".length };

/**
 * Counts the spending of users in a day or a month, in the plan's store. Other servers with that store add to the same count, and
 * a restart does not reset it. A host without a store counts only its own turns.
 */
export class UserSpending {
  readonly #coordinator: Pick<Coordinator, "get" | "getCapability">;
  readonly #clock: Clock;
  readonly #memory = createMemoryStore().work!;

  constructor(coordinator: Pick<Coordinator, "get" | "getCapability">, clock: Clock) {
    this.#coordinator = coordinator;
    this.#clock = clock;
  }

  /** Moves the budgets of tokens and cost from the session to the user, if the plan counts by day or month. */
  split(settings: Settings): { readonly settings: Settings; readonly limits: UserLimits | null } {
    const period = this.#coordinator.getCapability("host.budget_period");
    if (period === null) return { settings, limits: null };
    const { tokens, cost, ...budgets } = settings.budgets;
    return { settings: { ...settings, budgets }, limits: { period, tokens, cost } };
  }

  /**
   * Counts the tokens and the cost of an answer, before the answer is in the log. If a crash loses the answer, it still counts,
   * and so does the answer that replaces it.
   */
  async add(spender: Spender, usage: Usage): Promise<void> {
    const amount = costOf(usage, spender.settings.prices)?.amount ?? 0;
    await this.#change(spender, tokensOf(usage), amount);
  }

  /** Rejects with `AGENT_BUDGET_EXHAUSTED` if the user has nothing left. */
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

  /** Adds to the user's counter, and resolves to its new value; null if nothing is counted. */
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

import {
  ownSession,
  systemClock,
  type EventData,
  type PendingCall,
  type Policy,
  type PolicyAnswer,
} from "@toolmount/core";
import { BudgetCounters, type CountingHost, type Taken } from "./budget-counters.ts";
import type { Budgets } from "./config.ts";
import type { CountAlso } from "./loop-guard.ts";
import { RecentMap } from "./recent-map.ts";

/** Maximum number of calls that are remembered until they end. */
const maxCalls = 100_000;
/** A call that has not ended. */
interface OpenCall {
  readonly key: string;
  isCounted: boolean;
  /** What the loop guard already took for the call, before the budgets judge it. */
  taken?: Promise<Taken> | undefined;
}

/**
 * Denies calls beyond the plan's budgets. A call is counted when it is decided, and uncounted when it is denied; a resumed
 * call is counted once. The counters of sessions and turns are in the store, so that all servers of the store share them.
 */
export function createBudgets(budgets: Budgets, coordinator: CountingHost): Policy {
  return openBudgets(budgets, coordinator).policy;
}

/** Creates the same policy, and a function with which the loop guard changes its own counter in a budget's request to the store. */
export function openBudgets(
  budgets: Budgets,
  coordinator: CountingHost,
): { readonly policy: Policy; readonly countAlso: CountAlso } {
  const counters = new BudgetCounters(budgets, coordinator);
  const open = new RecentMap<OpenCall>(maxCalls);

  const pause = (_: string, data: EventData) => {
    const runId = String(data["run_id"]);
    const call = open.get(runId);
    // A call that waits for a person does not count as running.
    if (call !== undefined) counters.leave(call.key, { runId });
  };
  const end = (event: string, data: EventData) => {
    const runId = String(data["run_id"]);
    const { key, isCounted } = open.get(runId) ?? { key: keyOfEvent(budgets, data), isCounted: false };
    open.delete(runId);
    const isDenied = event === "tool:error" && data["status"] === "denied";
    // A call that a person denies was counted before, perhaps at another server or before a restart.
    if (isDenied && (isCounted || data["phase"] === "approve")) counters.leave(key, { runId, count: -1 });
    else if (isCounted) counters.leave(key, { runId, amount: Number(data["duration_ms"] ?? 0) });
  };
  coordinator.hooks.observe("tool:pending", pause);
  coordinator.hooks.observe("tool:post", end);
  coordinator.hooks.observe("tool:error", end);

  const judge = async ({ info, isResumed }: PendingCall): Promise<PolicyAnswer> => {
    const { runId, depth } = info;
    if (budgets.depth !== undefined && depth > budgets.depth)
      return denied(`tools may call tools at most ${budgets.depth} deep`);
    const key = keyOf(budgets, info);
    const call = open.take(runId, () => ({ key, isCounted: isResumed === true }));
    const { excess } = await (call.taken ?? counters.take({ key, runId, isKnown: call.isCounted }));
    call.taken = undefined;
    if (excess !== null) return denied(excess);
    call.isCounted = true;
    return null;
  };

  const countAlso: CountAlso = async (event, also) => {
    const runId = String(event["run_id"]);
    const key = keyOfEvent(budgets, event);
    const call = open.take(runId, () => ({ key, isCounted: event["resumed"] === true }));
    if (!counters.counts(key, call.isCounted)) return undefined;
    call.taken = counters.take({ key, runId, isKnown: call.isCounted, also });
    const { excess, also: count } = await call.taken;
    // If a gate denies the call later, its part of the budget is given back.
    if (excess === null) call.isCounted = true;
    return count;
  };
  return { policy: { name: "budgets", prepare: () => judge }, countAlso };
}

function denied(reason: string): PolicyAnswer {
  return { answer: "deny", reason, rule: "budgets" };
}

interface Ids {
  readonly userId?: unknown;
  readonly sessionId?: unknown;
  readonly turnId?: unknown;
  readonly runId: unknown;
  readonly parentRunId?: unknown;
}

function keyOf({ per }: Budgets, { userId, sessionId, turnId, runId, parentRunId }: Ids): string {
  if (per === "day" || per === "month") {
    const today = new Date(systemClock.now()).toISOString().slice(0, 10);
    return JSON.stringify([per === "day" ? today : today.slice(0, 7), userId]);
  }
  const session = ownSession(userId, sessionId);
  const whole = per === "turn" ? [session, turnId] : [session];
  return whole.every((part) => part === undefined)
    ? `run ${String(parentRunId ?? runId)}`
    : JSON.stringify(whole);
}

function keyOfEvent(budgets: Budgets, data: EventData): string {
  const { user_id: userId, session_id: sessionId, turn_id: turnId } = data;
  const { run_id: runId, parent_id: parentRunId } = data;
  return keyOf(budgets, { userId, sessionId, turnId, runId, parentRunId });
}

import {
  createMemoryStore,
  ownSession,
  systemClock,
  type Coordinator,
  type CounterChange,
  type CounterState,
  type EventData,
  type PendingCall,
  type Policy,
  type PolicyAnswer,
  type WorkStore,
} from "@toolmount/core";
import type { Budgets } from "./config.ts";
import { RecentMap } from "./recent-map.ts";

/** Sessions or turns whose running calls are known. */
const maxKeys = 10_000;
/** Calls that are known until they end. */
const maxCalls = 100_000;

/** A call that has not ended. */
interface OpenCall {
  readonly key: string;
  isCounted: boolean;
}

/**
 * Denies calls beyond the plan's budgets. A call is counted when it is decided, and uncounted when it is denied; a resumed
 * call is counted once. The counters of sessions and turns are in the store, where every server of it counts on.
 */
export function createBudgets(budgets: Budgets, coordinator: Pick<Coordinator, "hooks" | "get">): Policy {
  const counters = createCounters(budgets, coordinator);
  /** Calls that run at this host. A call that waits for a person does not run. */
  const running = new RecentMap<Set<string>>(maxKeys);
  const open = new RecentMap<OpenCall>(maxCalls);
  const runningOf = (key: string) => running.take(key, () => new Set());

  const pause = (_: string, data: EventData) => {
    const runId = String(data["run_id"]);
    const call = open.get(runId);
    if (call !== undefined) runningOf(call.key).delete(runId);
  };
  const end = async (event: string, data: EventData) => {
    const runId = String(data["run_id"]);
    const { key, isCounted } = open.get(runId) ?? { key: keyOfEvent(budgets, data), isCounted: false };
    open.delete(runId);
    runningOf(key).delete(runId);
    const isDenied = event === "tool:error" && data["status"] === "denied";
    // A call that a person denies was counted, maybe at another server or before a restart.
    if (isDenied && (isCounted || data["phase"] === "approve")) await counters.giveBack(key);
    else if (isCounted) await counters.spend(key, Number(data["duration_ms"] ?? 0));
  };
  coordinator.hooks.observe("tool:pending", pause);
  coordinator.hooks.observe("tool:post", end);
  coordinator.hooks.observe("tool:error", end);

  const judge = async ({ info, isResumed }: PendingCall): Promise<PolicyAnswer> => {
    const { runId, depth } = info;
    const key = keyOf(budgets, info);
    const call = open.take(runId, () => ({ key, isCounted: isResumed === true }));
    const ids = runningOf(key);
    const here = excessHere(budgets, depth, ids.size);
    if (here !== null) return denied(here);
    // Before the store answers, so that calls of one moment know of each other.
    ids.add(runId);
    const excess = await counters.take(key, call.isCounted);
    if (excess !== null) return denied(excess);
    call.isCounted = true;
    return null;
  };
  return { name: "budgets", prepare: () => judge };
}

function denied(reason: string): PolicyAnswer {
  return { answer: "deny", reason, rule: "budgets" };
}

/** Counts calls and their time: in the store, or in memory where there is none, and for calls that nothing ties together. */
function createCounters({ per, calls, ms }: Budgets, { get }: Pick<Coordinator, "get">) {
  const memory = createMemoryStore().work!;
  const isNeeded = calls !== undefined || ms !== undefined;
  const change = (key: string, more: Partial<CounterChange>): Promise<CounterState> => {
    const store = isSingle(key) ? null : (get("work-store") as WorkStore | null);
    return (store ?? memory).count(`budget ${key}`, { count: 0, amount: 0, at: systemClock.now(), ...more });
  };
  return {
    /** Takes a call of the budget, unless it has one. Returns why there is none. */
    async take(key: string, isKnown: boolean): Promise<string | null> {
      if (!isNeeded || (isKnown && ms === undefined)) return null;
      const one = isKnown ? {} : { count: 1, maxCount: calls };
      const { isAdded, count } = await change(key, { ...one, maxAmount: ms });
      if (isAdded) return null;
      return calls !== undefined && !isKnown && count >= calls
        ? `the ${per} has used its ${calls} calls`
        : `the ${per} has used its ${ms} ms of tool time`;
    },
    async giveBack(key: string): Promise<void> {
      if (isNeeded) await change(key, { count: -1 });
    },
    async spend(key: string, spent: number): Promise<void> {
      if (ms !== undefined) await change(key, { amount: spent });
    },
  };
}

interface Ids {
  readonly userId?: unknown;
  readonly sessionId?: unknown;
  readonly turnId?: unknown;
  readonly runId: unknown;
  readonly parentRunId?: unknown;
}

function keyOf({ per }: Budgets, { userId, sessionId, turnId, runId, parentRunId }: Ids): string {
  if (per === "day") return JSON.stringify([new Date(systemClock.now()).toISOString().slice(0, 10), userId]);
  const session = ownSession(userId, sessionId);
  const whole = per === "turn" ? [session, turnId] : [session];
  return whole.every((part) => part === undefined)
    ? `run ${String(parentRunId ?? runId)}`
    : JSON.stringify(whole);
}

/** Whether the key is that of a call without a session and a turn. */
function isSingle(key: string): boolean {
  return key.startsWith("run ");
}

function keyOfEvent(budgets: Budgets, data: EventData): string {
  const { user_id: userId, session_id: sessionId, turn_id: turnId } = data;
  const { run_id: runId, parent_id: parentRunId } = data;
  return keyOf(budgets, { userId, sessionId, turnId, runId, parentRunId });
}

/** What the budgets limit at each host. */
function excessHere({ per, depth, concurrent }: Budgets, ownDepth: number, running: number): string | null {
  if (depth !== undefined && ownDepth > depth) return `tools may call tools at most ${depth} deep`;
  if (concurrent !== undefined && running >= concurrent)
    return `${concurrent} calls of the ${per} run already; wait for one to end`;
  return null;
}

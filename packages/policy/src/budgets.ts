import type { CallInfo, EventData, Hooks, Policy } from "@toolmount/core";
import type { Budgets } from "./config.ts";
import { RecentMap } from "./recent-map.ts";

/** Sessions or turns whose use is remembered. */
const kept = 10_000;

interface Use {
  calls: number;
  timeMs: number;
  /** Calls that run now. A call that waits for a person does not count. */
  readonly running: Set<string>;
  /** Counted calls that have not ended: one that is denied is uncounted. */
  readonly counted: Set<string>;
}

/**
 * Denies calls beyond the plan's budgets. A call is counted when it is decided, and uncounted when it is denied; a resumed
 * call is counted once.
 */
export function createBudgets(budgets: Budgets, hooks: Pick<Hooks, "observe">): Policy {
  const uses = new RecentMap<Use>(kept);
  const keys = new RecentMap<string>(100_000);
  const useOf = (key: string) =>
    uses.take(key, () => ({ calls: 0, timeMs: 0, running: new Set(), counted: new Set() }));

  const stop = (data: EventData) => {
    const key = keys.get(String(data["run_id"]));
    return key === undefined ? undefined : { use: useOf(key), runId: String(data["run_id"]) };
  };
  hooks.observe("tool:pending", (_, data) => {
    const found = stop(data);
    found?.use.running.delete(found.runId);
  });
  const over = (event: string, data: EventData) => {
    const found = stop(data);
    if (found === undefined) return;
    const { use, runId } = found;
    use.running.delete(runId);
    keys.delete(runId);
    if (!use.counted.delete(runId)) return;
    if (event === "tool:error" && data["status"] === "denied") use.calls--;
    else use.timeMs += Number(data["duration_ms"] ?? 0);
  };
  hooks.observe("tool:post", over);
  hooks.observe("tool:error", over);

  return {
    name: "budgets",
    prepare: () => (call) => {
      const { info } = call;
      const key = keyOf(budgets, info);
      const use = useOf(key);
      const known = use.counted.has(info.runId);
      const reason = excess(budgets, info, use, known);
      if (reason !== null) return { answer: "deny", reason, rule: "budgets" };
      keys.take(info.runId, () => key);
      if (!known) use.calls++;
      use.counted.add(info.runId);
      use.running.add(info.runId);
      return null;
    },
  };
}

function keyOf({ per }: Budgets, { sessionId, turnId, runId, parentRunId }: CallInfo): string {
  const whole = per === "turn" ? [sessionId, turnId] : [sessionId];
  return whole.every((part) => part === undefined) ? `run ${parentRunId ?? runId}` : JSON.stringify(whole);
}

function excess(budgets: Budgets, { depth }: CallInfo, use: Use, known: boolean): string | null {
  const { per, calls, timeMs, concurrent } = budgets;
  if (budgets.depth !== undefined && depth > budgets.depth)
    return `tools may call tools at most ${budgets.depth} deep`;
  if (calls !== undefined && !known && use.calls >= calls) return `the ${per} has used its ${calls} calls`;
  if (timeMs !== undefined && use.timeMs >= timeMs)
    return `the ${per} has used its ${timeMs} ms of tool time`;
  if (concurrent !== undefined && use.running.size >= concurrent)
    return `${concurrent} calls of the ${per} run already; wait for one to end`;
  return null;
}

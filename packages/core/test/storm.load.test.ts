import { runInNewContext } from "node:vm";
import { setFlagsFromString } from "node:v8";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { EventData, ToolOutcome } from "../src/index.ts";
import { createFakeClock } from "./fake-clock.ts";
import { broken, makeCall, plannedCall, stormWorld, type PlannedCall } from "./storm-world.ts";

/** Calls of the long storm; TOOLMOUNT_LONG=1 makes it a million. */
const storm = process.env["TOOLMOUNT_LONG"] === "1" ? 1_000_000 : 20_000;
const concurrency = 256;

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => void process.on("unhandledRejection", note));
afterEach(() => {
  process.off("unhandledRejection", note);
  expect(unhandled.splice(0)).toEqual([]);
});

/** Counts terminal events of each run; more or fewer than one, or one of a foreign id, is a fault. */
function ledger(events: readonly { event: string; data: EventData }[]) {
  const ends = new Map<unknown, number>();
  const starts = new Map<unknown, number>();
  for (const { event, data } of events) {
    if (event === "tool:pre") starts.set(data["run_id"], (starts.get(data["run_id"]) ?? 0) + 1);
    if (event === "tool:post" || event === "tool:error")
      ends.set(data["run_id"], (ends.get(data["run_id"]) ?? 0) + 1);
  }
  return { ends, starts };
}

test("in any schedule, each call has exactly one outcome and one terminal event, with its own ids", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plannedCall, { minLength: 1, maxLength: 30 }), async (plans) => {
      const clock = createFakeClock();
      const delay = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(resolve, ms));
      const { host, events } = stormWorld(delay, { clock });
      const calls = plans.map((plan, at) => makeCall(host, `c${at}`, plan, delay));
      await clock.advance(6_000);
      const outcomes = await Promise.all(calls);
      requireWhole(outcomes, plans, ledger(events));
      const closing = host.close();
      await clock.advance(6_000);
      await closing;
      expect(clock.pending).toBe(0);
    }),
    { numRuns: 150 },
  );
});

function requireWhole(
  outcomes: readonly (ToolOutcome | null)[],
  plans: readonly PlannedCall[],
  { ends, starts }: ReturnType<typeof ledger>,
): void {
  for (const [at, outcome] of outcomes.entries()) {
    if (outcome === null) {
      expect(plans[at]!.fault).toBe("interrupts");
      continue;
    }
    expect(broken(outcome, `c${at}`)).toBeNull();
    expect(ends.get(outcome.runId)).toBe(1);
    expect(starts.get(outcome.runId) ?? 0).toBe(
      ["invalid", "not_found"].includes(outcome.status) && plans[at]!.arguments.startsWith("b")
        ? 0
        : (starts.get(outcome.runId) ?? 0),
    );
  }
  expect(ends.size).toBe(plans.length);
  expect([...starts.values()].every((count) => count === 1)).toBe(true);
}

test(`a storm of ${storm} calls, ${concurrency} together, loses nothing, repeats nothing, and leaves nothing behind`, async () => {
  const delay = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
  const { host } = stormWorld(delay, {}, false);
  const ends = new Map<unknown, number>();
  host.coordinator.hooks.observe("*", (event, payload) => {
    if (event === "tool:post" || event === "tool:error")
      ends.set(payload["run_id"], (ends.get(payload["run_id"]) ?? 0) + 1);
  });
  const resourcesBefore = process.getActiveResourcesInfo().length;
  const seed = Number(process.env["TOOLMOUNT_SEED"] ?? 20261121);
  const faults: string[] = [];
  const seen = new Set<string>();
  const heap: number[] = [];
  let made = 0;
  let settled = 0;
  // A tool that never settles keeps its call in memory forever, so here it settles at the end, when no caller waits for it.
  const plans = fc
    .sample(plannedCall, { numRuns: 4_096, seed })
    .map((plan) => (plan.fault === "never settles" ? { ...plan, fault: "settles too late" } : plan));

  async function lane(): Promise<void> {
    while (made < storm) {
      const number = made++;
      const outcome = await makeCall(host, `s${number}`, plans[number % plans.length]!, delay);
      settled++;
      if (settled % (storm / 10) === 0) heap.push(heapAfterCollection());
      if (outcome === null) continue;
      const fault = broken(outcome, `s${number}`);
      if (fault !== null) faults.push(`seed ${seed}, call ${number}: ${fault}`);
      if (seen.has(outcome.runId)) faults.push(`run ${outcome.runId} came twice`);
      seen.add(outcome.runId);
      if (ends.get(outcome.runId) !== 1)
        faults.push(`run ${outcome.runId} has ${ends.get(outcome.runId)} terminal events`);
      ends.delete(outcome.runId);
      seen.delete(outcome.runId);
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane));
  await host.close();

  expect(faults).toEqual([]);
  expect(settled).toBe(storm);
  await expect
    .poll(() => process.getActiveResourcesInfo().length, { timeout: 1_000 })
    .toBeLessThanOrEqual(resourcesBefore);
  const [half, last] = [heap[4]!, heap.at(-1)!];
  expect(last).toBeLessThan(half * 1.05 + 30e6 * (storm / 1_000_000));
}, 3_600_000);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heapAfterCollection(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

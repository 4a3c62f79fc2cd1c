import { silentLogger, type Clock, type FleetLedger } from "@toolmount/core";
import { expect, test } from "vitest";
import { FleetHost } from "../../src/fleet/fleet-host.ts";
import type { SentCall } from "../../src/fleet/sent-call.ts";

/** A clock whose timers fire when the test says so. */
function clockOfTests() {
  const timers = new Set<() => void>();
  const clock = {
    now: () => 0,
    setTimer(fire: () => void) {
      timers.add(fire);
      return { cancel: () => timers.delete(fire), keepAlive: () => undefined };
    },
  } as unknown as Clock;
  const fire = () => {
    const due = [...timers];
    timers.clear();
    for (const timer of due) timer();
  };
  return { clock, fire };
}

test("a look at all open calls ends those that have ended, also behind one that runs", async () => {
  const ended = new Set<string>();
  const finished: string[] = [];
  // A ledger whose notifications are all lost.
  const ledger = {
    watch: async () => async () => undefined,
    report: async () => undefined,
    heard: async () => [],
    ends: async (runIds: readonly string[]) =>
      new Map(runIds.filter((id) => ended.has(id)).map((id) => [id, { kind: "stored" }])),
    answerOf: async (runId: string) => runId,
    collect: async () => undefined,
    expire: async () => [],
    leave: async () => undefined,
    close: async () => undefined,
  } as unknown as FleetLedger;
  const { clock, fire } = clockOfTests();
  const host = new FleetHost({
    ledger,
    engineOf: () => Promise.reject(new Error("there is no engine")),
    logger: silentLogger,
    clock,
  });
  await host.start();
  for (const runId of ["a", "b", "c"]) {
    const call = { runId, heard: 0, isAdopted: false, finish: () => void finished.push(runId) };
    host.follow(call as unknown as SentCall, { queue: "main", identity: undefined });
  }
  ended.add("c");
  fire();

  await expect.poll(() => finished).toEqual(["c"]);
  await host.close();
});

import { createHost, systemClock, type WorkStore } from "@toolmount/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { config, mount } from "../src/index.ts";

const dayMs = 86_400_000;

/** A clock of the test's own. Other tests of this process have timers that a day would call a million times. */
function ownClock() {
  let now = 100 * dayMs;
  let waiting: readonly (() => void)[] = [];
  vi.spyOn(systemClock, "now").mockImplementation(() => now);
  vi.spyOn(systemClock, "setTimer").mockImplementation((callback, ms) => {
    if (ms === dayMs) waiting = [...waiting, callback];
    return { cancel: () => void (waiting = waiting.filter((each) => each !== callback)), keepAlive() {} };
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return {
    now: () => now,
    waiting: () => waiting.length,
    pass(days: number) {
      now += days * dayMs;
      const due = waiting;
      waiting = [];
      for (const callback of due) callback();
    },
  };
}

test("a mounted store forgets equal calls after a day, and budgets after 90, without a restart", async () => {
  const clock = ownClock();
  const host = createHost();
  await mount(host.coordinator, config.parse({ state: "sqlite::memory:" }));
  const work = host.coordinator.get("work-store") as WorkStore;
  const read = async (key: string) => (await work.count(key, { count: 0, amount: 0, at: clock.now() })).count;
  for (const key of ["repeats a", "budget a"])
    await work.count(key, { count: 1, amount: 0, at: clock.now() - 1 });

  clock.pass(1);
  await expect.poll(() => read("repeats a")).toBe(0);
  expect(await read("budget a")).toBe(1);
  clock.pass(92);
  await expect.poll(() => read("budget a")).toBe(0);
  await host.close();
  expect(clock.waiting()).toBe(0);
});

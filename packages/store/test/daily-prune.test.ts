import { createHost, type WorkStore } from "@toolmount/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { config, mount } from "../src/index.ts";

const dayMs = 86_400_000;

test("a mounted store forgets equal calls after a day, and budgets after 90, without a restart", async () => {
  vi.useFakeTimers({ now: 100 * dayMs });
  onTestFinished(() => void vi.useRealTimers());
  const host = createHost();
  await mount(host.coordinator, config.parse({ state: "sqlite::memory:" }));
  const work = host.coordinator.get("work-store") as WorkStore;
  const read = async (key: string) => (await work.count(key, { count: 0, amount: 0, at: Date.now() })).count;
  for (const key of ["repeats a", "budget a"])
    await work.count(key, { count: 1, amount: 0, at: Date.now() - 1 });

  await vi.advanceTimersByTimeAsync(dayMs);
  expect([await read("repeats a"), await read("budget a")]).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(92 * dayMs);
  expect(await read("budget a")).toBe(0);
  await host.close();
  expect(vi.getTimerCount()).toBe(0);
});

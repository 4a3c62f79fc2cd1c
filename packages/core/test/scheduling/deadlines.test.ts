import fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock, Timer } from "../../src/contract/clock.ts";
import { Deadlines } from "../../src/scheduling/deadlines.ts";

/** A clock that the test moves by hand. It counts the timers that it was asked for. */
class HandClock implements Clock {
  time = 1;
  asked = 0;
  readonly timers = new Set<{ at: number; callback: () => void; keepsAlive: boolean }>();

  now(): number {
    return this.time;
  }

  setTimer(callback: () => void, ms: number): Timer {
    this.asked++;
    const timer = { at: this.time + ms, callback, keepsAlive: true };
    this.timers.add(timer);
    return {
      cancel: () => void this.timers.delete(timer),
      keepAlive: (on) => void (timer.keepsAlive = on),
    };
  }

  moveTo(time: number): void {
    for (;;) {
      const [next] = [...this.timers].filter(({ at }) => at <= time).toSorted((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.callback();
    }
    this.time = time;
  }
}

interface Item {
  due: number;
  readonly name: number;
}

function world(onDue?: (item: Item, now: number) => void) {
  const clock = new HandClock();
  const items: Item[] = Array.from({ length: 6 }, (_, name) => ({ due: 0, name }));
  const ended: [name: number, at: number][] = [];
  const deadlines = new Deadlines<Item>(
    { clock, now: () => clock.now() },
    () => items,
    (item) => {
      ended.push([item.name, clock.time]);
      onDue?.(item, clock.time);
    },
  );
  return { clock, items, ended, deadlines };
}

const step = fc.oneof(
  fc.record({ kind: fc.constant("start" as const), item: fc.nat(5), ms: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ kind: fc.constant("end" as const), item: fc.nat(5) }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 40 }) }),
);

test("each item ends at its own deadline, once, at most a millisecond early, and never after it was ended", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const running = new Map<number, number>();
      const { clock, items, deadlines } = world(({ name }, now) => {
        expect(running.get(name)! - now).toBeOneOf([0, 1]);
        running.delete(name);
      });
      for (const one of [...steps, { kind: "wait", ms: 100 } as const]) {
        if (one.kind === "start") {
          running.set(one.item, clock.time + one.ms);
          deadlines.start(items[one.item]!, one.ms, clock.time);
        } else if (one.kind === "end") {
          running.delete(one.item);
          deadlines.end(items[one.item]!);
        } else {
          clock.moveTo(clock.time + one.ms);
          expect([...running.values()].filter((due) => due <= clock.time)).toEqual([]);
        }
      }

      expect([running.size, clock.timers.size]).toEqual([0, 0]);
    }),
  );
});

test("a thousand items in a row that end in time need one timer", () => {
  const { clock, items, ended, deadlines } = world();
  for (let at = 0; at < 1_000; at++) {
    deadlines.start(items[at % 6]!, 5_000, clock.time);
    deadlines.end(items[at % 6]!);
  }

  expect([clock.asked, ended.length]).toEqual([1, 0]);
});

test("an earlier deadline takes the timer from a later one, which gets it back", () => {
  const { clock, items, ended, deadlines } = world();
  deadlines.start(items[0]!, 1_000, clock.time);
  deadlines.start(items[1]!, 10, clock.time);
  clock.moveTo(500);
  expect(ended).toEqual([[1, 11]]);
  clock.moveTo(2_000);
  expect(ended).toEqual([
    [1, 11],
    [0, 1_001],
  ]);
});

test("the end of one item may end another that is due, or give it more time", () => {
  const { clock, items, ended, deadlines } = world(({ name }, now) => {
    if (name !== 0) return;
    deadlines.end(items[1]!);
    deadlines.start(items[2]!, 100, now);
  });
  for (const [at, ms] of [10, 11, 11].entries()) deadlines.start(items[at]!, ms, clock.time);
  clock.moveTo(1_000);

  expect(ended).toEqual([
    [0, 11],
    [2, 111],
  ]);
});

test("the timer keeps the process alive only while an item has a deadline", async () => {
  const { clock, items, deadlines } = world();
  const keepsAlive = () => [...clock.timers].map((timer) => timer.keepsAlive);
  deadlines.start(items[0]!, 1_000, clock.time);
  expect(keepsAlive()).toEqual([true]);
  deadlines.end(items[0]!);
  await new Promise(setImmediate);
  expect(keepsAlive()).toEqual([false]);
  deadlines.start(items[1]!, 2_000, clock.time);
  expect(keepsAlive()).toEqual([true]);
});

test("a clock that gives no timer is asked again, and the deadline is not lost", async () => {
  const { clock, items, ended, deadlines } = world();
  const setTimer = clock.setTimer.bind(clock);
  clock.setTimer = () => {
    throw new Error("no timers today");
  };
  deadlines.start(items[0]!, 10, clock.time);
  clock.setTimer = setTimer;
  await new Promise(setImmediate);
  clock.moveTo(100);

  expect(ended).toEqual([[0, 11]]);
});

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { Deadlines } from "../../src/scheduling/time.ts";
import { createFakeClock } from "../fake-clock.ts";

interface Item {
  due: number;
  readonly name: number;
}

function world(onDue?: (item: Item, now: number) => void) {
  const clock = createFakeClock(1);
  const items: Item[] = Array.from({ length: 6 }, (_, name) => ({ due: 0, name }));
  const ended: [name: number, at: number][] = [];
  const deadlines = new Deadlines<Item>(
    { clock, now: () => clock.now() },
    () => items,
    (item) => {
      ended.push([item.name, clock.now()]);
      onDue?.(item, clock.now());
    },
  );
  return { clock, items, ended, deadlines };
}

const step = fc.oneof(
  fc.record({ kind: fc.constant("start" as const), item: fc.nat(5), ms: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ kind: fc.constant("end" as const), item: fc.nat(5) }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 40 }) }),
);

test("each item ends at its own deadline, once, at most a millisecond early, and never after it was ended", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const running = new Map<number, number>();
      const { clock, items, deadlines } = world(({ name }, now) => {
        expect(running.get(name)! - now).toBeOneOf([0, 1]);
        running.delete(name);
      });
      for (const one of [...steps, { kind: "wait", ms: 100 } as const]) {
        if (one.kind === "start") {
          running.set(one.item, clock.now() + one.ms);
          deadlines.start(items[one.item]!, one.ms, clock.now());
        } else if (one.kind === "end") {
          running.delete(one.item);
          deadlines.end(items[one.item]!);
        } else {
          await clock.advance(one.ms);
          expect([...running.values()].filter((due) => due <= clock.now())).toEqual([]);
        }
      }

      expect([running.size, clock.pending]).toEqual([0, 0]);
    }),
  );
});

test("a thousand items in a row that end in time need one timer", () => {
  const { clock, items, ended, deadlines } = world();
  const setTimer = vi.spyOn(clock, "setTimer");
  for (let at = 0; at < 1_000; at++) {
    deadlines.start(items[at % 6]!, 5_000, clock.now());
    deadlines.end(items[at % 6]!);
  }

  expect(setTimer).toHaveBeenCalledOnce();
  expect(ended).toEqual([]);
});

test("an earlier deadline takes the timer from a later one, which gets it back", async () => {
  const { clock, items, ended, deadlines } = world();
  deadlines.start(items[0]!, 1_000, clock.now());
  deadlines.start(items[1]!, 10, clock.now());
  await clock.advance(499);
  expect(ended).toEqual([[1, 11]]);
  await clock.advance(1_500);
  expect(ended).toEqual([
    [1, 11],
    [0, 1_001],
  ]);
});

test("the end of one item may end another that is due, or give it more time", async () => {
  const { clock, items, ended, deadlines } = world(({ name }, now) => {
    if (name !== 0) return;
    deadlines.end(items[1]!);
    deadlines.start(items[2]!, 100, now);
  });
  for (const [at, ms] of [10, 11, 11].entries()) deadlines.start(items[at]!, ms, clock.now());
  await clock.advance(999);

  expect(ended).toEqual([
    [0, 11],
    [2, 111],
  ]);
});

test("the timer keeps the process alive only while an item has a deadline", async () => {
  const { clock, items, deadlines } = world();
  deadlines.start(items[0]!, 1_000, clock.now());
  expect(clock.keepsAlive).toBe(true);
  deadlines.end(items[0]!);
  await new Promise(setImmediate);
  expect(clock.keepsAlive).toBe(false);
  deadlines.start(items[1]!, 2_000, clock.now());
  expect([clock.pending, clock.keepsAlive]).toEqual([1, true]);
});

test("a clock that gives no timer is asked again, and the deadline is not lost", async () => {
  const { clock, items, ended, deadlines } = world();
  vi.spyOn(clock, "setTimer").mockImplementationOnce(() => {
    throw new Error("no timers today");
  });
  deadlines.start(items[0]!, 10, clock.now());
  await new Promise(setImmediate);
  await clock.advance(99);

  expect(ended).toEqual([[0, 11]]);
});

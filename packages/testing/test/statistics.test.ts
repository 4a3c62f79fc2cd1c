import fc from "fast-check";
import { expect, test } from "vitest";
import { mcNemar, meanInterval, passAll, runsToShow, wilsonInterval } from "../src/evals/statistics.ts";

/** Numbers from 0 to 1 that are the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const seeds = Array.from({ length: 100 }, (_, seed) => seed);

/** How many of the runs pass, for a model that is right in this share of them. */
function countPassed(share: number, runs: number, random: () => number): number {
  return Array.from({ length: runs }, () => random() < share).filter(Boolean).length;
}

test("the interval of a share contains it and stays between 0 and 1", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(500), (runs, given) => {
      const passed = Math.min(given, runs);
      const { low, high } = wilsonInterval(passed, runs);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(passed / runs);
      expect(high).toBeGreaterThanOrEqual(passed / runs);
      expect(wilsonInterval(runs - passed, runs).low).toBeCloseTo(1 - high, 12);
    }),
  );
  expect(wilsonInterval(3, 5)).toEqual({ low: expect.closeTo(0.2307, 4), high: expect.closeTo(0.8824, 4) });
});

test("a tool that is confused in 40 % of the runs: the interval covers 0.4 in at least 93 of 100 seeds", () => {
  for (const runs of [10, 50, 200]) {
    const covered = seeds.filter((seed) => {
      const { low, high } = wilsonInterval(countPassed(0.4, runs, createRandom(seed)), runs);
      return low <= 0.4 && 0.4 <= high;
    });
    expect(covered.length, `${runs} runs`).toBeGreaterThanOrEqual(93);
  }
});

test("the number of runs that show a share is the smallest one", () => {
  fc.assert(
    fc.property(fc.integer({ min: 50, max: 99 }), (percent) => {
      const share = percent / 100;
      const runs = runsToShow(share);
      expect(wilsonInterval(runs, runs).low).toBeGreaterThanOrEqual(share - 1e-9);
      expect(wilsonInterval(runs - 1, runs - 1).low).toBeLessThan(share);
    }),
  );
  expect(runsToShow(0.9)).toBe(35);
});

test("pass^k is the share of groups of k runs in which all pass", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), fc.nat(), (runs, given) => {
      const k = 1 + (given % runs.length);
      const groups = groupsOf(runs, k);
      const clean = groups.filter((group) => group.every(Boolean)).length;
      const passed = runs.filter(Boolean).length;
      expect(passAll(passed, runs.length, k)).toBeCloseTo(clean / groups.length, 12);
    }),
  );
});

function groupsOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  if (size === 0) return [[]];
  return items.flatMap((item, at) => groupsOf(items.slice(at + 1), size - 1).map((rest) => [item, ...rest]));
}

test("the p of two sides is the share of splits that are as unequal", () => {
  fc.assert(
    fc.property(fc.nat(7), fc.nat(7), (one, other) => {
      const pairs = one + other;
      const splits = Array.from({ length: 2 ** pairs }, (_, split) => Math.abs(pairs - 2 * countBits(split)));
      const extreme = splits.filter((distance) => distance >= Math.abs(one - other));
      expect(mcNemar(one, other)).toBeCloseTo(extreme.length / splits.length, 9);
      expect(mcNemar(one, other)).toBe(mcNemar(other, one));
    }),
    { numRuns: 60 },
  );
  expect(mcNemar(0, 0)).toBe(1);
  expect(mcNemar(1_000, 2_000)).toBeLessThan(1e-60);
});

function countBits(value: number): number {
  return value.toString(2).replaceAll("0", "").length;
}

/** The p of 200 pairs of runs: one side passes in this share of its runs, the other in that. */
function comparison(one: number, other: number, seed: number): number {
  const random = createRandom(seed);
  const pairs = Array.from({ length: 200 }, () => [random() < one, random() < other] as const);
  const onlyOne = pairs.filter(([first, second]) => first && !second).length;
  const onlyOther = pairs.filter(([first, second]) => !first && second).length;
  return mcNemar(onlyOne, onlyOther);
}

test("200 pairs show a difference of 20 points in at least 90 % of the seeds, and a false one in at most 6 %", () => {
  // Of 100 seeds, 7 are no surprise where 4 are expected; of 1,000, more than 60 are.
  const many = Array.from({ length: 1_000 }, (_, seed) => seed);
  const shown = (one: number, other: number) =>
    many.filter((seed) => comparison(one, other, seed) < 0.05).length / many.length;
  expect(shown(0.6, 0.8)).toBeGreaterThanOrEqual(0.9);
  expect(shown(0.4, 0.6)).toBeGreaterThanOrEqual(0.9);
  expect(shown(0.6, 0.6)).toBeLessThanOrEqual(0.06);
  expect(shown(0.9, 0.9)).toBeLessThanOrEqual(0.06);
});

test("a mean has the interval of Student; one value has none", () => {
  expect(meanInterval([4])).toEqual({ mean: 4 });
  // Source: tables of Student's distribution, 2.776 for 4 and 2.262 for 9 degrees of freedom.
  expect(meanInterval([1, 2, 3, 4, 5]).high).toBeCloseTo(3 + 2.776 * Math.sqrt(2.5 / 5), 3);
  const ten = meanInterval([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(ten.low).toBeCloseTo(5.5 - 2.262 * Math.sqrt(82.5 / 9 / 10), 2);
});

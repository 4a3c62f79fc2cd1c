import fc from "fast-check";
import { expect, test } from "vitest";
import { effectsWithoutYes, steps } from "../packages/core/test/one-yes-world.ts";
import { openWays, servePayer, wayNames } from "./support/yes-ways.ts";

test.each([...wayNames.entries()])(
  "seed 562%i: by %s, what asks has no effect without a person's yes that fits it",
  async (at, way) => {
    const counts = new Map<string, number>();
    const ways = openWays(await servePayer(), counts);
    await fc.assert(
      fc.asyncProperty(
        steps(
          40,
          Array.from({ length: 8 }, () => way),
        ),
        async (given) => {
          expect(await effectsWithoutYes(given, ways)).toEqual([]);
        },
      ),
      { numRuns: 40, seed: 5620 + at },
    );
    // A way by which nothing ever happens would show nothing.
    expect(counts.get(way)).toBeGreaterThan(0);
  },
);

test("seed 5629: the same holds where calls come in by all ways in turn", async () => {
  const ways = openWays(await servePayer(), new Map());
  await fc.assert(
    fc.asyncProperty(steps(60, wayNames), async (given) => {
      expect(await effectsWithoutYes(given, ways)).toEqual([]);
    }),
    { numRuns: 60, seed: 5629 },
  );
});

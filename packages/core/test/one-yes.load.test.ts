import fc from "fast-check";
import { expect, test } from "vitest";
import { effectsWithoutYes, steps } from "./one-yes-world.ts";

// The full size is a thousand sequences for each seed: TOOLMOUNT_LOAD=full.
const numRuns = process.env["TOOLMOUNT_LOAD"] === "full" ? 1_000 : 100;

test.each([5601, 5602, 5603, 5604, 5605, 5606])(
  "seed %i: in long sequences nothing that asks has an effect without a person's yes",
  async (seed) => {
    await fc.assert(
      fc.asyncProperty(steps(80), async (given) => {
        expect(await effectsWithoutYes(given)).toEqual([]);
      }),
      { numRuns, seed },
    );
  },
);

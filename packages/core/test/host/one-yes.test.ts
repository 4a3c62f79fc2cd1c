import fc from "fast-check";
import { expect, test } from "vitest";
import { effectsWithoutYes, steps } from "../one-yes-world.ts";

test("nothing that asks has an effect without a person's yes, whatever is edited in between", async () => {
  await fc.assert(
    fc.asyncProperty(steps(40), async (given) => {
      expect(await effectsWithoutYes(given)).toEqual([]);
    }),
    { numRuns: 400, seed: 5604 },
  );
});

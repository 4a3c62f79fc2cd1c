import { expect, test } from "vitest";
import { expectSafe } from "../support/mutants.ts";

test("of 10,000 mutants of a recorded stream, each runs a tool only with what the model wrote", async () => {
  expect.hasAssertions();
  for (let seed = 1_000; seed < 11_000; seed++) await expectSafe(seed);
});

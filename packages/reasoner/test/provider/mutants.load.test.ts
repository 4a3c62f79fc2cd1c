import { expect, test } from "vitest";
import { expectSafe } from "../support/mutants.ts";
import { expectSafeOn, wireOf } from "../support/wire-mutants.ts";

test("of 10,000 mutants of a recorded stream, each runs a tool only with what the model wrote", async () => {
  expect.hasAssertions();
  for (let seed = 1_000; seed < 11_000; seed++) await expectSafe(seed);
});

test.each(["chat", "anthropic", "gemini"] as const)(
  "of 10,000 mutants of a stream of %s, each runs a tool only with what the model wrote",
  async (name) => {
    expect.hasAssertions();
    const wire = await wireOf(name);
    for (let seed = 1_000; seed < 11_000; seed++) await expectSafeOn(wire, seed);
  },
);

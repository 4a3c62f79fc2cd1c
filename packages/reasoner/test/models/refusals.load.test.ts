import { expect, test } from "vitest";
import { playRefusedSession } from "../support/refused-sessions.ts";
import { reasons } from "../support/refusals.ts";

const seeds = Array.from({ length: 200 }, (_, at) => at + 1);
const counts = new Map(reasons.map(({ name }) => [name, 0]));

// A test for each session, so that what it kept is free before the next one begins.
test.each(seeds)("no refusal ends a session of 40 turns, and no call runs twice: seed %i", async (seed) => {
  expect.hasAssertions();
  for (const { name } of await playRefusedSession(seed, 40)) counts.set(name, counts.get(name)! + 1);
});

test("each of the twenty reasons was given in more than 20 of 200 sessions", () => {
  expect([...counts].filter(([, count]) => count <= 20)).toEqual([]);
});

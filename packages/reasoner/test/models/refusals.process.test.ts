import { expect, test } from "vitest";
import { playRefusedSession } from "../support/refused-sessions.ts";

test.each([1, 2, 3, 4])(
  "no refusal ends a session of 40 turns, and no call runs twice: seed %i",
  async (seed) => {
    expect((await playRefusedSession(seed, 40)).length).toBeGreaterThan(5);
  },
);

import { expect, test } from "vitest";
import { playRefusedSession } from "../support/refused-sessions.ts";
import { reasons } from "../support/refusals.ts";

test("of 200 sessions of 40 turns at servers that refuse each tenth request, none ends, and no call runs twice", async () => {
  const counts = new Map(reasons.map(({ name }) => [name, 0]));
  for (let seed = 1; seed <= 200; seed++)
    for (const { name } of await playRefusedSession(seed, 40)) counts.set(name, counts.get(name)! + 1);
  for (const [name, count] of counts) expect(count, name).toBeGreaterThan(20);
});

import { createMemoryStore } from "@toolmount/core";
import { expect, test } from "vitest";
import { LearnedRefusals } from "../../src/session/learned-refusals.ts";

const place = { provider: "p", model: "m" };
const day = 24 * 3_600_000;

function learnedOver(sessions = createMemoryStore().sessions) {
  const clock = { now: 0 };
  return {
    sessions,
    clock,
    learned: new LearnedRefusals(
      () => sessions,
      () => clock.now,
    ),
  };
}

test.each([
  { ...place, digests: null },
  { ...place, digests: [], rule: "schema" as const },
  { ...place, digests: [], rule: "call_id" as const },
])(
  "$digests $rule holds for the server in other processes, for a week, and for no other model",
  async (refused) => {
    const { sessions, learned } = learnedOver();
    await learned.add(refused);
    await learned.add(refused);

    const next = learnedOver(sessions);
    expect(await learned.of(place)).toEqual([refused]);
    expect(await next.learned.of(place)).toEqual([refused]);
    expect(await next.learned.of({ ...place, model: "n" })).toEqual([]);
    expect(await next.learned.of({ ...place, provider: "q" })).toEqual([]);
    next.clock.now = 8 * day;
    expect(await next.learned.of(place)).toEqual([]);
  },
);

test("what is refused of one conversation is kept for no other, and what is not ours is not read", async () => {
  const { sessions, learned } = learnedOver();
  await learned.add({ ...place, digests: ["d"] });
  expect(await learned.of(place)).toEqual([]);

  await sessions.writeState("servers of models", new Map([[JSON.stringify(["p", "m"]), [{ what: "all" }]]]));
  expect(await learnedOver(sessions).learned.of(place)).toEqual([]);
});

test("what two servers refuse is kept of both", async () => {
  const { sessions, learned } = learnedOver();
  await learned.add({ ...place, digests: null });
  await learned.add({ ...place, provider: "q", digests: [], rule: "schema" });

  const next = learnedOver(sessions).learned;
  expect([await next.of(place), await next.of({ ...place, provider: "q" })]).toMatchObject([
    [{ digests: null }],
    [{ rule: "schema" }],
  ]);
});

test("what another process learned meanwhile stays when this one learns more", async () => {
  const { sessions, learned } = learnedOver();
  expect(await learned.of(place)).toEqual([]);
  await learnedOver(sessions).learned.add({ ...place, digests: null });
  await learned.add({ ...place, digests: [], rule: "schema" });

  for (const one of [learned, learnedOver(sessions).learned])
    expect(await one.of(place)).toMatchObject([{ digests: null }, { rule: "schema" }]);
});

test("a store that was away once is read again", async () => {
  const { sessions, learned } = learnedOver();
  await learned.add({ ...place, digests: null });
  let isAway = true;
  const readState = (id: string) =>
    isAway ? Promise.reject(new Error("the store is away")) : sessions.readState(id);
  const next = learnedOver({ ...sessions, readState }).learned;

  await expect(next.of(place)).rejects.toThrow("away");
  isAway = false;
  expect(await next.of(place)).toMatchObject([{ digests: null }]);
});

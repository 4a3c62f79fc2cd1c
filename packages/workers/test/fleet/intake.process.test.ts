import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Intake, type Sent } from "../../src/fleet/intake.ts";
import { Together } from "../../src/fleet/together.ts";

const sent = (count: number, from = 0): Sent[] =>
  Array.from({ length: count }, (_, at) => ({ runId: `run-${from + at}`, attempt: 0, rank: from + at }));

/** A worker whose calls end when the test says so. */
function worker(concurrency: number, refuses: (runId: string) => boolean = () => false) {
  const running = new Map<string, () => void>();
  const back: Sent[] = [];
  let most = 0;
  const intake = new Intake({
    concurrency,
    take: async (runIds) =>
      runIds
        .filter((runId) => !refuses(runId))
        .map((runId) => {
          const ended = new Promise<void>((resolve) => running.set(runId, resolve));
          most = Math.max(most, running.size);
          return ended.then(() => void running.delete(runId));
        }),
    sendBack: async (calls) => void back.push(...calls),
  });
  return { intake, running, back, mostAtATime: () => most };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a delivery of more calls than there are places starts those with the smallest rank, and the others go back", async () => {
  const { intake, running, back } = worker(4);
  const delivery = intake.receive(sent(10).toReversed());
  await settled();
  expect([...running.keys()]).toEqual(["run-0", "run-1", "run-2", "run-3"]);
  expect(back.map(({ runId }) => runId)).toEqual(
    sent(10)
      .slice(4)
      .map(({ runId }) => runId),
  );

  let isDone = false;
  void delivery.then(() => (isDone = true));
  await settled();
  expect(isDone).toBe(false);
  running.get("run-2")!();
  await delivery;
});

test("a call that another worker has takes no place", async () => {
  const { intake, running } = worker(1, (runId) => runId === "run-0");
  await intake.receive(sent(1));
  void intake.receive(sent(1, 1));
  await settled();
  expect([...running.keys()]).toEqual(["run-1"]);
});

test("calls that could not be taken give their places back, and the delivery fails", async () => {
  let isDown = true;
  const ended: string[] = [];
  const intake = new Intake({
    concurrency: 3,
    take: async (runIds) => {
      if (isDown) throw new Error("the database is away");
      return runIds.map(async (runId) => void ended.push(runId));
    },
    sendBack: async () => undefined,
  });
  await expect(intake.receive(sent(3))).rejects.toThrow(
    expect.objectContaining({ message: "the database is away" }),
  );
  isDown = false;
  await intake.receive(sent(3));
  await intake.close();
  expect(ended).toHaveLength(3);
});

test("closing lets a delivery end that waits for a place, and waits for the calls that run", async () => {
  const { intake, running } = worker(1);
  const delivery = intake.receive(sent(1));
  await settled();
  const closed = intake.close();
  await delivery;
  expect(running.size).toBe(1);
  running.get("run-0")!();
  await closed;
});

test("of any deliveries every call runs once, and never more than have a place", async () => {
  const deliveries = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 });
  const endings = fc.infiniteStream(fc.nat());
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), deliveries, endings, async (places, sizes, random) => {
      const { intake, running, back, mostAtATime } = worker(places);
      const queue = sizes.map((size, at) => sent(size, at * 100));
      const all = queue.flat().length;
      const begun = new Set<string>();
      let ended = 0;
      const fetch = async () => {
        for (;;) {
          if (ended === all) return;
          if (back.length > 0) queue.push(back.splice(0));
          const next = queue.shift();
          await (next === undefined ? settled() : intake.receive(next));
        }
      };
      const fetching = Array.from({ length: intake.fetchers }, fetch);
      while (ended < all) {
        await settled();
        const open = [...running.keys()];
        if (open.length === 0) continue;
        const runId = open[random.next().value! % open.length]!;
        expect(begun.has(runId)).toBe(false);
        begun.add(runId);
        running.get(runId)!();
        ended++;
      }
      await intake.close();
      expect(mostAtATime()).toBeLessThanOrEqual(places);
      await Promise.all(fetching);
    }),
    { numRuns: 50 },
  );
});

test("what comes while something is done goes together, each with its own result", async () => {
  const groups: (readonly number[])[] = [];
  const doubled = new Together(async (items: readonly number[]) => {
    groups.push(items);
    await settled();
    return items.map((item) => item * 2);
  });
  const first = doubled.add(1);
  await settled();
  expect(await Promise.all([first, doubled.add(2), doubled.add(3), doubled.add(4)])).toEqual([2, 4, 6, 8]);
  expect(groups).toEqual([[1], [2, 3, 4]]);
});

test("a failure reaches each item that went together, and the next are done", async () => {
  let isDown = true;
  const acts = new Together(async (items: readonly string[]) => {
    if (isDown) throw new Error("away");
    return items;
  });
  const failed = await Promise.allSettled([acts.add("a"), acts.add("b")]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isDown = false;
  expect(await acts.add("c")).toBe("c");
});

test("an engine and a ledger that both fail end a delivery with one error, and nothing else", async () => {
  const intake = new Intake({
    concurrency: 1,
    take: () => Promise.reject(new Error("the ledger is away")),
    sendBack: () => settled().then(() => Promise.reject(new Error("the engine is away"))),
  });
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    await expect(intake.receive(sent(3))).rejects.toThrow(
      expect.objectContaining({ message: "the ledger is away" }),
    );
    await settled();
    await settled();
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});

import type { FleetMember } from "@toolmount/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { delivery, hostOf, worker } from "./host-world.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

test("a host watches by its name, and reports itself once a second", async () => {
  const { host, of } = await hostOf();
  expect(host.name).toMatch(/^h[0-9a-f]{16}$/);
  expect(of("watch")).toEqual([[host.name]]);
  const member = { name: host.name, role: "host", queue: "", group: "", tools: {}, facts: {} };
  await host.report();
  await pass(999);
  await host.report();
  expect(of("report")).toEqual([[member, 4_000]]);
  await pass(1);
  await host.report();
  expect(of("report")).toHaveLength(2);
});

test("a report that fails is made again at once", async () => {
  let isAway = true;
  const { host, of } = await hostOf({
    report: () => {
      if (isAway) throw new Error("it is away");
    },
  });
  await expect(host.report()).rejects.toThrow(expect.objectContaining({ message: "it is away" }));
  isAway = false;
  await host.report();
  expect(of("report")).toHaveLength(2);
});

describe("a call is delivered", () => {
  test("to a group of workers that have its tool, with their number", async () => {
    const members = [
      worker("a"),
      worker("b"),
      worker("c", { group: "g2", tools: { pay: "d2" } }),
      worker("d", { group: "g3", tools: {} }),
      worker("h", { role: "host", group: "g4" }),
    ];
    const { host, sent } = await hostOf({ members: () => members });
    for (let count = 0; count < 10; count++) await host.deliver(delivery);
    expect(new Set(sent.map((words) => JSON.stringify(words)))).toEqual(
      new Set([JSON.stringify(["main"]), JSON.stringify(["g1", delivery, 2])]),
    );
    expect(await host.workers("main")).toEqual(members.slice(0, 4));
  });

  test("to any of the groups that have its tool", async () => {
    const members = [worker("a"), worker("b", { group: "g2" })];
    const { host, sent } = await hostOf({ members: () => members });
    vi.spyOn(Math, "random").mockReturnValueOnce(0).mockReturnValueOnce(0.99);
    await host.deliver(delivery);
    await host.deliver(delivery);
    expect(sent.filter(({ length }) => length > 1).map(([group, , peers]) => [group, peers])).toEqual([
      ["g1", 1],
      ["g2", 1],
    ]);
  });

  test("to a worker that started since the list was read; without a worker the call waits", async () => {
    let members: FleetMember[] = [];
    const { host, sent, of } = await hostOf({ members: () => members });
    await host.deliver(delivery);
    expect([sent, of("members")]).toEqual([[], [["main"]]]);
    members = [worker("a")];
    await host.deliver(delivery);
    expect(sent).toEqual([]);
    await pass(1);
    await host.deliver(delivery);
    expect([sent.length, of("members").length]).toEqual([2, 2]);
  });

  test("by a list of workers that is read twice a second, and again after a failure", async () => {
    let isAway = false;
    const { host, of } = await hostOf({
      members: () => {
        if (isAway) throw new Error("it is away");
        return [worker("a")];
      },
    });
    await host.workers("main");
    await pass(499);
    await host.workers("main");
    expect(of("members")).toHaveLength(1);
    await pass(1);
    isAway = true;
    await expect(host.workers("main")).rejects.toThrow(expect.objectContaining({ message: "it is away" }));
    isAway = false;
    expect(await host.workers("main")).toHaveLength(1);
    expect(of("members")).toHaveLength(3);
  });
});

describe("the end of a call", () => {
  const answered = { kind: "answered", answer: 1 };

  test("that a notification has ends it, and its row is deleted with others of the same moment", async () => {
    const { follow, notify, of } = await hostOf();
    const [one, other] = [follow("a"), follow("b")];
    notify({ kind: "ended", runId: "a", end: answered });
    expect(one.ends).toEqual([answered]);
    await pass(19);
    notify({ kind: "ended", runId: "b", end: { kind: "lost" } });
    notify({ kind: "ended", runId: "unknown" });
    expect([other.ends, of("collect")]).toEqual([[{ kind: "lost" }], []]);
    await pass(1);
    expect([of("collect"), of("ends")]).toEqual([[[["a", "b", "unknown"]]], []]);
  });

  test.each([undefined, { kind: "stored" }])(
    "that a notification has not (%j) is read, after what was said before",
    async (end) => {
      const message = { runId: "a", number: 8, body: {} };
      const { follow, notify, of, asked } = await hostOf({
        ends: () => new Map([["a", { kind: "stored" }]]),
        heard: () => [message, { ...message, runId: "gone" }],
        answerOf: () => 42,
      });
      const { heard, ends } = follow("a");
      notify({ kind: end === undefined ? "said" : "ended", runId: "a", end });
      await pass();
      expect([heard, ends]).toEqual([[message], [{ kind: "answered", answer: 42 }]]);
      expect(of("ends")).toEqual([[["a"]]]);
      expect(of("heard")).toEqual([["host", new Map([["a", 7]])]]);
      expect(of("answerOf")).toEqual([["a"]]);
      expect(asked.map(([method]) => method).slice(1)).toEqual(["ends", "heard", "answerOf"]);
      await pass(20);
      expect(of("collect")).toEqual([[["a"]]]);
    },
  );

  test("of a call that nothing follows is not read", async () => {
    const { follow, notify, of } = await hostOf();
    follow("a").stop();
    notify({ kind: "said", runId: "a" });
    notify({ kind: "said", runId: "b" });
    await pass(20);
    expect([of("ends"), of("collect")]).toEqual([[], []]);
  });

  test("of a call that a host could make again leaves its row for ten seconds", async () => {
    const { follow, notify, of } = await hostOf();
    follow("a", { identity: "i" });
    notify({ kind: "ended", runId: "a", end: answered });
    await pass(9_980);
    expect(of("collect")).toEqual([]);
    await pass(1_020);
    expect(of("collect")).toEqual([[["a"]]]);
  });

  test.each([
    ["and its notification comes after it", ["read", "notify"]],
    ["after its notification came", ["notify", "read"]],
  ])("that is read %s keeps the row as long, when it could be made again", async (_, order) => {
    const ended = Promise.withResolvers<object>();
    const { follow, notify, of } = await hostOf({ ends: () => ended.promise });
    const { stop } = follow("a", { identity: "i" });
    await pass(1_000);
    for (const step of order) {
      if (step === "notify") notify({ kind: "ended", runId: "a", end: answered });
      else ended.resolve(new Map([["a", answered]]));
      await pass();
      stop();
    }
    await pass(9_000);
    expect(of("collect")).toEqual([]);
    await pass(2_000);
    expect(of("collect")).toEqual([[["a"]]]);
  });

  test("whose row could not be deleted is deleted later", async () => {
    let isAway = true;
    const { follow, notify, of } = await hostOf({
      collect: () => {
        if (isAway) throw new Error("it is away");
      },
    });
    follow("a");
    notify({ kind: "ended", runId: "a", end: answered });
    await pass(20);
    isAway = false;
    await pass(1_000);
    expect(of("collect")).toEqual([[["a"]], [["a"]]]);
    await pass(5_000);
    expect(of("collect")).toHaveLength(2);
  });

  test("of a call that another host began is looked for at once", async () => {
    const { follow, of } = await hostOf();
    follow("a", { isAdopted: true });
    await pass();
    expect(of("ends")).toEqual([[["a"]]]);
  });
});

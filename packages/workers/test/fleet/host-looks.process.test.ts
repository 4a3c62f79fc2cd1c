import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { delivery, hostOf, worker } from "./host-world.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

describe("a look each second", () => {
  test("reads all open calls, ends those of lost workers and delivers again what waits", async () => {
    const late = [delivery, { ...delivery, runId: "s" }];
    const { follow, of, sent } = await hostOf({ expire: () => late, members: () => [worker("a")] });
    const [first, second, third] = [follow("a"), follow("b"), follow("c", { queue: "other" })];
    await pass(999);
    expect(of("expire")).toEqual([]);
    await pass(1);
    expect(of("ends").flat(2)).toEqual(["a", "b", "c"]);
    expect([of("expire"), of("report").length]).toEqual([[[["main", "other"], 5_000]], 1]);
    expect(sent.filter(({ length }) => length > 1).map(([, call]) => call)).toEqual(late);
    first.stop();
    third.stop();
    await pass(1_000);
    expect(of("expire")[1]).toEqual([["main"], 5_000]);
    follow("d", { queue: "last" });
    second.stop();
    await pass(1_000);
    expect(of("expire")[2]).toEqual([["last"], 5_000]);
  });

  test("ends a call whose notification was lost, also behind calls that run", async () => {
    const { follow } = await hostOf({ ends: () => new Map([["c", { kind: "lost" }]]) });
    const calls = ["a", "b", "c"].map((runId) => follow(runId));
    await pass(1_000);
    expect(calls.map(({ ends }) => ends)).toEqual([[], [], [{ kind: "lost" }]]);
  });

  test("ends when no call is open", async () => {
    const { follow, of } = await hostOf();
    follow("a").stop();
    await pass(1_000);
    const looks = of("expire").length;
    await pass(5_000);
    expect([looks, of("expire").length]).toEqual([1, 1]);
    follow("b");
    await pass(1_000);
    expect(of("expire")).toHaveLength(2);
  });

  test("is made again after a failure, which only a debug log has", async () => {
    const away = () => {
      throw new Error("it is away");
    };
    const { follow, of, lines } = await hostOf({ ends: away, expire: away });
    follow("a");
    await pass(2_000);
    expect(of("expire")).toHaveLength(2);
    const line = ["debug", { err: new Error("it is away") }, "the ledger of a fleet could not be read"];
    expect(lines).toEqual([line, line, line, line]);
  });
});

test("a host that closes deletes all rows, leaves, and looks no more", async () => {
  const { host, follow, notify, of, asked } = await hostOf({
    leave: () => {
      throw new Error("it is away");
    },
  });
  follow("a", { identity: "i" });
  follow("b");
  notify({ kind: "ended", runId: "a", end: { kind: "lost" } });
  await host.close();
  expect(asked.slice(1)).toEqual([["unwatch"], ["collect", ["a"]], ["leave", host.name], ["close"]]);
  await pass(10_000);
  expect(of("expire")).toEqual([]);
});

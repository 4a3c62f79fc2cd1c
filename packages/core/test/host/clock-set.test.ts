import { describe, expect, test } from "vitest";
import { data, type ToolContext } from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const hour = 3_600_000;

/** A host whose machine's clock the test can set, beside the time that passes. */
function settableWorld() {
  const time = createFakeClock();
  let set = 0;
  const clock = {
    now: () => time.now() + set,
    elapsed: () => time.now(),
    setTimer: time.setTimer.bind(time),
  };
  const seen: ToolContext[] = [];
  const waits = (_: unknown, context: ToolContext) => {
    seen.push(context);
    return new Promise(() => {});
  };
  const { host } = world(
    [
      tool(waits, { name: "short", timeout: 100 }),
      tool(waits, { name: "long", timeout: 10_000 }),
      tool(async () => data(1), { name: "quick" }),
    ],
    { clock, limits: { graceMs: 10 } },
  );
  return { host, time, clock, seen, setClock: (ms: number) => (set += ms) };
}

describe.each([
  ["back", -hour],
  ["forward", hour],
])("when the machine's clock is set an hour %s while calls run", (_, change) => {
  test("each call ends at its own deadline, and its duration is the time that passed", async () => {
    const { host, time, setClock } = settableWorld();
    const short = host.call({ name: "short" });
    const long = host.call({ name: "long" });
    await time.advance(50);
    setClock(change);
    await time.advance(60);

    expect(await short).toMatchObject({ status: "timed_out", durationMs: 110 });
    await time.advance(9_000);
    expect(await Promise.race([long, Promise.resolve("runs")])).toBe("runs");
    await time.advance(1_000);
    expect(await long).toMatchObject({ status: "timed_out", durationMs: 10_010 });
  });

  test("results and deadlines show the new time", async () => {
    const { host, time, clock, seen, setClock } = settableWorld();
    await time.advance(50);
    setClock(change);
    const call = host.call({ name: "long" });
    await time.advance(0);
    const { result } = await host.call({ name: "quick" });

    expect(result.fetchedAt).toBe(new Date(clock.now()).toISOString());
    expect(seen[0]!.deadlineAt).toBe(clock.now() + 10_000);
    await time.advance(10_010);
    await call;
  });
});

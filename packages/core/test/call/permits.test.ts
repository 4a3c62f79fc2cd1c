import { AsyncLocalStorage } from "node:async_hooks";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createCancellation,
  createHost,
  data,
  type CallContext,
  type Host,
  type HostLimits,
} from "../../src/index.ts";
import { readRate } from "../../src/scheduling/rate.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

/** A tool that runs until it is let go, one call after another. */
function held(name = "held") {
  const began: unknown[] = [];
  const gates: (() => void)[] = [];
  const execute = ({ n }: Readonly<Record<string, unknown>>) =>
    new Promise((resolve) => {
      began.push(n);
      gates.push(() => resolve(data(n)));
    });
  return { tool: tool(execute, { name, timeout: 0 }), began, next: () => gates.shift()?.() };
}

/** Lets promises settle. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("calls beyond a limit", () => {
  test.each<[string, HostLimits]>([
    ["of one tool", { concurrent: 2 }],
    ["of the host", { concurrentTotal: 2 }],
  ])("%s wait for a permit, first come, first served", async (_, limits) => {
    const { tool: probe, began, next } = held();
    const { host } = world([probe], { limits });
    const calls = [1, 2, 3, 4].map((n) => host.call({ name: "held", arguments: { n } }));
    expect(began).toEqual([1, 2]);

    next();
    await settled();
    expect(began).toEqual([1, 2, 3]);
    next();
    await settled();
    expect(began).toEqual([1, 2, 3, 4]);
    next();
    next();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(["ok", "ok", "ok", "ok"]);
  });

  test.each<[string, HostLimits]>([
    ["of one tool", { concurrent: 2 }],
    ["of the host", { concurrentTotal: 2 }],
  ])(
    "%s take turns by user: a thousand calls of one delay the first of another by one end",
    async (_, limits) => {
      const { tool: probe, began, next } = held();
      const { host } = world([probe], { limits });
      const call = (n: number, context: CallContext) =>
        host.call({ name: "held", arguments: { n } }, context);
      const calls = Array.from({ length: 1_000 }, (_unused, n) => call(n, { userId: "ana" }));
      calls.push(
        call(1_000, { userId: "ben" }),
        call(1_001, { sessionId: "s" }),
        call(1_002, { userId: "ben" }),
      );
      for (let n = 0; n < 1_003; n++) {
        next();
        await settled();
      }
      expect(began.slice(0, 9)).toEqual([0, 1, 2, 1_000, 1_001, 3, 1_002, 4, 5]);
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set(["ok"]));
    },
  );

  test("of one tool do not delay another tool", async () => {
    const { tool: probe, next } = held();
    const { host } = world([probe, tool()], { limits: { concurrent: 1 } });
    const calls = [1, 2].map((n) => host.call({ name: "held", arguments: { n } }));

    expect(await host.call({ name: "probe" })).toMatchObject({ status: "ok" });
    next();
    await settled();
    next();
    await Promise.all(calls);
  });

  test("are limited in number: one more is UNAVAILABLE, and an aborted one makes room", async () => {
    const { tool: probe, next } = held();
    const { host } = world([probe], { limits: { concurrent: 1, queued: 1 } });
    const caller = new AbortController();
    const first = host.call({ name: "held" });
    const waiting = host.call({ name: "held" }, { abortSignal: caller.signal });
    expect(await host.call({ name: "held" })).toMatchObject({
      status: "failed",
      result: { code: "UNAVAILABLE", error: '"held" cannot run now: 1 calls already wait in the queue' },
    });

    caller.abort();
    expect(await waiting).toMatchObject({ status: "cancelled" });
    const third = host.call({ name: "held" });
    next();
    await settled();
    next();
    expect([await first, await third]).toMatchObject([{ status: "ok" }, { status: "ok" }]);
  });

  test("end without their tool when they are aborted while they wait", async () => {
    const { tool: probe, began, next } = held();
    const { host } = world([probe], { limits: { concurrentTotal: 1 } });
    const caller = new AbortController();
    const cancellation = createCancellation();
    const contexts: CallContext[] = [{}, { abortSignal: caller.signal }, { cancellation }, {}];
    const calls = contexts.map((context, n) => host.call({ name: "held", arguments: { n } }, context));

    caller.abort();
    cancellation.requestGraceful();
    next();
    await settled();
    next();

    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([
      "ok",
      "cancelled",
      "cancelled",
      "ok",
    ]);
    expect(began).toEqual([0, 3]);
  });

  test("C26: have their whole deadline after any wait", async () => {
    const clock = createFakeClock();
    const { host } = world(
      [
        tool(() => new Promise((resolve) => clock.setTimer(() => resolve(data(null)), 900)), {
          timeout: 1_000,
        }),
      ],
      { clock, limits: { concurrent: 1 } },
    );
    const calls = [1, 2, 3].map(() => host.call({ name: "probe" }));
    await clock.advance(3_000);

    expect((await Promise.all(calls)).map(({ status, durationMs }) => [status, durationMs])).toEqual([
      ["ok", 900],
      ["ok", 1_800],
      ["ok", 2_700],
    ]);
  });

  test("are not overtaken by a call that arrives while permits are released", async () => {
    const began: unknown[] = [];
    let go!: () => void;
    const probe = tool(({ n }) => {
      began.push(n);
      return n === 1 ? new Promise((resolve) => (go = () => resolve(data(n)))) : data(n);
    });
    const { host } = world([probe], { limits: { concurrent: 1 } });
    const call = (n: number) => host.call({ name: "probe", arguments: { n } });
    const late: Promise<unknown>[] = [];
    host.coordinator.hooks.observe("tool:post", (_, { tool_result }) => {
      if ((tool_result as { data: unknown }).data === 2) late.push(call(4));
    });
    const calls = [1, 2, 3].map(call);
    go();
    await Promise.all(calls);
    await Promise.all(late);

    expect(began).toEqual([1, 2, 3, 4]);
  });

  test("keep the asynchronous context of their own caller", async () => {
    const store = new AsyncLocalStorage<number>();
    const seen: unknown[] = [];
    let go!: () => void;
    const probe = tool(async () => {
      seen.push(store.getStore());
      if (seen.length === 1) await new Promise<void>((resolve) => (go = resolve));
      seen.push(store.getStore());
      return data(null);
    });
    const { host } = world([probe], { limits: { concurrent: 1 } });
    const calls = [1, 2].map((n) => store.run(n, () => host.call({ name: "probe" })));
    go();
    await Promise.all(calls);

    expect(seen).toEqual([1, 1, 2, 2]);
  });

  test("a long queue of calls that end synchronously does not grow the stack", async () => {
    let go: (() => void) | undefined;
    const probe = tool(() => {
      if (go !== undefined) return data("immediately");
      return new Promise((resolve) => (go = () => resolve(data("first"))));
    });
    const { host } = world([probe], { limits: { concurrent: 1, concurrentTotal: 1 } });
    const calls = Array.from({ length: 9_000 }, () => host.call({ name: "probe" }));
    go!();

    const outcomes = await Promise.all(calls);
    expect(outcomes.filter(({ status }) => status !== "ok")).toEqual([]);
  });
});

describe("calls that tools make", () => {
  test("do not wait for the permit that their parent holds", async () => {
    const again = tool(
      async ({ depth }, context) => {
        if (depth === 3) return data("deep");
        const made = await context.call({ name: "again", arguments: { depth: Number(depth) + 1 } });
        return data(made.result.data);
      },
      { name: "again" },
    );
    const { host } = world([again], { limits: { concurrent: 1, concurrentTotal: 1 } });

    expect(await host.call({ name: "again", arguments: { depth: 1 } })).toMatchObject({
      status: "ok",
      result: { data: "deep" },
    });
  });

  test("wait for a permit of another tool, at most until the parent's deadline", async () => {
    const clock = createFakeClock();
    const { tool: busy } = held("busy");
    const outer = tool(async (_, context) => data((await context.call({ name: "busy" })).status), {
      name: "outer",
      timeout: 1_000,
    });
    const { host } = world([busy, outer], { clock, limits: { concurrent: 1 } });
    void host.call({ name: "busy" });
    const call = host.call({ name: "outer" });
    await clock.advance(1_100);

    expect(await call).toMatchObject({ status: "timed_out" });
  });
});

describe("a rate", () => {
  const rate = "2/s";

  test.each<[string, HostLimits]>([
    ["of one tool", { rate }],
    ["of the host", { rateTotal: rate }],
  ])("%s lets a number of calls begin in a time, and the others wait", async (_, limits) => {
    const clock = createFakeClock();
    const began: number[] = [];
    const { host } = world([tool(() => (began.push(clock.now() - start), data(null)))], { clock, limits });
    const start = clock.now();
    const calls = [1, 2, 3, 4, 5].map(() => host.call({ name: "probe" }));
    await clock.advance(2_500);

    expect(began).toEqual([0, 0, 1_000, 1_000, 2_000]);
    expect((await Promise.all(calls)).every(({ status }) => status === "ok")).toBe(true);
    await host.close();
    expect(clock.pending).toBe(0);
  });

  test("counts the moments at which tools begin, not those at which calls arrive", async () => {
    const clock = createFakeClock();
    const start = clock.now();
    const began: [unknown, number][] = [];
    const slow = tool(
      ({ n }) => {
        began.push([n, clock.now() - start]);
        return new Promise((resolve) => clock.setTimer(() => resolve(data(n)), 700));
      },
      { name: "slow" },
    );
    const { host } = world([slow], { clock, limits: { rate: "1/500ms", concurrentTotal: 1 } });
    const calls = [1, 2, 3].map((n) => host.call({ name: "slow", arguments: { n } }));
    await clock.advance(3_000);
    await Promise.all(calls);

    expect(began).toEqual([
      [1, 0],
      [2, 700],
      [3, 1_400],
    ]);
  });

  test("counts only calls that begin: an aborted one leaves its permit to the next", async () => {
    const clock = createFakeClock();
    const { tool: probe, began } = held();
    const { host } = world([probe], { clock, limits: { rate: "1/s" } });
    const caller = new AbortController();
    void host.call({ name: "held", arguments: { n: 1 } });
    const gone = host.call({ name: "held", arguments: { n: 2 } }, { abortSignal: caller.signal });
    void host.call({ name: "held", arguments: { n: 3 } });
    caller.abort();
    expect(await gone).toMatchObject({ status: "cancelled" });
    await clock.advance(1_000);

    expect(began).toEqual([1, 3]);
  });

  test("lets no new call overtake at the moment in which the next may begin", async () => {
    const clock = createFakeClock();
    const began: unknown[] = [];
    const probe = tool(({ n }) => (began.push(n), data(null)));
    const { host } = world([probe], { clock, limits: { rate: "1/100ms" } });
    const call = (n: number) => void host.call({ name: "probe", arguments: { n } });
    clock.setTimer(() => call(3), 100);
    call(1);
    call(2);
    await clock.advance(300);

    expect(began).toEqual([1, 2, 3]);
  });

  test("leaves no timer behind when the waiting calls are aborted", async () => {
    const clock = createFakeClock();
    const { host } = world([tool()], { clock, limits: { rate: "1/min" } });
    const caller = new AbortController();
    await host.call({ name: "probe" });
    const waiting = host.call({ name: "probe" }, { abortSignal: caller.signal });
    expect(clock.pending).toBeGreaterThan(0);
    caller.abort();
    await waiting;
    await host.close();

    expect(clock.pending).toBe(0);
  });

  test("applies to each tool separately", async () => {
    const clock = createFakeClock();
    const { host } = world([tool(), tool(undefined, { name: "other" })], {
      clock,
      limits: { rate: "1/s" },
    });

    expect(await host.call({ name: "probe" })).toMatchObject({ status: "ok" });
    expect(await host.call({ name: "other" })).toMatchObject({ status: "ok" });
  });

  test.each([
    ["limits.rate", { rate: "0/1ms" }],
    ["limits.rate", { rate: "1/2147483648ms" }],
    ["limits.rateTotal", { rateTotal: "1.5/s" }],
    ["limits.concurrent", { concurrent: 0 }],
    ["limits.concurrentTotal", { concurrentTotal: Number.NaN }],
  ])("an impossible %s is refused: OPTION_INVALID", (option, limits) => {
    expect(() => createHost({ limits })).toThrowError(
      expect.objectContaining({ code: "OPTION_INVALID", details: expect.objectContaining({ option }) }),
    );
  });
});

interface Planned {
  readonly at: number;
  readonly lasts: number;
  readonly tool: number;
  readonly abortedAfter: number | undefined;
}

const planned = fc.record({
  at: fc.nat({ max: 300 }),
  lasts: fc.nat({ max: 120 }),
  tool: fc.nat({ max: 2 }),
  abortedAfter: fc.option(fc.nat({ max: 200 }), { nil: undefined, freq: 4 }),
});
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const rateOf = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 150 }))
  .map(([calls, ms]): string => `${calls}/${ms}ms`);
const limitsOf = fc.record({
  concurrent: maybe(fc.integer({ min: 1, max: 3 })),
  concurrentTotal: maybe(fc.integer({ min: 1, max: 4 })),
  rate: maybe(rateOf),
  rateTotal: maybe(rateOf),
});

interface Log {
  readonly began: { readonly n: number; readonly tool: number; readonly at: number }[];
  most: number;
  readonly mostOf: number[];
}

/** Tools that run for a given time, and record when. */
function recorded(clock: ReturnType<typeof createFakeClock>) {
  const log: Log = { began: [], most: 0, mostOf: [0, 0, 0] };
  const running = [0, 0, 0];
  const tools = running.map((_, which) =>
    tool(
      ({ n, lasts }) => {
        log.began.push({ n: Number(n), tool: which, at: clock.now() });
        running[which]!++;
        log.mostOf[which] = Math.max(log.mostOf[which]!, running[which]!);
        log.most = Math.max(log.most, running[0]! + running[1]! + running[2]!);
        const end = () => (running[which]!--, data(n));
        if (lasts === 0) return end();
        return new Promise((resolve) => clock.setTimer(() => resolve(end()), Number(lasts)));
      },
      { name: `tool_${which}`, timeout: 0 },
    ),
  );
  return { log, tools };
}

/** Whether more calls began in some stretch of time than the rate allows. */
function dense(rate: string | undefined, began: readonly { readonly at: number }[]): boolean {
  if (rate === undefined) return false;
  const { calls, perMs } = readRate(rate)!;
  return began.some(
    ({ at }) => began.filter((other) => other.at >= at && other.at < at + perMs).length > calls,
  );
}

async function play(plans: readonly Planned[], limits: HostLimits) {
  const clock = createFakeClock();
  const { log, tools } = recorded(clock);
  // An abandoned tool has given its turn back; grace long enough keeps the count of the running ones exact.
  const { host } = world(tools, { clock, limits: { ...limits, graceMs: 10_000 } });
  const calls: Promise<Awaited<ReturnType<Host["call"]>>>[] = [];
  const came: number[] = [];
  for (const [n, { at, lasts, tool: which, abortedAfter }] of plans.entries())
    clock.setTimer(() => {
      const caller = new AbortController();
      if (abortedAfter !== undefined) clock.setTimer(() => caller.abort(), abortedAfter);
      came.push(n);
      calls[n] = host.call(
        { name: `tool_${which}`, arguments: { n, lasts } },
        { abortSignal: caller.signal },
      );
    }, at);
  await clock.advance(20_000);
  const outcomes = await Promise.all(calls);
  await host.close();
  return { log, outcomes, came, pending: clock.pending };
}

test("in any schedule, no limit is exceeded, no call overtakes, and every call ends", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(planned, { minLength: 1, maxLength: 25 }), limitsOf, async (plans, limits) => {
      const { log, outcomes, came, pending } = await play(plans, limits);
      const { began } = log;

      expect(log.most).toBeLessThanOrEqual(limits.concurrentTotal ?? Number.POSITIVE_INFINITY);
      expect(Math.max(...log.mostOf)).toBeLessThanOrEqual(limits.concurrent ?? Number.POSITIVE_INFINITY);
      expect(dense(limits.rateTotal, began)).toBe(false);
      for (const which of [0, 1, 2])
        expect(
          dense(
            limits.rate,
            began.filter((one) => one.tool === which),
          ),
        ).toBe(false);
      for (const which of [0, 1, 2]) {
        const order = began.filter((one) => one.tool === which).map(({ n }) => n);
        expect(order).toEqual(came.filter((n) => order.includes(n)));
      }
      const begun = new Set(began.map(({ n }) => n));
      expect(outcomes.map(({ status }) => status)).toEqual(
        plans.map((_, n) => (begun.has(n) ? "ok" : "cancelled")),
      );
      expect(began.length).toBe(begun.size);
      const patient = plans.flatMap(({ abortedAfter }, n) => (abortedAfter === undefined ? [n] : []));
      expect(patient.filter((n) => !begun.has(n))).toEqual([]);
      expect(pending).toBe(0);
    }),
    { numRuns: 120 },
  );
});

describe("abandoned calls", () => {
  test("C5: may run up to the limit; then a call of that tool is UNAVAILABLE until one of them ends", async () => {
    const clock = createFakeClock();
    const { tool: probe, next } = held();
    const warned: string[] = [];
    const quiet = { trace() {}, debug() {}, info() {}, error() {} };
    const logger = {
      ...quiet,
      warn: (_: object, text?: string) => void warned.push(text ?? ""),
      child: () => logger,
    };
    const { host } = world([probe, tool()], { clock, logger, limits: { abandoned: 2 } });
    const give = async () => {
      const caller = new AbortController();
      const call = host.call({ name: "held" }, { abortSignal: caller.signal });
      caller.abort();
      await clock.advance(20);
      return call;
    };

    expect([await give(), await give()]).toMatchObject([{ status: "cancelled" }, { status: "cancelled" }]);
    expect(await host.call({ name: "held" })).toMatchObject({
      status: "failed",
      result: {
        code: "UNAVAILABLE",
        error: '"held" cannot run now: 2 abandoned calls of it still run',
      },
    });
    expect(await host.call({ name: "probe" })).toMatchObject({ status: "ok" });

    next();
    await settled();
    expect(warned).toEqual(["a tool answered after its call was abandoned"]);
    expect(await give()).toMatchObject({ status: "cancelled" });
  });

  test("C5: are sixteen at most by default", async () => {
    const clock = createFakeClock();
    const { host } = world([tool(() => new Promise(() => {}), { timeout: 100 })], { clock });
    const calls = Array.from({ length: 16 }, () => host.call({ name: "probe" }));
    await clock.advance(200);

    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(16).fill("timed_out"));
    expect(await host.call({ name: "probe" })).toMatchObject({ result: { code: "UNAVAILABLE" } });
  });
});

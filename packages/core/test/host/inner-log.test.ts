import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createMemoryStore,
  data,
  type CallContext,
  type Clock,
  type StateStore,
  type ToolContext,
  type ToolOutcome,
} from "../../src/index.ts";
import { callsLogOf, logsOf } from "../../src/sessions.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const session: CallContext = { sessionId: "s" };

/** What a test's program does: the same each time, as long as its calls are answered in the same way. */
type Script = (call: (name: "note" | "look" | "pay", n: number) => Promise<ToolOutcome>) => Promise<unknown>;

interface Life {
  /** The process dies when its tools have been at this many places; what it does after that has no effect. */
  readonly places?: number;
  readonly clock?: Clock;
}

/** A store that a process uses until it is dead. */
function mortal(store: StateStore, isDead: () => boolean): StateStore {
  const never = new Promise<never>(() => {});
  const guard = <Part extends object>(part: Part) =>
    new Proxy(part, {
      get: (target, key) => {
        const member = (target as Record<PropertyKey, unknown>)[key];
        return typeof member === "function"
          ? (...given: unknown[]) => (isDead() ? never : (member as (...all: unknown[]) => unknown)(...given))
          : member;
      },
    });
  return { approvals: guard(store.approvals), sessions: guard(store.sessions) };
}

/** A process with a repeatable tool that runs the script. `effects` outlives it. */
function begin(
  store: StateStore,
  effects: number[],
  script: Script,
  { places = Infinity, clock }: Life = {},
) {
  let left = places;
  const died = Promise.withResolvers<null>();
  const isDead = () => left <= 0;
  const at = async () => {
    if (--left <= 0) died.resolve(null);
    if (isDead()) await new Promise(() => {});
    await new Promise(setImmediate);
  };
  const note = tool(
    async (params) => {
      await at();
      effects.push((params as { n: number }).n);
      await at();
      return data("noted");
    },
    { name: "note", category: "side_effect" },
  );
  const look = tool(
    async (params) => {
      const { n } = params as { n: number };
      await at();
      for (let turns = 0; turns < n % 7; turns++) await new Promise(setImmediate);
      return data(n * 2);
    },
    { name: "look", category: "read" },
  );
  const pay = tool((params) => (effects.push((params as { n: number }).n), data("paid")), {
    name: "pay",
    category: "side_effect",
    requiresConfirmation: true,
  });
  const program = tool(
    async (_, context: ToolContext) =>
      data(await script((name, n) => context.call({ name, arguments: { n } }))),
    { name: "program", category: "side_effect", repeatable: true, timeout: 0 },
  );
  const made = world([note, look, pay, program], { store: mortal(store, isDead), clock });
  const run = (context: CallContext = session) =>
    Promise.race([made.host.call({ id: "p", name: "program" }, context), died.promise]);
  return { ...made, run };
}

/** Runs the script in one process after another until it ends. */
async function live(store: StateStore, script: Script, deaths: readonly number[]) {
  const effects: number[] = [];
  for (const places of deaths) {
    const outcome = await begin(store, effects, script, { places }).run();
    if (outcome !== null) return { outcome, effects };
  }
  return { outcome: (await begin(store, effects, script).run())!, effects };
}

describe("the calls of a repeatable tool, when its process dies", () => {
  test("are not made again: each effect happens once, or is reported as unknown", async () => {
    const step = fc.record({
      shape: fc.constantFrom("one", "many", "by what came before", "nested"),
      size: fc.integer({ min: 1, max: 4 }),
    });
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 12 }),
      async (steps, deaths) => {
        const log: { n: number; code: string }[] = [];
        const { outcome, effects } = await live(createMemoryStore(), scriptOf(steps), deaths);
        log.push(...(outcome.result.data as typeof log));
        expect(outcome).toMatchObject({ status: "ok" });
        expect(outcome.result.warnings).toBeUndefined();
        for (const n of effects) expect(effects.filter((one) => one === n)).toHaveLength(1);
        const sure = log.filter(({ code }) => code === "ok").map(({ n }) => n);
        const unknown = log.filter(({ code }) => code === "OUTCOME_UNKNOWN").map(({ n }) => n);
        expect([...sure, ...unknown]).toHaveLength(log.length);
        expect(effects).toEqual(expect.arrayContaining(sure));
        for (const n of effects) expect([...sure, ...unknown]).toContain(n);
        expect(unknown.length).toBeLessThanOrEqual(deaths.length * 4);
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });
});

/** A script whose calls depend on the order in which the calls before them were answered. Each number is used once. */
function scriptOf(steps: readonly { shape: string; size: number }[]): Script {
  return async (call) => {
    const log: { n: number; code: string }[] = [];
    let last = 0;
    let order = 0;
    const note = async (n: number) => {
      const { status, result } = await call("note", n);
      log.push({ n, code: status === "ok" ? "ok" : result.code! });
      order = (order * 7 + n) % 1_000;
    };
    const look = async (n: number) => {
      await call("look", n + order);
      order = (order * 3 + n) % 1_000;
    };
    for (const { shape, size } of steps) {
      const numbers = Array.from({ length: size }, () => ++last * 1_000);
      if (shape === "one") for (const n of numbers) await note(n);
      else if (shape === "many")
        await Promise.all(numbers.map((n, at) => (at % 2 === 0 ? note(n) : look(n))));
      else if (shape === "nested") await Promise.all(numbers.map((n) => look(n).then(() => note(n + order))));
      else for (const n of numbers) await (order % 2 === 0 ? note(n + order) : look(n));
    }
    return log;
  };
}

describe("a repeatable tool that runs again", () => {
  test("and makes another call ends as diverged: that call is not made", async () => {
    const store = createMemoryStore();
    const effects: number[] = [];
    await begin(store, effects, (call) => call("note", 1).then(() => call("note", 2)), { places: 3 }).run();
    const outcome = await begin(store, effects, (call) => call("note", 3)).run();

    expect(outcome).toMatchObject({ status: "failed", result: { code: "PROGRAM_DIVERGED" } });
    expect(outcome!.result.error).toContain(
      'its call 1, "note" in the run before, was made with other arguments',
    );
    expect(effects).toEqual([1]);
  });

  test("and leaves out a call that was answered before others ends as diverged, too", async () => {
    const store = createMemoryStore();
    const clock = createFakeClock();
    const both: Script = async (call) => {
      await Promise.all([call("look", 6), call("look", 0)]);
      return call("note", 3);
    };
    await begin(store, [], both, { places: 4 }).run();
    const [entry] = await store.sessions.entries(callsLogOf("s"));
    const log = logsOf("s", [entry!.entry]).at(-1);
    const entries = (await store.sessions.entries(log!)).map((one) => one.entry as { number?: number });
    expect(entries.map(({ number }) => number)).toEqual([2, 1, 3]);

    const outcome = begin(store, [], (call) => call("look", 6), { clock }).run();
    await clock.advance(60_000);
    expect(await outcome).toMatchObject({
      status: "failed",
      result: {
        code: "PROGRAM_DIVERGED",
        error: expect.stringContaining('its call 2, "look" in the run before, was not made'),
      },
    });
  });

  test("in a turn has the outcome that it had; without one, it is another run", async () => {
    const store = createMemoryStore();
    const effects: number[] = [];
    const script: Script = async (call) => (await call("note", effects.length)).status;
    const turn = { ...session, turnId: "t" };
    const first = await begin(store, effects, script).run(turn);
    const again = await begin(store, effects, script).run(turn);
    expect(again!.result).toEqual(first!.result);
    expect(effects).toEqual([0]);

    await begin(store, effects, script).run();
    await begin(store, effects, script).run();
    expect(effects).toEqual([0, 1, 2]);
  });

  test("on two hosts at once: one of them makes the calls", async () => {
    const store = createMemoryStore();
    const effects: number[] = [];
    const script: Script = async (call) => [(await call("note", 1)).status, (await call("note", 2)).status];
    const outcomes = await Promise.all([
      begin(store, effects, script).run(),
      begin(store, effects, script).run(),
    ]);
    expect(effects).toEqual([1, 2]);
    expect(outcomes.map((one) => one!.status).toSorted()).toEqual(["ok", "unknown"]);
  });

  test("its log goes with its session", async () => {
    const store = createMemoryStore();
    await begin(store, [], (call) => call("note", 1)).run();
    const calls = (await store.sessions.entries(callsLogOf("s"))).map(({ entry }) => entry);
    const log = logsOf("s", calls).at(-1)!;
    expect(await store.sessions.entries(log)).toHaveLength(1);
    await store.sessions.delete("s");
    expect(await store.sessions.entries(log)).toEqual([]);
  });
});

test("a program that waits for a person, and dies when it continues, continues again", async () => {
  const store = createMemoryStore();
  const clock = createFakeClock();
  const effects: number[] = [];
  const script: Script = async (call) => [
    (await call("note", 1)).status,
    (await call("pay", 2)).status,
    (await call("note", 3)).status,
    (await call("note", 4)).status,
  ];
  const asked = (await begin(store, effects, script, { clock }).run())!;
  expect(asked.status).toBe("pending");
  const { host } = begin(store, effects, script, { clock });
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "eve");

  const dying = begin(store, effects, script, { clock, places: 2 });
  void dying.host.resume(asked.ticket!, session);
  await expect.poll(() => effects).toEqual([1, 2, 3]);
  await clock.advance(60_000); // its lease ends

  const outcome = await begin(store, effects, script, { clock }).host.resume(asked.ticket!, session);
  expect(outcome).toMatchObject({ status: "ok", result: { data: ["ok", "ok", "unknown", "ok"] } });
  expect(effects).toEqual([1, 2, 3, 4]);
});

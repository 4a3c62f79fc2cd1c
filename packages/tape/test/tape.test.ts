import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createHost,
  data,
  defineTool,
  failure,
  type Host,
  type HostOptions,
  type JsonObject,
} from "@toolmount/core";
import { createRedactor } from "@toolmount/core/text";
import {
  createReplay,
  parseTape,
  printTapeCall,
  recordCalls,
  tapeHeader,
  type Tape,
  type TapeCall,
} from "../src/index.ts";

const common = { consequenceLevel: "low" } as const;

interface Variant {
  /** Another description, so that the definition's digest differs. */
  readonly description?: string;
  readonly requiresConfirmation?: boolean;
}

/** A host with a counter, which shows whether a tool ran. */
function open(
  options: HostOptions = {},
  { description = "Adds.", requiresConfirmation = false }: Variant = {},
) {
  const host = createHost(options);
  let total = 0;
  host.coordinator.mount(
    "tools",
    defineTool({
      ...common,
      name: "add",
      description: `${description} Use in tests.`,
      schema: z.strictObject({ count: z.number(), password: z.string().optional() }),
      category: "write",
      requiresConfirmation,
      execute: ({ count }) => (count < 0 ? failure("too small", { code: "SMALL" }) : data((total += count))),
    }),
  );
  host.coordinator.mount(
    "tools",
    defineTool({
      ...common,
      name: "twice",
      description: "Adds two times. Use in tests.",
      schema: z.strictObject({ count: z.number() }),
      category: "write",
      requiresConfirmation: false,
      execute: async ({ count }, context) => {
        await context.call({ name: "add", arguments: { count } });
        return data((await context.call({ name: "add", arguments: { count } })).result.data ?? null);
      },
    }),
  );
  return { host, total: () => total };
}

type Step = readonly [name: string, given: unknown];

async function make(host: Host, steps: readonly Step[]) {
  const outcomes = [];
  for (const [name, given] of steps) outcomes.push(await host.call({ name, arguments: given as JsonObject }));
  return outcomes;
}

async function record(steps: readonly Step[], secrets: readonly string[] = [], options: HostOptions = {}) {
  const { host } = open(options);
  const calls: TapeCall[] = [];
  recordCalls(host, { redact: createRedactor(secrets), write: (call) => calls.push(call) });
  const outcomes = await make(host, steps);
  await host.close();
  return { tape: read(calls), calls, outcomes };
}

/** As a file would hold them. */
function read(calls: readonly TapeCall[]): Tape {
  return parseTape([tapeHeader, ...calls.map(printTapeCall), ""].join("\n"));
}

async function replay(tape: Tape, steps: readonly Step[], options: HostOptions = {}, variant: Variant = {}) {
  const tapeReplay = createReplay(tape);
  const { host, total } = open({ ...options, runner: tapeReplay.runner }, variant);
  tapeReplay.watch(host);
  const outcomes = await make(host, steps);
  await host.close();
  return { problems: tapeReplay.finish(), outcomes, total: total() };
}

const steps: readonly Step[] = [
  ["add", { count: 2 }],
  ["add", { count: -1 }],
  ["add", { cuont: 2 }],
  ["ad", { count: 2 }],
  ["twice", { count: 3 }],
  ["add", { count: 2 }],
];

describe("a tape", () => {
  test("holds each call in order, with decision, definition and result, and is read from its text", async () => {
    const { tape } = await record(steps);
    const top = tape.calls.filter(({ nested }) => nested === undefined);
    expect(top.map(({ tool, decision, ran }) => [tool, decision, ran])).toEqual([
      ["add", "allow", true],
      ["add", "allow", true],
      ["add", "none", false],
      ["ad", "none", false],
      ["twice", "allow", true],
      ["add", "allow", true],
    ]);
    expect(top[0]).toMatchObject({ arguments: { count: 2 }, result: { data: 2 } });
    expect(top[0]!.definition).toMatch(/^[0-9a-f]{64}$/);
    expect(top[3]!.definition).toBeNull();
    expect(tape.calls.filter(({ nested }) => nested)).toHaveLength(2);
  });

  test("never holds a secret, by its name or by its value", async () => {
    const { calls } = await record(
      [
        ["add", { count: 1, password: "hunter-2" }],
        ["sk-live-123456", {}],
      ],
      ["sk-live-123456"],
    );
    expect(JSON.stringify(calls)).not.toMatch(/hunter|sk-live/);
  });

  test("answers every call without a tool, and finds nothing different", async () => {
    const { tape, outcomes } = await record(steps);
    const again = await replay(tape, steps);
    expect(again.problems).toEqual([]);
    expect(again.total).toBe(0);
    const shown = (all: typeof outcomes) =>
      all.map(({ status, result: { tool: _t, fetchedAt: _f, ...rest } }) => ({ status, ...rest }));
    expect(shown(again.outcomes)).toEqual(shown(outcomes));
  });

  test("masks secrets by name in arguments that no schema accepted, as a model wrote them", async () => {
    const { host } = open();
    const calls: TapeCall[] = [];
    recordCalls(host, { redact: createRedactor(), write: (call) => calls.push(call) });
    await host.call({ name: "add", arguments: '{"password":"hunter-2","more":1}' });
    expect(calls).toMatchObject([
      { arguments: '{"password":"[masked]","more":1}', result: { code: "INVALID_ARGUMENTS" } },
    ]);
    expect(JSON.stringify(calls)).not.toContain("hunter-2");
  });

  test("of any sequence of calls replays without a difference", async () => {
    const step = fc.oneof(
      fc.integer({ min: -3, max: 3 }).map((count): Step => ["add", { count }]),
      fc.integer({ min: 0, max: 3 }).map((count): Step => ["twice", { count }]),
      fc.json().map((text): Step => ["add", { text }]),
      fc.string().map((name): Step => [name, {}]),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (sequence) => {
        const { tape } = await record(sequence);
        expect((await replay(tape, sequence)).problems).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    {
      change: "an argument",
      made: [["add", { count: 7 }], ...steps.slice(1)],
      problem: "call 1: add: count is 7, was 2",
    },
    {
      change: "an argument more",
      made: [["add", { count: 2, password: "x" }], ...steps.slice(1)],
      problem: 'call 1: add: password is "[masked]", was absent',
    },
    {
      change: "two arguments",
      made: [["add", { count: 7, password: "x" }], ...steps.slice(1)],
      problem: 'call 1: add: count is 7, was 2; password is "[masked]", was absent',
    },
    {
      change: "another tool",
      made: [["twice", { count: 9 }], ...steps],
      problem: 'call 1: twice {"count":9} is not on the tape: it has add {"count":2} here',
    },
    {
      change: "the order",
      made: [steps[1]!, steps[0]!, ...steps.slice(2)],
      problem: 'call 1: add {"count":-1} came out of order: the tape has add {"count":2} here',
    },
    {
      change: "a call less",
      made: steps.slice(0, 5),
      problem: 'call 8 of the tape was not made: add {"count":2}',
    },
    {
      change: "a call more",
      made: [...steps, ["add", { count: 1 }]],
      problem: 'call 7: add {"count":1} is not on the tape, which has ended',
    },
    {
      change: "the text of arguments that do not parse",
      made: [...steps.slice(0, 2), ["add", { cuont: 3 }], ...steps.slice(3)],
      problem: "call 3: add: cuont is 3, was 2",
    },
  ] as { change: string; made: readonly Step[]; problem: string }[])(
    "shows $change as a difference",
    async ({ made, problem }) => {
      const { tape } = await record(steps);
      expect((await replay(tape, made)).problems).toContain(problem);
    },
  );

  test.each([
    {
      change: "a definition",
      variant: { description: "Adds more." },
      problem: "call 1: the definition of add is not the one that was recorded",
    },
    {
      change: "a confirmation",
      variant: { requiresConfirmation: true },
      problem: /^call 1: the definition of add/,
    },
  ])("shows $change as a difference", async ({ variant, problem }) => {
    const { tape } = await record(steps);
    const { problems } = await replay(tape, steps, {}, variant);
    expect(problems).toContainEqual(typeof problem === "string" ? problem : expect.stringMatching(problem));
  });

  test("shows a result that a gate changes now, and changed otherwise then", async () => {
    const { tape } = await record(steps.slice(0, 1));
    const tapeReplay = createReplay(tape);
    const { host } = open({ runner: tapeReplay.runner });
    host.coordinator.hooks.gate("tool:post", () => ({
      action: "modify",
      data: { tool_result: { data: 7 } },
    }));
    tapeReplay.watch(host);
    await make(host, steps.slice(0, 1));

    expect(tapeReplay.finish()).toEqual(["call 1: add: data is 7, was 2"]);
  });

  test("names the call that differs, although another one began before it ended", async () => {
    const { tape } = await record([steps[0]!, steps[4]!]);
    const tapeReplay = createReplay(tape);
    const { host } = open({ runner: tapeReplay.runner });
    const first = Promise.withResolvers<void>();
    host.coordinator.hooks.gate("tool:post", async (_, { tool_name: name }) => {
      if (name === "twice") first.resolve();
      await first.promise;
      return name === "add" ? { action: "modify", data: { tool_result: { data: 7 } } } : undefined;
    });
    tapeReplay.watch(host);
    await Promise.all([make(host, [steps[0]!]), make(host, [steps[4]!])]);

    expect(tapeReplay.finish()).toEqual(["call 1: add: data is 7, was 2"]);
  });

  test("shows a call that a gate denied then and allows now, and the other way round", async () => {
    const gated = async (deny: boolean, options: HostOptions = {}) => {
      const { host } = open(options);
      if (deny) host.coordinator.hooks.gate("tool:pre", () => ({ action: "deny", reason: "not today" }));
      return host;
    };
    const calls: TapeCall[] = [];
    const denying = await gated(true);
    recordCalls(denying, { redact: createRedactor(), write: (call) => calls.push(call) });
    await make(denying, steps.slice(0, 1));
    expect(calls[0]).toMatchObject({ decision: "deny", ran: false });

    const allowed = createReplay(read(calls));
    const allowing = await gated(false, { runner: allowed.runner });
    allowed.watch(allowing);
    const [outcome] = await make(allowing, steps.slice(0, 1));
    expect(outcome!.result).toMatchObject({ code: "REPLAY_MISMATCH" });
    expect(allowed.finish()[0]).toMatch(/^call 1: add: it would run now; it ended before that: .*not today/);

    const { tape } = await record(steps.slice(0, 1));
    const denied = createReplay(tape);
    const again = await gated(true, { runner: denied.runner });
    denied.watch(again);
    await make(again, steps.slice(0, 1));
    expect(denied.finish()).toEqual(["call 1: add: it ended as DENIED, was ok"]);
  });

  test.each([
    { text: "", problem: "line 1: the first line is not the header of a tape" },
    { text: `${tapeHeader}\n{\n`, problem: "line 2: it is not JSON" },
    { text: `${tapeHeader}\n[]\n`, problem: "line 2: it is not an object" },
    { text: `${tapeHeader}\n"x"\n`, problem: "line 2: it is not an object" },
  ])("that is not one is refused with its line", ({ text, problem }) => {
    expect(() => parseTape(text)).toThrow(problem);
  });

  test("whose last line was cut by a kill is read without it", async () => {
    const { calls } = await record(steps);
    const text = [tapeHeader, ...calls.map(printTapeCall), '{"order":9,"to'].join("\n");
    expect(parseTape(text).calls).toHaveLength(calls.length);
  });

  test.each([
    { made: "{oops", recorded: { count: 2 }, problem: 'arguments are "{oops", were {"count":2}' },
    { made: { count: 2 }, recorded: "{oops", problem: 'arguments are {"count":2}, were "{oops"' },
  ])("shows arguments that are no object as a whole: $problem", async ({ made, recorded, problem }) => {
    const { tape } = await record([["add", recorded]]);
    const { problems } = await replay(tape, [["add", made]]);

    expect(problems).toEqual([`call 1: add: ${problem}`]);
  });

  test("shows a long value by its beginning, and one of 160 characters whole", async () => {
    const shown = async (text: string) => {
      const { problems } = await replay(read([]), [["say", { text }]]);
      return /say (.*) is not on the tape/.exec(problems[0]!)?.[1];
    };
    const exact = "x".repeat(149);
    const pairs = "\u{1F600}".repeat(80);

    expect(await shown(exact)).toBe(`{"text":"${exact}"}`);
    expect(await shown(`${exact}x`)).toBe(`{"text":"${exact}x…`);
    expect((await shown(pairs))?.isWellFormed()).toBe(true);
  });
});

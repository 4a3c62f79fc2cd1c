import { describe, expect, test } from "vitest";
import { data } from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { called, linesOf, logged } from "../logged-host.ts";
import { tool } from "../world.ts";

const boom = () => {
  throw new Error("boom");
};
const err = expect.objectContaining({ message: "boom" }) as object;

describe("a gate", () => {
  test.each<[string, () => unknown, readonly unknown[], string]>([
    [
      "that throws",
      boom,
      ["error", { err, gate: "g", owner: "host", event: "tool:pre" }, "a gate failed: boom"],
      'gate "g" could not decide: it failed',
    ],
    [
      "that rejects",
      async () => boom(),
      ["error", { err, gate: "g", owner: "host", event: "tool:pre" }, "a gate failed: boom"],
      'gate "g" could not decide: it failed',
    ],
    [
      "that answers otherwise",
      () => "yes",
      [
        "error",
        { gate: "g", owner: "host" },
        expect.stringMatching(/^a gate returned an invalid answer: \S/),
      ],
      expect.stringMatching(/^gate "g" could not decide: \S/) as string,
    ],
  ])("%s denies, and is in the log", async (_, handler, line, reason) => {
    const { outcome, said } = await called(({ coordinator }) => {
      coordinator.hooks.gate("tool:pre", handler as never, { name: "g" });
    });

    expect(outcome.status).toBe("denied");
    expect(outcome.result.error!.slice('"probe" was not run: '.length)).toEqual(reason);
    expect(said).toEqual([line]);
  });

  test("that denies without a reason is named, and one that is late, too", async () => {
    const denied = await called(({ coordinator }) => {
      coordinator.hooks.gate("tool:pre", () => ({ action: "deny" }), { name: "g" });
    });
    expect(denied.outcome.result.error).toBe('"probe" was not run: gate "g" denied it');
    const late = await called(({ coordinator }) => {
      coordinator.hooks.gate("tool:pre", () => new Promise(() => {}), { name: "g", timeoutMs: 1 });
    });
    expect(late.outcome.result.error).toBe(
      '"probe" was not run: gate "g" could not decide: it did not answer within 1 ms',
    );
  });

  test("that replaces a result by an invalid one withholds it, and is in the log", async () => {
    const { outcome, said } = await called(({ coordinator }) => {
      coordinator.hooks.gate("tool:post", () => ({ action: "modify", data: { tool_result: "odd" } }));
    });

    expect(outcome).toMatchObject({
      status: "denied",
      result: {
        code: "DENIED",
        error: '"probe" ran, and its result is withheld: a gate replaced it by an invalid result',
      },
    });
    expect(said).toMatchObject([["error", {}, "a gate replaced a result by an invalid one"]]);
  });

  test("that turns a failure into a success does not", async () => {
    const { outcome } = await called(
      ({ coordinator }) => {
        coordinator.hooks.gate("tool:error", () => ({
          action: "modify",
          data: { tool_result: { data: 1 } },
        }));
      },
      { execute: () => ({ error: "no" }) },
    );

    expect([outcome.status, outcome.result.data]).toEqual(["failed", undefined]);
  });
});

test("an observer that fails is in the log with its name, and fails no call", async () => {
  const { outcome, said } = await called(({ coordinator }) => {
    coordinator.hooks.observe("tool:post", boom, { name: "o" });
  });
  await new Promise(setImmediate);

  expect(outcome.status).toBe("ok");
  expect(said).toEqual([
    ["warn", { err, observer: "o", owner: "host", event: "tool:post" }, "an observer failed"],
  ]);
});

test("a handler whose answers are collected may fail, and the others are collected", async () => {
  const { host, lines } = logged();
  host.coordinator.hooks.gate("my:event", boom, { name: "bad" });
  host.coordinator.hooks.gate("my:event", () => ({ action: "continue", data: { a: 1 } }), { name: "good" });

  expect(await host.coordinator.hooks.emitAndCollect("my:event")).toEqual([{ a: 1 }]);
  expect(lines).toEqual([
    ["warn", { err, handler: "bad", event: "my:event" }, "a handler failed, so its answer is left out"],
  ]);
});

test.each<[string, object, unknown]>([
  ["throws", { execute: boom }, ["error", { err }, '"probe" threw: boom']],
  ["returns no result", { execute: () => 7 }, ["error", {}, "a tool broke the contract"]],
  [
    "reports no number",
    {
      execute: (_: object, context: { progress(given: unknown): void }) => (
        context.progress({ progress: "x" }),
        data(1)
      ),
    },
    ["warn", {}, "a tool reported progress that is not a number"],
  ],
])("a tool that %s is in the log", async (_, fields, line) => {
  expect((await called(() => {}, fields, {}, { onProgress: () => {} })).said).toMatchObject([line]);
});

test("an onProgress that fails is in the log, and the tool continues", async () => {
  const execute = (_: object, context: { progress(given: unknown): void }) => {
    context.progress({ progress: 1 });
    return data("done");
  };
  const { outcome, said } = await called(() => {}, { execute }, {}, { onProgress: boom });

  expect(outcome.result.data).toBe("done");
  expect(said).toEqual([["warn", { err }, "the caller's onProgress failed"]]);
});

test("an abort listener of a tool that fails is in the log", async () => {
  const abort = new AbortController();
  const execute = async (_: object, { abortSignal }: { abortSignal: AbortSignal }) => {
    abortSignal.addEventListener("abort", boom);
    abort.abort();
    return data(1);
  };
  const { said } = await called(() => {}, { execute }, {}, { abortSignal: abort.signal });

  expect(said).toMatchObject([["error", { err: { message: "boom" } }, "an abort listener of a tool failed"]]);
});

test("a tool that answers after it was abandoned is in the log", async () => {
  const clock = createFakeClock();
  let answer = () => {};
  const until = new Promise<void>((resolve) => (answer = resolve));
  const made = logged({ clock, limits: { graceMs: 5 } });
  made.host.coordinator.mount(
    "tools",
    tool(() => until.then(() => data(1)), { timeout: 10 }),
  );
  const running = made.host.call({ name: "probe" });
  await clock.advance(20);
  const outcome = await running;
  answer();
  await clock.advance(1);

  expect(linesOf(made, outcome)).toEqual([["warn", {}, "a tool answered after its call was abandoned"]]);
});

test("a tool that makes too many calls at once is in the log once", async () => {
  const { host, lines } = logged({ limits: { nested: 1 } });
  host.coordinator.mount(
    "tools",
    tool(async (_, context) => {
      const made = await Promise.all([1, 2, 3].map(() => context.call({ name: "slow" })));
      return data(made.map(({ result }) => result.error ?? "ok"));
    }),
  );
  host.coordinator.mount(
    "tools",
    tool(async () => data(1), { name: "slow" }),
  );
  lines.length = 0;
  const { result } = await host.call({ name: "probe" });
  const refused = '"slow" cannot run now: its caller has 1 calls in flight; wait for some of them to end';

  expect(result.data).toEqual(["ok", refused, refused]);
  expect(lines.map(([level, , text]) => [level, text])).toEqual([
    ["warn", "a tool made more than 1 calls at the same time"],
  ]);
});

test("an approver that fails is in the log, and a policy that rejects", async () => {
  const asked = await called(() => {}, { requiresConfirmation: true }, { approver: boom });
  expect(asked.said).toEqual([["error", expect.objectContaining({ err }), "the approver failed: boom"]]);
  const judged = await called(({ coordinator }) => {
    coordinator.mount("policies", { name: "p", prepare: () => async () => boom() });
  });
  expect(judged.outcome.result.error).toBe('"probe" was not run: a policy could not decide');
  expect(judged.said).toEqual([["error", expect.objectContaining({ err }), "a policy failed: boom"]]);
});

test("a clock that fails is in the log, and time stands still", async () => {
  const clock = createFakeClock();
  let isBroken = false;
  const now = () => (isBroken ? boom() : clock.now());
  const made = logged({ clock: { ...clock, now } });
  made.host.coordinator.mount(
    "tools",
    tool(() => data(1)),
  );
  isBroken = true;
  const outcome = await made.host.call({ name: "probe" });

  expect([outcome.status, outcome.durationMs]).toEqual(["ok", 0]);
  expect(new Set(made.lines.map(([level, , text]) => `${level} ${text}`))).toEqual(
    new Set(["error the clock failed"]),
  );
});

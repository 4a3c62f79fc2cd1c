import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createHost,
  createMemoryStore,
  data,
  failure,
  hostEvents,
  type GateHandler,
  type HookResult,
} from "../../src/index.ts";
import { createFakeClock, type FakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const allow = () => Promise.resolve({ decision: "approve" as const, by: "tester" });

describe("gates", () => {
  test("AMP-N33: run in order: lower priority first, ties in the order of registration", async () => {
    const order: string[] = [];
    const { host } = world([tool()]);
    const { hooks } = host.coordinator;
    hooks.gate("tool:pre", () => void order.push("late"), { priority: 90 });
    hooks.gate("tool:pre", () => void order.push("first"), { priority: -10 });
    hooks.gate("tool:pre", async () => void order.push("second"));
    hooks.gate("tool:pre", () => void order.push("third"));

    await host.call({ name: "probe" });

    expect(order).toEqual(["first", "second", "third", "late"]);
  });

  test("AMP-N34, AMP-N52: the first denial is final: the tool does not run, later gates are not asked", async () => {
    let ran = false;
    let asked = false;
    const { host, eventsOf, events } = world([tool(() => data((ran = true)))]);
    host.coordinator.hooks.gate("tool:pre", () => ({ action: "deny", reason: "not on Sundays" }));
    host.coordinator.hooks.gate("tool:pre", () => void (asked = true));

    const outcome = await host.call({ name: "probe" });

    expect(outcome).toMatchObject({
      status: "denied",
      result: { code: "DENIED", error: '"probe" was not run: not on Sundays' },
    });
    expect([ran, asked]).toEqual([false, false]);
    expect(eventsOf(outcome.runId)).toEqual(["tool:pre", "tool:error"]);
    expect(events[1]?.data).toMatchObject({ phase: "decide", error: { code: "DENIED" } });
  });

  test("AMP-N31, C25: modify is applied, chained, parsed again once, and seen by every later handler", async () => {
    let parses = 0;
    const schema = z.strictObject({
      n: z.number().refine(() => {
        parses++;
        return true;
      }),
    });
    const { host, events } = world([tool((params) => data(params), { schema: schema })]);
    const add =
      (by: number): GateHandler =>
      (_, { tool_input: input }) => ({
        action: "modify",
        data: { tool_input: { n: (input as { n: number }).n + by } },
      });
    host.coordinator.hooks.gate("tool:pre", add(1));
    host.coordinator.hooks.gate("tool:pre", add(10));
    parses = 0;

    const outcome = await host.call({ name: "probe", arguments: { n: 1 } });

    expect(outcome.result.data).toEqual({ n: 12 });
    expect(parses).toBe(2);
    expect(events[0]).toMatchObject({ event: "tool:pre", data: { tool_input: { n: 12 } } });
  });

  test("C25: a modification that does not fit the schema is refused, and the tool does not run", async () => {
    const { host } = world([tool(undefined, { schema: z.strictObject({ n: z.number() }) as never })]);
    host.coordinator.hooks.gate("tool:pre", () => ({ action: "modify", data: { tool_input: { n: "one" } } }));

    expect(await host.call({ name: "probe", arguments: { n: 1 } })).toMatchObject({ status: "invalid" });
  });

  test.each([null, "text", [1], 7])(
    "C25: a modification to %j, which is no object, is a denial",
    async (input) => {
      const { host } = world([tool()]);
      host.coordinator.hooks.gate("tool:pre", () => ({ action: "modify", data: { tool_input: input } }));

      expect(await host.call({ name: "probe" })).toMatchObject({ status: "denied" });
    },
  );

  test("C25: a modification is kept when another gate asks or injects", async () => {
    const { host } = world([tool((params) => data(params))], { approver: allow });
    const { hooks } = host.coordinator;
    hooks.gate("tool:pre", () => ({ action: "modify", data: { tool_input: { safe: true } } }));
    hooks.gate("tool:pre", () => ({ action: "inject_context", contextInjection: "be careful" }));
    hooks.gate("tool:pre", () => ({ action: "ask_user", approvalPrompt: "sure?" }));

    const outcome = await host.call({ name: "probe", arguments: { safe: false } });

    expect(outcome.result.data).toEqual({ safe: true });
    expect(outcome.injections).toEqual([
      { text: "be careful", role: "system", ephemeral: false, appendToLastToolResult: false, source: "host" },
    ]);
  });

  test("AMP-N34: the first question wins, and a person is asked once", async () => {
    const prompts: string[] = [];
    const { host } = world([tool(undefined, { requiresConfirmation: true })], {
      approver: (question) => {
        prompts.push(question.prompt);
        return { decision: "approve" };
      },
    });
    host.coordinator.hooks.gate("tool:pre", () => ({ action: "ask_user", approvalPrompt: "first?" }));
    host.coordinator.hooks.gate("tool:pre", () => ({ action: "ask_user", approvalPrompt: "second?" }));

    expect(await host.call({ name: "probe" })).toMatchObject({ status: "ok" });
    expect(prompts).toEqual(["first?"]);
  });

  test("AMP-N53, C25: on tool:post a replaced result is what the caller and observers see", async () => {
    const { host, events } = world([tool(() => data("secret"))]);
    host.coordinator.hooks.gate("tool:post", () => ({
      action: "modify",
      data: { tool_result: { data: "masked" } },
    }));

    const outcome = await host.call({ name: "probe" });

    expect(outcome.result).toMatchObject({ tool: "probe", data: "masked" });
    expect(events.at(-1)?.data).toMatchObject({ tool_result: { data: "masked" } });
  });

  test.each([null, "text", {}, { data: 1, error: "x" }, { data: 1, success: true }])(
    "C25: on tool:post a replacement by %j, which is no result, withholds the result",
    async (replacement) => {
      const { host, eventsOf } = world([tool(() => data("secret"))]);
      host.coordinator.hooks.gate("tool:post", () => ({
        action: "modify",
        data: { tool_result: replacement },
      }));

      const outcome = await host.call({ name: "probe" });

      expect(outcome).toMatchObject({ status: "denied", result: { code: "DENIED" } });
      expect(JSON.stringify(outcome)).not.toContain("secret");
      expect(eventsOf(outcome.runId)).toEqual(["tool:pre", "tool:error"]);
    },
  );

  test("on tool:error a failure may get another message, but never become a success", async () => {
    const { host } = world([tool(() => ({ error: "pg: no such table" }))]);
    host.coordinator.hooks.gate("tool:error", () => ({
      action: "modify",
      data: { tool_result: { error: "no data today" } },
    }));
    expect(await host.call({ name: "probe" })).toMatchObject({
      status: "failed",
      result: { error: "no data today" },
    });

    host.coordinator.hooks.gate("tool:error", () => ({
      action: "modify",
      data: { tool_result: { data: "fine" } },
    }));
    expect(await host.call({ name: "probe" })).toMatchObject({
      status: "failed",
      result: { code: "DENIED" },
    });
  });
});

/** What a handler can do wrong. */
const faults: readonly (readonly [string, GateHandler])[] = [
  [
    "throws",
    () => {
      throw new Error("broken");
    },
  ],
  [
    "throws null",
    () => {
      throw null;
    },
  ],
  ["rejects", () => Promise.reject(new Error("broken"))],
  ["hangs", () => new Promise<never>(() => {})],
  ["returns a text", () => "yes" as never],
  ["returns a number later", () => Promise.resolve(1 as never)],
  ["returns an unknown action", () => ({ action: "permit" }) as never],
  ["modifies without data", () => ({ action: "modify" })],
  ["injects without a text", () => ({ action: "inject_context" })],
  ["continues with a message that is no text", () => ({ action: "continue", userMessage: 1 }) as never],
  [
    "returns a thenable that throws",
    () =>
      ({
        then: () => {
          throw new Error("broken");
        },
      }) as never,
  ],
];

/** A host on which every event of its own can be made to happen. */
function everyEvent(clock: FakeClock) {
  const asks = (name: string) => tool(() => data(name), { name, requiresConfirmation: true });
  const works = tool((_, { progress }) => data(progress({ progress: 1 })), { name: "works" });
  const fails = tool(() => failure("no"), { name: "fails" });
  return world([works, fails, asks("approve"), asks("deny"), asks("later")], {
    clock,
    store: createMemoryStore(),
    approver: (question) => ({ decision: question.tool.name as "approve" | "deny" | "later" }),
  });
}

describe("C22, AMP-N35: a handler that fails", () => {
  test.each(faults)("as a gate on tool:pre: %s, and the tool does not run", async (_, handler) => {
    const clock = createFakeClock();
    let ran = false;
    const { host, eventsOf } = world([tool(() => data((ran = true)))], { clock });
    host.coordinator.hooks.gate("tool:pre", handler);
    const pending = host.call({ name: "probe" });
    await clock.advance(5_001);

    const outcome = await pending;

    expect(outcome).toMatchObject({ status: "denied", result: { code: "DENIED" } });
    expect(ran).toBe(false);
    expect(eventsOf(outcome.runId)).toEqual(["tool:pre", "tool:error"]);
    expect(JSON.stringify(outcome)).not.toContain("broken");
  });

  test.each(faults)("as a gate on tool:post: %s, and the result is withheld", async (_, handler) => {
    const clock = createFakeClock();
    const { host, eventsOf } = world([tool(() => data("secret"))], { clock });
    host.coordinator.hooks.gate("tool:post", handler);
    const pending = host.call({ name: "probe" });
    await clock.advance(5_001);

    const outcome = await pending;

    expect(outcome).toMatchObject({ status: "denied", result: { code: "DENIED" } });
    expect(JSON.stringify(outcome)).not.toContain("secret");
    expect(eventsOf(outcome.runId)).toEqual(["tool:pre", "tool:error"]);
  });

  test.each(faults)("as a gate on tool:error: %s, and the failure stays a failure", async (_, handler) => {
    const clock = createFakeClock();
    const { host, eventsOf } = world([tool(() => ({ error: "no" }))], { clock });
    host.coordinator.hooks.gate("tool:error", handler);
    const pending = host.call({ name: "probe" });
    await clock.advance(5_001);

    const outcome = await pending;

    expect(outcome.status).toBe("failed");
    expect(eventsOf(outcome.runId)).toEqual(["tool:pre", "tool:error"]);
  });

  describe.each([...hostEvents, "*"])("as an observer of %s", (event) => {
    test.each(faults)("%s, and no call notices", async (_, handler) => {
      const clock = createFakeClock();
      const { host, events } = everyEvent(clock);
      let emitted = 0;
      host.coordinator.hooks.observe(event, (name, payload) => {
        emitted++;
        return handler(name, payload);
      });

      const names = ["works", "fails", "approve", "deny", "later"];
      const outcomes = await Promise.all(names.map((name) => host.call({ name })));
      expect(outcomes.map(({ status }) => status)).toEqual(["ok", "failed", "ok", "denied", "pending"]);

      const cancelling = host.requestCancel();
      await clock.advance(1);
      await cancelling;
      const closing = host.close();
      await clock.advance(6_000);
      expect((await closing).failures).toEqual([]);
      expect(emitted).toBe(events.filter(({ event: name }) => event === "*" || name === event).length);
      expect(emitted).toBeGreaterThan(0);
    });
  });

  test("C22: Amplifier's register on tool:pre is a gate, so it fails closed too", async () => {
    const { host } = world([tool()]);
    host.coordinator.hooks.register("tool:pre", () => {
      throw new Error("broken");
    });

    expect(await host.call({ name: "probe" })).toMatchObject({ status: "denied" });
  });

  test("and on other events an observer, so it fails open", async () => {
    const { host } = world([tool()]);
    host.coordinator.hooks.register("tool:error", () => {
      throw new Error("broken");
    });

    expect(await host.call({ name: "nothing" })).toMatchObject({ status: "not_found" });
  });

  test("a gate may have its own deadline", async () => {
    const clock = createFakeClock();
    const { host } = world([tool()], { clock });
    host.coordinator.hooks.gate("tool:pre", () => new Promise(() => {}), { timeoutMs: 50, name: "slow" });
    const pending = host.call({ name: "probe" });
    await clock.advance(51);

    expect((await pending).result.error).toContain(
      'gate "slow" could not decide: it did not answer within 50 ms',
    );
  });

  test("an aborted call does not wait for a gate that hangs", async () => {
    const clock = createFakeClock();
    const { host, eventsOf } = world([tool()], { clock });
    host.coordinator.hooks.gate("tool:pre", () => new Promise(() => {}));
    const controller = new AbortController();
    const pending = host.call({ name: "probe" }, { abortSignal: controller.signal });
    await clock.advance(10);
    controller.abort();

    const outcome = await pending;
    expect(outcome.status).toBe("cancelled");
    await clock.advance(10_000);
    expect(eventsOf(outcome.runId)).toEqual(["tool:pre", "tool:error"]);
  });

  test("a gate that aborts its own caller stops the call before the tool runs, once", async () => {
    const controller = new AbortController();
    let ran = false;
    const { host, eventsOf } = world([tool(() => data((ran = true)))]);
    host.coordinator.hooks.gate("tool:pre", () => controller.abort());

    const outcome = await host.call({ name: "probe" }, { abortSignal: controller.signal });

    expect(outcome.status).toBe("cancelled");
    expect(ran).toBe(false);
    expect(eventsOf(outcome.runId)).toEqual(["tool:pre", "tool:error"]);
  });
});

describe("a tool that requires confirmation", () => {
  const careful = (
    requiresConfirmation: boolean | ((params: Readonly<Record<string, unknown>>) => boolean) = true,
  ) => tool(() => data("done"), { requiresConfirmation });

  test("FORGE-18, AMP-N41: is not run when the host has no approver", async () => {
    const { host } = world([careful()]);

    const outcome = await host.call({ name: "probe" });

    expect(outcome).toMatchObject({ status: "denied", result: { code: "DENIED" } });
    expect(outcome.result.error).toContain("the host has no approver");
  });

  test("FORGE-18, FORGE-19: runs after the approver approved, not before", async () => {
    const order: string[] = [];
    const { host, events } = world(
      [tool(() => data(void order.push("ran")), { requiresConfirmation: true })],
      {
        approver: async (question) => {
          order.push(`asked about ${question.tool.name} ${JSON.stringify(question.arguments)}`);
          await new Promise((resolve) => setImmediate(resolve));
          return { decision: "approve", by: "ada" };
        },
      },
    );

    expect(await host.call({ name: "probe", arguments: { a: 1 } })).toMatchObject({ status: "ok" });
    expect(order).toEqual(['asked about probe {"a":1}', "ran"]);
    expect(events.map(({ event }) => event)).toEqual([
      "approval:required",
      "approval:granted",
      "tool:pre",
      "tool:post",
    ]);
  });

  test("gates get tool:pre before the question, and observers get it after the answer, with the decision", async () => {
    const order: string[] = [];
    const { host, events } = world([careful()], {
      approver: () => (order.push("the approver"), { decision: "approve", by: "ada" }),
    });
    host.coordinator.hooks.gate("tool:pre", () => void order.push("a gate on tool:pre"));
    host.coordinator.hooks.observe("approval:required", () => void order.push("approval:required"));
    host.coordinator.hooks.observe("tool:pre", () => void order.push("an observer of tool:pre"));
    await host.call({ name: "probe" });

    expect(order).toEqual([
      "a gate on tool:pre",
      "approval:required",
      "the approver",
      "an observer of tool:pre",
    ]);
    expect(events.find(({ event }) => event === "tool:pre")?.data).toMatchObject({ decision: "allow" });
  });

  test("does not run when the approver denied, and the model reads why", async () => {
    const { host } = world([careful()], {
      approver: () => ({ decision: "deny", reason: "ask me tomorrow" }),
    });

    expect((await host.call({ name: "probe" })).result).toMatchObject({
      code: "DENIED",
      error: '"probe" was not run: ask me tomorrow',
    });
  });

  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
    ["answers with nothing", () => undefined],
    ["answers with junk", () => "yes"],
    ["answers with an unknown decision", () => ({ decision: "perhaps" })],
  ])("C22: does not run when the approver %s", async (_, approver) => {
    const { host } = world([careful()], { approver: approver as never });

    expect(await host.call({ name: "probe" })).toMatchObject({ status: "denied" });
  });

  test("does not run when the approver does not answer", async () => {
    const clock = createFakeClock();
    const { host } = world([careful()], { clock, approver: () => new Promise<never>(() => {}) });
    const pending = host.call({ name: "probe" });
    await clock.advance(300_001);

    expect(await pending).toMatchObject({ status: "denied", result: { code: "APPROVAL_EXPIRED" } });
  });

  test("C26: has its whole deadline, however long the approver took", async () => {
    const clock = createFakeClock();
    const slow = tool(() => new Promise<never>(() => {}), { requiresConfirmation: true, timeout: 100 });
    const { host } = world([slow], {
      clock,
      approver: () =>
        new Promise((resolve) => clock.setTimer(() => resolve({ decision: "approve" }), 60_000)),
    });
    const pending = host.call({ name: "probe" });
    await clock.advance(60_099);
    await clock.advance(30);

    expect(await pending).toMatchObject({ status: "timed_out", durationMs: 60_120 });
  });

  test("may decide by its arguments; when that throws, an approver is asked", async () => {
    const asked: unknown[] = [];
    const approver = (question: { arguments: unknown }) => {
      asked.push(question.arguments);
      return { decision: "approve" as const };
    };
    const { host } = world(
      [
        careful(({ risky }) => risky === true),
        tool(undefined, {
          name: "odd",
          requiresConfirmation: () => {
            throw new Error("broken");
          },
        }),
      ],
      { approver },
    );

    await host.call({ name: "probe", arguments: { risky: false } });
    await host.call({ name: "probe", arguments: { risky: true } });
    await host.call({ name: "odd" });

    expect(asked).toEqual([{ risky: true }, {}]);
  });

  test("an abort withdraws the question", async () => {
    let withdrawn = false;
    const { host } = world([careful()], {
      approver: (_, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => (withdrawn = true), { once: true })),
    });
    const controller = new AbortController();
    const pending = host.call({ name: "probe" }, { abortSignal: controller.signal });
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();

    expect((await pending).status).toBe("cancelled");
    expect(withdrawn).toBe(true);
  });
});

describe("a module's own events", () => {
  test("AMP-N30, AMP-N36: emit resolves to continue with the final data when no gate objects", async () => {
    const { hooks } = createHost().coordinator;
    hooks.gate("shop:order", (_, payload) => ({
      action: "modify",
      data: { total: (payload["total"] as number) + 1 },
    }));

    expect(await hooks.emit("shop:order", { total: 1 })).toMatchObject({
      action: "continue",
      data: { total: 2 },
    });
  });

  test("AMP-N34: injections are merged with a blank line, role and ephemeral from the first, append if any says so", async () => {
    const { hooks } = createHost().coordinator;
    const inject = (result: HookResult) => hooks.gate("a:b", () => ({ action: "inject_context", ...result }));
    inject({ contextInjection: "one", contextInjectionRole: "user", ephemeral: true });
    inject({ contextInjection: "two", appendToLastToolResult: true });

    expect(await hooks.emit("a:b")).toMatchObject({
      action: "inject_context",
      contextInjection: "one\n\ntwo",
      contextInjectionRole: "user",
      ephemeral: true,
      appendToLastToolResult: true,
    });
  });

  test.each(["tool:pre", "tool:post", "tool:anything", "approval:granted", "plan:loaded", "module:x"])(
    "C23: %s belongs to the host and is refused",
    async (event) => {
      const { coordinator } = createHost().draft().addModule({ id: "shop" });

      await expect(coordinator.hooks.emit(event)).rejects.toMatchObject({
        code: "EVENT_RESERVED",
      });
    },
  );

  test("AMP-N38: default fields yield to the event's own, and the timestamp is the host's", async () => {
    const { hooks } = createHost({ clock: createFakeClock() }).coordinator;
    hooks.setDefaultFields({ session_id: "s", shop: "north" });
    const seen: unknown[] = [];
    hooks.observe("shop:open", (_, payload) => void seen.push(payload));

    await hooks.emit("shop:open", { shop: "south", timestamp: "never" });

    expect(seen).toEqual([{ session_id: "s", shop: "south", timestamp: "2026-01-01T00:00:00.000Z" }]);
  });

  test("AMP-N39: handlers can be listed, removed by their undo or by name, and asked for their data", async () => {
    const clock = createFakeClock();
    const { hooks } = createHost({ clock }).coordinator;
    const undo = hooks.on("a:b", () => ({ data: { from: "first" } }), { name: "first" });
    hooks.register("a:b", () => ({ data: { from: "second" } }), { name: "second" });
    hooks.register(
      "a:b",
      () => {
        throw new Error("broken");
      },
      { name: "third" },
    );
    hooks.register("a:b", () => new Promise<never>(() => {}), { name: "fourth" });

    expect(hooks.list("a:b")).toEqual({ "a:b": ["first", "second", "third", "fourth"] });
    const collecting = hooks.emitAndCollect("a:b");
    await clock.advance(1_001);
    expect(await collecting).toEqual([{ from: "first" }, { from: "second" }]);

    undo();
    undo();
    expect(hooks.unregister("second")).toBe(true);
    expect(hooks.unregister("second")).toBe(false);
    expect(hooks.list("a:b")).toEqual({ "a:b": ["third", "fourth"] });
  });

  test("only observers may listen to all events", () => {
    expect(() => createHost().coordinator.hooks.gate("*", () => undefined)).toThrowError(
      expect.objectContaining({ code: "MOUNT_INVALID" }),
    );
  });
});

import { describe, expect, test } from "vitest";
import { createCancellation, data, type CallContext, type ToolContext } from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

/** A tool that runs until the test releases it, or its signal is aborted. */
function held() {
  const gates: (() => void)[] = [];
  const execute = (_: unknown, { abortSignal }: ToolContext) =>
    new Promise((resolve, reject) => {
      gates.push(() => resolve(data("done")));
      abortSignal.addEventListener("abort", () => reject(abortSignal.reason as Error), { once: true });
    });
  return { tool: tool(execute, { name: "held" }), release: () => gates.splice(0).forEach((go) => go()) };
}

const synthetic = {
  status: "cancelled",
  result: { error: "Request was cancelled", code: "CANCELLED", details: { cancelled: true } },
};

describe("a call that was given a cancellation token", () => {
  test("AMP-N48: is listed while its tool runs, by the caller's id, and nested calls beside it", async () => {
    const cancellation = createCancellation();
    const seen: unknown[] = [];
    const look = () => seen.push([...cancellation.runningTools], cancellation.runningToolNames);
    const inner = tool(() => (look(), data(null)), { name: "inner" });
    const outer = tool(
      async (_, context) => (await context.call({ id: "nested", name: "inner" }), data(null)),
      {
        name: "outer",
      },
    );
    const { host } = world([inner, outer]);

    await host.call({ id: "call_1", name: "outer" }, { cancellation });

    expect(seen).toEqual([
      ["call_1", "nested"],
      ["outer", "inner"],
    ]);
    expect(cancellation.runningTools.size).toBe(0);
  });

  test("AMP-N48: two calls of one id are both listed, and removed one by one", async () => {
    const { tool: probe, release } = held();
    const { host } = world([probe]);
    const cancellation = createCancellation();
    const calls = [1, 2].map(() => host.call({ id: "same", name: "held" }, { cancellation }));
    expect(cancellation.runningTools.size).toBe(2);

    release();
    await Promise.all(calls);
    expect(cancellation.runningTools.size).toBe(0);
  });

  test("AMP-N46: graceful lets it finish, nested calls included, and answers new ones cancelled", async () => {
    let go!: () => void;
    const inner = tool(() => data("inner"), { name: "inner" });
    const outer = tool(
      async (_, context) => {
        await new Promise<void>((resolve) => (go = resolve));
        return data((await context.call({ name: "inner" })).result.data);
      },
      { name: "outer" },
    );
    const { host, eventsOf } = world([inner, outer]);
    const cancellation = createCancellation();
    const running = host.call({ name: "outer" }, { cancellation });

    cancellation.requestGraceful();
    const fresh = await host.call({ name: "inner" }, { cancellation });
    go();

    expect(fresh).toMatchObject(synthetic);
    expect(eventsOf(fresh.runId)).toEqual(["tool:pre", "tool:error"]);
    expect(await running).toMatchObject({ status: "ok", result: { data: "inner" } });
    expect(await host.call({ name: "inner" })).toMatchObject({ status: "ok" });
  });

  test("AMP-N49: immediate ends it with a synthetic result and one terminal event; its tool sees the signal", async () => {
    const { tool: probe } = held();
    const { host, eventsOf } = world([probe]);
    const cancellation = createCancellation();
    const call = host.call({ name: "held" }, { cancellation });

    cancellation.requestImmediate();

    const outcome = await call;
    expect(outcome).toMatchObject({
      status: "cancelled",
      result: {
        tool: "held",
        error: "Request was cancelled",
        details: { cancelled: true, error: "held failed" },
      },
    });
    expect(eventsOf(outcome.runId)).toEqual(["tool:pre", "tool:error"]);
  });

  test("AMP-N49: immediate ends it without its tool when the tool ignores the signal", async () => {
    const clock = createFakeClock();
    const { host } = world([tool(() => new Promise(() => {}))], { clock });
    const cancellation = createCancellation();
    const call = host.call({ name: "probe" }, { cancellation });

    cancellation.requestImmediate();
    await clock.advance(20);

    expect(await call).toMatchObject(synthetic);
    expect(cancellation.runningTools.size).toBe(0);
  });

  test("C5: a success within the grace stays a success", async () => {
    const cancellation = createCancellation();
    const { host } = world([
      tool(async () => {
        cancellation.requestImmediate();
        return data("in time");
      }),
    ]);

    expect(await host.call({ name: "probe" }, { cancellation })).toMatchObject({
      status: "ok",
      result: { data: "in time" },
      cancelled: { reason: "Request was cancelled" },
    });
  });

  test.each(["graceful", "immediate"] as const)(
    "AMP-N46: %s ends it while it waits for a person or a permit",
    async (level) => {
      const { tool: probe, release } = held();
      let asked: AbortSignal | undefined;
      const { host } = world([probe, tool(() => data(1), { requiresConfirmation: true })], {
        limits: { concurrentTotal: 1 },
        approver: (_, { signal }) => ((asked = signal), new Promise<never>(() => {})),
      });
      const cancellation = createCancellation();
      const first = host.call({ name: "held" });
      const queued = host.call({ name: "held" }, { cancellation });
      const approval = host.call({ name: "probe" }, { cancellation });
      await new Promise((resolve) => setImmediate(resolve));

      if (level === "graceful") cancellation.requestGraceful();
      else cancellation.requestImmediate();

      expect(await queued).toMatchObject(synthetic);
      expect(await approval).toMatchObject(synthetic);
      expect(asked?.aborted).toBe(true);
      release();
      expect(await first).toMatchObject({ status: "ok" });
    },
  );

  test("AMP-N46: after a reset, new calls run", async () => {
    const { host } = world([tool()]);
    const cancellation = createCancellation();
    cancellation.requestImmediate();
    expect(await host.call({ name: "probe" }, { cancellation })).toMatchObject({ status: "cancelled" });

    cancellation.reset();
    expect(await host.call({ name: "probe" }, { cancellation })).toMatchObject({ status: "ok" });
  });

  test("AMP-N47: a session's token stops the calls of its turns", async () => {
    const { tool: probe } = held();
    const { host } = world([probe]);
    const session = createCancellation();
    const turn = createCancellation();
    session.registerChild(turn);
    const call = host.call({ name: "held" }, { cancellation: turn });

    session.requestImmediate();

    expect(await call).toMatchObject({ status: "cancelled" });
  });
});

function levels(events: readonly { readonly event: string; readonly data: object }[]) {
  return events
    .filter(({ event }) => event.startsWith("cancel:"))
    .map(({ event, data: payload }) => [event, payload]);
}

describe("a host's own token", () => {
  test("AMP-N48, AMP-N49: cancels every call, emits an event before and after, and lists running calls", async () => {
    const { tool: probe, release } = held();
    const { host, events } = world([probe]);
    const calls: ReturnType<typeof host.call>[] = [host.call({ name: "held" }), host.call({ name: "held" })];
    expect([...host.cancellation.runningToolNames]).toEqual(["held", "held"]);

    const graceful = host.requestCancel();
    expect(await host.call({ name: "held" })).toMatchObject(synthetic);
    const immediate = host.requestCancel({ immediate: true });

    expect([await graceful, await immediate]).toEqual([true, true]);
    expect(await Promise.all(calls)).toMatchObject([{ status: "cancelled" }, { status: "cancelled" }]);
    expect(levels(events)).toMatchObject([
      [
        "cancel:requested",
        { level: "graceful", running_tools: [{ tool_name: "held" }, { tool_name: "held" }] },
      ],
      ["cancel:requested", { level: "immediate" }],
      ["cancel:completed", { level: "immediate" }],
    ]);
    expect(host.cancellation.runningTools.size).toBe(0);
    release();
  });

  test("AMP-N49: the terminal event of each call comes before cancel:completed", async () => {
    const { tool: probe } = held();
    const { host, events } = world([probe]);
    void host.call({ name: "held" });
    await host.requestCancel({ immediate: true });

    expect(events.map(({ event }) => event)).toEqual([
      "tool:pre",
      "cancel:requested",
      "tool:error",
      "cancel:completed",
    ]);
  });

  test("AMP-N46: a second request of the same kind changes nothing, and after a reset new calls run", async () => {
    const { host } = world([tool()]);
    expect([await host.requestCancel(), await host.requestCancel()]).toEqual([true, false]);
    expect(await host.call({ name: "probe" })).toMatchObject({ status: "cancelled" });

    host.cancellation.reset();
    expect(await host.call({ name: "probe" })).toMatchObject({ status: "ok" });
  });

  test("AMP-N48: its callbacks are called, and one that fails is logged", async () => {
    const warned: string[] = [];
    const silent = { trace() {}, debug() {}, info() {}, error() {} };
    const logger = {
      ...silent,
      warn: (_: object, text?: string) => void warned.push(text ?? ""),
      child: () => logger,
    };
    const { host } = world([tool()], { logger });
    const called: string[] = [];
    host.cancellation.onCancel(() => Promise.reject(new Error("no")));
    host.cancellation.onCancel(async () => void called.push("yes"));

    await host.requestCancel();
    await new Promise((resolve) => setImmediate(resolve));

    expect([called, warned]).toEqual([["yes"], ["a callback of a cancellation failed"]]);
  });

  test("AMP-N49: close lets running calls finish, ends waiting calls, and emits events; an idle host emits none", async () => {
    const { tool: probe, release } = held();
    const { host, events } = world([probe], { limits: { concurrentTotal: 1 } });
    const running = host.call({ name: "held" });
    const queued = host.call({ name: "held" });

    const closing = host.close();
    const turnedAway = await queued;
    release();

    expect(turnedAway).toMatchObject(synthetic);
    expect(await running).toMatchObject({ status: "ok" });
    expect(await closing).toEqual({
      draining: [],
      aborted: [turnedAway.runId],
      abandoned: [],
      failures: [],
    });
    expect(levels(events)).toMatchObject([
      ["cancel:requested", { level: "graceful" }],
      ["cancel:completed", { level: "graceful" }],
    ]);

    const idle = world([tool()]);
    await idle.host.close();
    expect(idle.events).toEqual([]);
  });

  test("a token that was given to calls does not keep their closed host in memory", async () => {
    const cancellation = createCancellation();
    const listeners: unknown[] = [];
    const given: CallContext = {
      cancellation: {
        ...bound(cancellation),
        onChange: (listener) => {
          const undo = cancellation.onChange(listener);
          listeners.push(listener);
          return () => (listeners.splice(listeners.indexOf(listener), 1), undo());
        },
      },
    };
    const { host } = world([tool(async () => data(null))]);

    await Promise.all([1, 2, 3].map(() => host.call({ name: "probe" }, given)));

    expect(listeners).toEqual([]);
  });
});

/** The methods of a token as those of a plain object, with its state as of now. */
function bound(token: ReturnType<typeof createCancellation>) {
  return {
    state: token.state,
    isCancelled: false,
    isGraceful: false,
    isImmediate: false,
    signal: token.signal,
    runningTools: token.runningTools,
    runningToolNames: token.runningToolNames,
    requestGraceful: () => token.requestGraceful(),
    requestImmediate: () => token.requestImmediate(),
    reset: () => token.reset(),
    registerToolStart: (id: string, name: string) => token.registerToolStart(id, name),
    registerToolComplete: (id: string) => token.registerToolComplete(id),
    registerChild: (child: typeof token) => token.registerChild(child),
    unregisterChild: (child: typeof token) => token.unregisterChild(child),
    onCancel: (callback: () => unknown) => token.onCancel(callback),
    triggerCallbacks: () => token.triggerCallbacks(),
  };
}

import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createHost, data, failure, ToolInterrupt, type Host } from "../../src/index.ts";
import { callChannelName, type CallTrace } from "@toolmount/core/tracing";
import { tool } from "../world.ts";

const channel = tracingChannel<unknown, CallTrace>(callChannelName);

/** Records the messages of the channel about one host, each as it was at that moment. */
function listen(host: Host): [moment: string, message: CallTrace, live: CallTrace][] {
  const heard: [string, CallTrace, CallTrace][] = [];
  const hostId = host.coordinator.getCapability("host.id");
  const note = (moment: string) => (message: unknown) => {
    const trace = message as CallTrace;
    if (trace.hostId === hostId) heard.push([moment, { ...trace }, trace]);
  };
  const handlers = {
    start: note("start"),
    end: note("end"),
    asyncStart: note("asyncStart"),
    asyncEnd: note("asyncEnd"),
    error: note("error"),
  };
  channel.subscribe(handlers);
  onTestFinished(() => channel.unsubscribe(handlers));
  return heard;
}

function hostOf(...tools: readonly { readonly name: string }[]): Host {
  const host = createHost();
  for (const one of tools) host.coordinator.mount("tools", one);
  return host;
}

describe("the tracing channel of calls", () => {
  test.each([
    ["synchronously", tool(() => data(7))],
    ["later", tool(async () => (await Promise.resolve(), data(7)))],
  ])(
    "reports a call that ends %s in the order of an asynchronous function, in one object",
    async (_, probe) => {
      const host = hostOf(probe);
      const heard = listen(host);

      const outcome = await host.call(
        { id: "c", name: "probe", arguments: { a: 1 } },
        { sessionId: "s", userId: "u" },
      );

      expect(heard.map(([moment]) => moment)).toEqual(["start", "end", "asyncStart", "asyncEnd"]);
      expect(new Set(heard.map(([, , live]) => live)).size).toBe(1);
      expect(heard[0]![1]).toEqual({
        hostId: host.coordinator.getCapability("host.id"),
        runId: outcome.runId,
        callId: "c",
        tool: "probe",
        depth: 0,
        resumed: false,
        sessionId: "s",
        userId: "u",
        traceparent: undefined,
      });
      expect(heard[3]![1]).toMatchObject({
        status: "ok",
        arguments: { a: 1 },
        result: outcome.result,
        durationMs: outcome.durationMs,
        info: { name: "probe" },
      });
    },
  );

  test("reports the end of the synchronous part while the call still waits for its tool", async () => {
    const gate = Promise.withResolvers<void>();
    const host = hostOf(tool(async () => (await gate.promise, data(7))));
    const heard = listen(host);
    const moments = () => heard.map(([moment]) => moment);

    const call = host.call({ name: "probe" });
    expect(moments()).toEqual(["start", "end"]);
    gate.resolve();
    await call;
    expect(moments()).toEqual(["start", "end", "asyncStart", "asyncEnd"]);
  });

  test("reports the arguments as the schema parsed them, and of a call that is not valid as they were given", async () => {
    const schema = z.strictObject({ lines: z.int().default(20) });
    const host = hostOf(tool((params) => data(params), { schema }));
    const heard = listen(host);

    await host.call({ name: "probe", arguments: {} });
    await host.call({ name: "probe", arguments: { lines: "all" } });

    const ends = heard.filter(([moment]) => moment === "asyncEnd").map(([, message]) => message);
    expect(ends.map((end) => end.arguments)).toEqual([{ lines: 20 }, { lines: "all" }]);
  });

  test("reports an error before the end, with code and phase", async () => {
    const host = hostOf(tool(() => failure("no such city", { code: "CITY_UNKNOWN" })));
    const heard = listen(host);

    await host.call({ name: "probe" });
    await host.call({ name: "prob" });

    expect(heard.map(([moment]) => moment)).toEqual(
      Array.from({ length: 2 }, () => ["start", "end", "error", "asyncStart", "asyncEnd"]).flat(),
    );
    expect(heard[2]![1]).toMatchObject({
      status: "failed",
      phase: "shape",
      error: { code: "CITY_UNKNOWN", message: "no such city" },
    });
    expect(heard[7]![1]).toMatchObject({
      status: "not_found",
      phase: "find",
      error: { code: "TOOL_NOT_FOUND" },
    });
  });

  test("reports an interrupt with the thrown value", async () => {
    const interrupt = new ToolInterrupt({ question: "?" });
    const host = hostOf(
      tool(() => {
        throw interrupt;
      }),
    );
    const heard = listen(host);

    await expect(host.call({ name: "probe" })).rejects.toBe(interrupt);

    expect(heard.find(([moment]) => moment === "error")![1].error).toMatchObject({
      code: "INTERRUPTED",
      thrown: interrupt,
    });
  });

  test("the tool and its nested calls see the traceparent that a listener sets", async () => {
    const seen: unknown[] = [];
    const inner = tool((_, { traceparent }) => (seen.push(traceparent), data(null)), { name: "inner" });
    const outer = tool(
      async (_, context) => {
        seen.push(context.traceparent);
        await context.call({ name: "inner" });
        return data(null);
      },
      { name: "outer" },
    );
    const host = hostOf(inner, outer);
    const heard: CallTrace[] = [];
    const begun = (message: unknown) => {
      const trace = message as CallTrace;
      heard.push({ ...trace });
      trace.traceparent = `00-${"a".repeat(32)}-${String(heard.length).repeat(16)}-01`;
    };
    channel.start.subscribe(begun);
    onTestFinished(() => {
      channel.start.unsubscribe(begun);
    });

    const { runId } = await host.call({ name: "outer" }, { traceparent: "from outside" });

    expect(heard).toMatchObject([
      { tool: "outer", traceparent: "from outside", depth: 0 },
      {
        tool: "inner",
        traceparent: `00-${"a".repeat(32)}-${"1".repeat(16)}-01`,
        depth: 1,
        parentRunId: runId,
      },
    ]);
    expect(seen).toEqual([1, 2].map((at) => `00-${"a".repeat(32)}-${String(at).repeat(16)}-01`));
  });

  test("a store bound to the start is available in the tool", async () => {
    const store = new AsyncLocalStorage<unknown>();
    let seen: unknown;
    const host = hostOf(tool(async () => (await Promise.resolve(), (seen = store.getStore()), data(null))));
    const runIdOf = (message: unknown) => (message as CallTrace).runId;
    channel.start.bindStore(store, runIdOf);
    onTestFinished(() => {
      channel.start.unbindStore(store);
    });

    const { runId } = await host.call({ name: "probe" });

    expect([seen, store.getStore()]).toEqual([runId, undefined]);
  });

  test("a listener that subscribes during a call hears nothing of that call", async () => {
    let go!: () => void;
    const host = hostOf(tool(() => new Promise((resolve) => (go = () => resolve(data(null))))));
    const call = host.call({ name: "probe" });
    const heard = listen(host);
    go();
    await call;

    expect(heard).toEqual([]);
  });
});

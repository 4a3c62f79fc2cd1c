import { describe, expect, test } from "vitest";
import { createHost, data, type Clock, type Progress, type ToolContext } from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world, type Where } from "../world.ts";

/** Reports fifty times, every 90 ms, and never ends. It has a second. */
function ticking(clock: Clock, definition: { readonly maxTimeout?: number } = {}) {
  return tool(
    (_, context) => {
      const tick = (at: number) =>
        clock.setTimer(() => {
          context.progress({ progress: at });
          if (at < 50) tick(at + 1);
        }, 90);
      tick(1);
      return new Promise(() => {});
    },
    { timeout: 1_000, ...definition },
  );
}

describe("progress that a tool reports", () => {
  test("reaches the caller and observers, with the ids of its run", async () => {
    const { host, events } = world([
      tool((_, context) => {
        context.progress({ progress: 1, total: 2, message: "half" });
        return data(null);
      }),
    ]);
    const heard: Progress[] = [];

    const { runId } = await host.call({ id: "c", name: "probe" }, { onProgress: (one) => heard.push(one) });

    expect(heard).toEqual([{ progress: 1, total: 2, message: "half" }]);
    expect(events.find(({ event }) => event === "tool:progress")!.data).toEqual({
      tool_name: "probe",
      tool_call_id: "c",
      run_id: runId,
      progress: 1,
      total: 2,
      message: "half",
      timestamp: expect.stringMatching(/Z$/),
    });
  });

  test.each<Where>(["inline", "cloned"])(
    "a million reports reach the caller and observers as a hundred and the newest (%s)",
    async (where) => {
      const flood = tool((_, context) => {
        for (let at = 1; at <= 1_000_000; at++) context.progress({ progress: at });
        return data("done");
      });
      const { host, events } = world([flood], { clock: createFakeClock() }, where);
      const heard: number[] = [];

      await host.call({ name: "probe" }, { onProgress: ({ progress }) => heard.push(progress) });

      expect(heard).toEqual([...Array.from({ length: 100 }, (_, at) => at + 1), 1_000_000]);
      expect(events.filter(({ event }) => event === "tool:progress")).toHaveLength(101);
    },
  );

  test("after a hundred reports the newest one comes after each pause, also when the tool then is silent", async () => {
    const clock = createFakeClock();
    const silent = tool((_, context) => {
      for (let at = 1; at <= 200; at++) context.progress({ progress: at });
      return new Promise((resolve) => clock.setTimer(() => resolve(data("done")), 1_000));
    });
    const { host } = world([silent], { clock });
    const heard: number[] = [];
    const call = host.call({ name: "probe" }, { onProgress: ({ progress }) => heard.push(progress) });

    await clock.advance(60);
    expect(heard.slice(-2)).toEqual([100, 200]);

    await clock.advance(1_000);
    expect((await call).status).toBe("ok");
    expect(heard).toHaveLength(101);
  });

  test("C26: does not restart the deadline", async () => {
    const clock = createFakeClock();
    const { host } = world([ticking(clock)], { clock });
    const heard: number[] = [];
    const call = host.call({ name: "probe" }, { onProgress: ({ progress }) => heard.push(progress) });
    await clock.advance(5_000);

    expect(await call).toMatchObject({ status: "timed_out", durationMs: 1_020 });
    expect(heard).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test.each([
    ["restarts the deadline of a tool that says so", { maxTimeout: 4_000 }, {}, 4_000],
    ["does not, where the plan sets the timeout", { maxTimeout: 4_000 }, { timeoutMs: 1_000 }, 1_000],
    ["restarts it for as long as it comes", { maxTimeout: 60_000 }, {}, 5_490],
  ])("%s", async (_, definition, limits, ended) => {
    const clock = createFakeClock();
    const host = createHost({ clock });
    const draft = host.draft();
    draft
      .addModule({ id: "m", shapeTool: () => ({ limits }) })
      .coordinator.mount("tools", ticking(clock, definition));
    await draft.commit();
    const call = host.call({ name: "probe" });
    for (let at = 0; at < 8_000; at += 10) await clock.advance(10);

    const { status, durationMs } = await call;
    expect(status).toBe("timed_out");
    expect(durationMs).toBeGreaterThanOrEqual(ended);
    expect(durationMs).toBeLessThan(ended + 100);
  });

  test("C5: neither saves a call that was cancelled nor ends its grace", async () => {
    const clock = createFakeClock();
    const { host } = world(
      [
        tool((_, context) => {
          context.abortSignal.addEventListener("abort", () => context.progress({ progress: 1 }));
          return new Promise(() => {});
        }),
      ],
      { clock },
    );
    const caller = new AbortController();
    const call = host.call({ name: "probe" }, { abortSignal: caller.signal });
    caller.abort();
    await clock.advance(19);
    expect(host.cancellation.runningToolNames).toEqual(["probe"]);
    await clock.advance(1);

    expect(await call).toMatchObject({ status: "cancelled" });
  });

  test("is ignored after the call has ended, abandoned or not", async () => {
    const clock = createFakeClock();
    const late: ToolContext[] = [];
    const keep = (_: unknown, context: ToolContext) => (late.push(context), data(null));
    const hang = (_: unknown, context: ToolContext) => (late.push(context), new Promise(() => {}));
    const { host, events } = world([tool(keep), tool(hang, { name: "hang", timeout: 10 })], { clock });
    const heard: Progress[] = [];
    const onProgress = (one: Progress) => void heard.push(one);
    await host.call({ name: "probe" }, { onProgress });
    const hanging = host.call({ name: "hang" }, { onProgress });
    await clock.advance(100);
    await hanging;

    for (const context of late) context.progress({ progress: 1 });

    expect(heard).toEqual([]);
    expect(events.filter(({ event }) => event === "tool:progress")).toEqual([]);
  });

  test("of a nested call is not reported to the caller", async () => {
    const inner = tool((_, context) => (context.progress({ progress: 9 }), data(null)), { name: "inner" });
    const outer = tool(
      async (_, context) => {
        context.progress({ progress: 1 });
        await context.call({ name: "inner" });
        return data(null);
      },
      { name: "outer" },
    );
    const { host, events } = world([inner, outer]);
    const heard: number[] = [];

    const { runId } = await host.call(
      { name: "outer" },
      { onProgress: ({ progress }) => heard.push(progress) },
    );

    expect(heard).toEqual([1]);
    const emitted = events
      .filter(({ event }) => event === "tool:progress")
      .map(({ data: payload }) => payload);
    expect(emitted).toMatchObject([
      { run_id: runId, progress: 1 },
      { tool_name: "inner", progress: 9 },
    ]);
  });

  test("neither a listener that throws nor an invalid value fails the tool", async () => {
    const warned: string[] = [];
    const quiet = { trace() {}, debug() {}, info() {}, error() {} };
    const logger = {
      ...quiet,
      warn: (_: object, text?: string) => void warned.push(text ?? ""),
      child: () => logger,
    };
    const { host, events } = world(
      [
        tool((_, context) => {
          context.progress({ progress: 1, run_id: "forged", tool_name: "forged" } as Progress);
          for (const junk of [null, 7, {}, { progress: "1" }, { progress: Number.NaN }])
            context.progress(junk as Progress);
          return data("done");
        }),
      ],
      { logger },
    );
    const onProgress = () => {
      throw new Error("not interested");
    };

    const outcome = await host.call({ name: "probe" }, { onProgress });

    expect(outcome).toMatchObject({ status: "ok", result: { data: "done" } });
    expect(
      events.filter(({ event }) => event === "tool:progress").map(({ data: payload }) => payload),
    ).toMatchObject([{ run_id: outcome.runId, tool_name: "probe", progress: 1 }]);
    expect(warned).toEqual([
      "the caller's onProgress failed",
      ...Array<string>(5).fill("a tool reported progress that is not a number"),
    ]);
  });
});

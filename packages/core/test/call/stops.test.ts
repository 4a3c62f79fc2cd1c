import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createCancellation, data, failure, RunnerFailure, type HostOptions } from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

describe("a call cannot run now", () => {
  test("where too many wait in the queue", async () => {
    let finish = () => {};
    const until = new Promise<void>((resolve) => (finish = resolve));
    const { host } = world([tool(() => until.then(() => data(1)))], { limits: { concurrent: 1, queued: 1 } });
    const running = [host.call({ name: "probe" }), host.call({ name: "probe" })];
    const { status, result } = await host.call({ name: "probe" });
    finish();

    expect([status, result.error]).toEqual([
      "failed",
      '"probe" cannot run now: 1 calls already wait in the queue',
    ]);
    expect((await Promise.all(running)).map((one) => one.status)).toEqual(["ok", "ok"]);
  });

  test("where it runs at the client and cannot wait", async () => {
    const { host } = world([tool(undefined, { execution: "client" })]);

    expect((await host.call({ name: "probe" })).result.error).toBe(
      '"probe" cannot run now: it runs at the client, and this host has no store in which it can wait',
    );
  });

  test("where too many abandoned calls of it still run", async () => {
    const clock = createFakeClock();
    const { host } = world([tool(() => new Promise(() => {}), { timeout: 10 })], {
      clock,
      limits: { abandoned: 1, graceMs: 5 },
    });
    const first = host.call({ name: "probe" });
    await clock.advance(20);

    expect((await first).result).toMatchObject({
      code: "TIMED_OUT",
      error: '"probe" ran longer than 10 ms and was stopped',
    });
    expect((await host.call({ name: "probe" })).result.error).toBe(
      '"probe" cannot run now: 1 abandoned calls of it still run',
    );
  });

  test("where its caller does not release it", async () => {
    let ran = 0;
    const { host } = world([tool(() => data(++ran))]);
    const onAllowed = () => Promise.reject(new Error("gone"));

    expect(await host.call({ name: "probe" }, { onAllowed })).toMatchObject({
      status: "cancelled",
      result: { code: "CANCELLED", error: "Request was cancelled" },
    });
    expect(ran).toBe(0);
  });
});

describe("a call that was stopped while its tool ran", () => {
  const stopped = async (answer: () => unknown, immediate: boolean) => {
    const clock = createFakeClock();
    const cancellation = createCancellation();
    const abort = new AbortController();
    const { host } = world(
      [
        tool(async () => {
          await clock.advance(7);
          if (immediate) cancellation.requestImmediate();
          else abort.abort();
          return answer();
        }),
      ],
      { clock },
    );
    const outcome = await host.call({ name: "probe" }, { cancellation, abortSignal: abort.signal });
    return { status: outcome.status, result: outcome.result, cancelled: outcome.cancelled };
  };

  test.each([true, false])("and still succeeded says so beside its data (%s)", async (immediate) => {
    const { status, result, cancelled } = await stopped(() => data(1), immediate);

    expect([status, result.data]).toEqual(["ok", 1]);
    expect(cancelled).toEqual({ reason: "Request was cancelled", elapsedMs: 7 });
  });

  test("and failed keeps its details; a token is named in them", async () => {
    const answer = () => failure("half done", { details: { at: 3 } });

    expect(await stopped(answer, true)).toMatchObject({
      status: "cancelled",
      result: {
        code: "CANCELLED",
        error: "Request was cancelled",
        details: { at: 3, cancelled: true, error: "half done" },
      },
    });
    const { result } = await stopped(answer, false);
    expect(result.details).toEqual({ at: 3, error: "half done" });
  });
});

describe("data that do not fit the output schema", () => {
  const outputSchema = z.object({
    a: z.string(),
    b: z.string(),
    c: z.string(),
    d: z.string(),
    e: z.string(),
    f: z.string(),
  });
  const called = async (outputCheck: HostOptions["outputCheck"], schema: unknown = outputSchema) => {
    const { host } = world([tool(() => data({ a: 1 }), { outputSchema: schema as never })], { outputCheck });
    return host.call({ name: "probe" });
  };
  const problem =
    'the result of "probe" does not match its output schema: a must be a string, not a number; b is required; c is required; d is required; e is required';

  test("fail the call, are a warning, or are not checked, as the host says", async () => {
    for (const check of [undefined, "strict"] as const)
      expect((await called(check)).result).toMatchObject({ code: "OUTPUT_INVALID", error: problem });
    expect((await called("warn")).result).toMatchObject({ data: { a: 1 }, warnings: [problem] });
    const { status, result } = await called("off");
    expect([status, result.warnings]).toEqual(["ok", undefined]);
  });

  test("fail the call with the words of a check that rejects", async () => {
    const rejecting = z.looseObject({ a: z.number() }).refine(() => Promise.reject(new Error("no disk")));

    expect((await called("strict", rejecting)).result.error).toBe(
      'the result of "probe" does not match its output schema: no disk',
    );
  });
});

test("only a runner may end a call in the host's words", async () => {
  const thrown = new RunnerFailure("OUTCOME_UNKNOWN", "its process is gone", {
    status: "unknown",
    details: { password: "hunter2" },
  });
  const throwing = () => {
    throw thrown;
  };
  const inside = world([tool(throwing)]);
  const outside = world([tool()], { runner: { run: async () => throwing() } });

  expect(await inside.host.call({ name: "probe" })).toMatchObject({
    status: "failed",
    result: { code: "TOOL_FAILED", error: "probe failed" },
  });
  expect(await outside.host.call({ name: "probe" })).toMatchObject({
    status: "unknown",
    result: { code: "OUTCOME_UNKNOWN", error: "its process is gone", details: { password: "[masked]" } },
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostOptions, ToolOutcome } from "@toolmount/core";
import { world, type World } from "./world.ts";

/** Acts of the probe whose outcome must not depend on where it runs. */
const acts = [
  "data",
  "nothing",
  "content",
  "failure",
  "may have run",
  "throw",
  "reject",
  "tool error",
  "throw null",
  "throw undefined",
  "throw 0",
  "throw text",
  "throw object",
  "throw symbol",
  "return nothing",
  "return text",
  "return list",
  "return empty",
  "return both",
  "return success",
  "return stray",
  "return date",
  "return NaN",
  "return bigint",
  "return class",
  "return deep",
  "host code",
  "whole result",
  "context",
  "nested call",
  "endless nesting",
  "progress",
];

/** A process may take long to start on a busy machine, and a stopped call waits for its tool. */
const limits = { depth: 2, timeoutMs: 900_000, graceMs: 20_000 };

/** Whether a tool that blocks its process can be stopped: not where the process is the test's own. */
interface Place {
  readonly stopsBlocked: boolean;
}

const stops = [
  { act: "stop well", outcome: { status: "ok", result: { data: { done: "half" } } } },
  { act: "stop badly", outcome: { status: "cancelled", result: { code: "CANCELLED" } } },
  { act: "never stop", outcome: { status: "cancelled", result: { code: "CANCELLED" } } },
];

const blockedStops = [
  { act: "block", outcome: { status: "cancelled", result: { code: "CANCELLED" } } },
  { act: "block in a syscall", outcome: { status: "cancelled", result: { code: "CANCELLED" } } },
];

/** The contract of calls, for tools that run elsewhere: every outcome is that of the host's own process. */
export function describeContract(
  title: string,
  open: (options: HostOptions) => Promise<World>,
  { stopsBlocked }: Place = { stopsBlocked: true },
): void {
  describe(title, () => {
    let near: World;
    let far: World;
    beforeAll(async () => {
      near = await world(null, { limits });
      far = await open({ limits });
    });
    afterAll(async () => {
      await near[Symbol.asyncDispose]();
      await far[Symbol.asyncDispose]();
    });

    test.each(acts)("ends as in the host's own process: %s", async (act) => {
      const context = { sessionId: "s", userId: "u" };

      const [expected, outcome] = [
        await near.act(act, undefined, context),
        await far.act(act, undefined, context),
      ];

      expect(facts(outcome)).toEqual(facts(expected));
    });

    test("cycles in data break the contract", async () => {
      expect(await far.act("return cycle")).toMatchObject({
        status: "unknown",
        result: { code: "CONTRACT_VIOLATION" },
      });
    });

    test("progress is reported in order", async () => {
      const reports: unknown[] = [];
      await far.act("progress", undefined, { onProgress: (progress) => reports.push(progress) });
      expect(reports).toEqual([1, 2, 3].map((at) => ({ progress: at, total: 3, message: `step ${at}` })));
    });

    test("calls of one session share state, calls of another do not see it", async () => {
      const context = { sessionId: "counting" };
      expect((await far.act("count", undefined, context)).result.data).toBe(1);
      expect((await far.act("count", undefined, context)).result.data).toBe(2);
      expect((await far.act("count", undefined, { sessionId: "other" })).result.data).toBe(1);
      expect((await far.act("forget", undefined, context)).result.data).toBe(true);
      expect((await far.act("count", undefined, context)).result.data).toBe(1);
    });

    test("a long text is cut, and the whole can be paged", async () => {
      const { result } = await far.act("large text");
      expect(far.host.output(result.truncated!.ref).total).toBe(1_000_000);
    });

    test("an interrupt reaches the caller", async () => {
      await expect(far.act("interrupt")).rejects.toMatchObject({ value: { ask: "sure?" } });
    });

    test.each(stopsBlocked ? [...stops, ...blockedStops] : stops)(
      "cancelled while it runs: $act",
      async ({ act, outcome }) => {
        const controller = new AbortController();
        const onProgress = () => controller.abort();
        expect(await far.act(act, undefined, { abortSignal: controller.signal, onProgress })).toMatchObject(
          outcome,
        );
        const { status, result } = await far.act("data");
        expect([status, result.data]).toEqual(["ok", { sum: 3 }]);
      },
    );
  });
}

/** An outcome without what differs from call to call. */
function facts({ status, result, cancelled }: ToolOutcome): object {
  const { fetchedAt: _, ...rest } = result;
  return { status, result: rest, cancelled };
}

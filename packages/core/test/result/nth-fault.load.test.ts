import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createHost,
  createRunnerContext,
  data,
  failure,
  silentLogger,
  systemClock,
  type Clock,
  type EventData,
  type Host,
  type Logger,
  type Runner,
  type ToolOutcome,
} from "../../src/index.ts";
import { tool } from "../world.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => void process.on("unhandledRejection", note).on("uncaughtException", note));
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note).off("uncaughtException", note);
  expect(unhandled.splice(0)).toEqual([]);
});

/** Makes the n-th use of one seam throw, and only that. */
class Sabotage {
  used = 0;
  armed = false;
  readonly seam: string;
  readonly nth: number;

  constructor(seam: string, nth: number) {
    this.seam = seam;
    this.nth = nth;
  }

  at(seam: string): void {
    if (this.armed && seam === this.seam && ++this.used === this.nth) throw new Error("sabotage");
  }
}

const seams = [
  "clock",
  "timer",
  "runner",
  "gate",
  "late gate",
  "observer",
  "approver",
  "logger",
  "progress",
  "provider",
] as const;

function sabotagedHost(sabotage: Sabotage): { host: Host; ends: Map<unknown, number> } {
  const clock: Clock = {
    now: () => (sabotage.at("clock"), systemClock.now()),
    setTimer: (callback, ms) => (sabotage.at("timer"), systemClock.setTimer(callback, ms)),
  };
  const say = () => sabotage.at("logger");
  const logger: Logger = { trace: say, debug: say, info: say, warn: say, error: say, child: () => logger };
  const ends = new Map<unknown, number>();
  const host = createHost({
    clock,
    logger,
    limits: { graceMs: 2, outputBytes: 2_000 },
    approver: async () => (sabotage.at("approver"), { decision: "approve" as const }),
  });
  const { coordinator } = host;
  coordinator.hooks.observe("*", (event: string, payload: EventData) => {
    if (event === "tool:post" || event === "tool:error")
      ends.set(payload["run_id"], (ends.get(payload["run_id"]) ?? 0) + 1);
  });
  coordinator.hooks.observe("*", () => sabotage.at("observer"));
  for (const event of ["tool:pre", "tool:post", "tool:error"]) {
    coordinator.hooks.gate(event, () => sabotage.at("gate"));
    coordinator.hooks.gate(event, async () => {
      await Promise.resolve();
      sabotage.at("late gate");
    });
  }
  coordinator.provide("client", () => (sabotage.at("provider"), "client"));
  mountTools(host, sabotage);
  return { host, ends };
}

function mountTools(host: Host, sabotage: Sabotage): void {
  const { coordinator } = host;
  const runner: Runner = {
    async run(job, control) {
      sabotage.at("runner");
      const context = createRunnerContext(job.info, {
        ...control,
        abortSignal: control.signal,
        logger: silentLogger,
      });
      return control.definition.execute(job.arguments, context);
    },
  };
  coordinator.mount("runners", runner, { name: "far" });
  coordinator.mount(
    "tools",
    tool(
      () => {
        throw new Error("inside");
      },
      { name: "throws" },
    ),
  );
  const draft = host.draft();
  const far = draft.addModule({ id: "far", shapeTool: () => ({ runner: "far" }) });
  far.coordinator.mount(
    "tools",
    tool(() => data("far"), { name: "far" }),
  );
  void draft.commit();
  coordinator.mount(
    "tools",
    tool((_, { client }) => data({ client: String(client) }), { name: "plain" }),
  );
  coordinator.mount(
    "tools",
    tool(() => failure("no"), { name: "fails" }),
  );
  coordinator.mount(
    "tools",
    tool(() => data("done"), { name: "asks", requiresConfirmation: true }),
  );
  coordinator.mount(
    "tools",
    tool(() => data("x".repeat(9_000)), { name: "large" }),
  );
  coordinator.mount(
    "tools",
    tool(() => new Promise(() => {}), { name: "hangs", timeout: 3 }),
  );
  coordinator.mount(
    "tools",
    tool(
      async (_, { call, progress }) => (
        progress({ progress: 1 }),
        data((await call({ name: "plain" })).status)
      ),
      { name: "nests" },
    ),
  );
}

const names = ["plain", "fails", "asks", "large", "hangs", "nests", "far", "throws", "nothing"];

function callAll(host: Host, sabotage: Sabotage): Promise<ToolOutcome[]> {
  return Promise.all(
    names.map((name, at) =>
      host.call(
        { id: `c${at}`, name, arguments: "{}" },
        { sessionId: "s", onProgress: () => sabotage.at("progress") },
      ),
    ),
  );
}

describe("a sweep of faults: any use of a boundary can fail", () => {
  test.each(seams)(
    "of the %s: every call has one outcome and one terminal event, and the next calls run",
    async (seam) => {
      let reached = 0;
      for (let nth = 1; nth <= 60; nth++) {
        const sabotage = new Sabotage(seam, nth);
        const { host, ends } = sabotagedHost(sabotage);
        sabotage.armed = true;
        const outcomes = await callAll(host, sabotage);
        sabotage.armed = false;

        expect(outcomes.map(({ callId }) => callId)).toEqual(names.map((_, at) => `c${at}`));
        for (const { runId, result, status, durationMs } of outcomes) {
          expect((result.error === undefined) === (status === "ok")).toBe(true);
          expect(JSON.stringify(result)).not.toContain("sabotage");
          expect(ends.get(runId) ?? 0).toBe(result.code === "INTERNAL" && !ends.has(runId) ? 0 : 1);
          expect(durationMs).toBeGreaterThanOrEqual(0);
        }
        expect((await host.call({ name: "plain" })).status).toBe("ok");
        expect((await host.close()).failures).toEqual([]);
        if (sabotage.used < nth) break;
        reached = nth;
      }
      // The sweep meant something: the seam was used, and failed, at least once.
      expect(reached).toBeGreaterThan(0);
    },
  );
});

test.each<[string, unknown]>([
  ["null", null],
  ["undefined", undefined],
  ["a number", 7],
  ["a text", "read_file"],
  ["an empty object", {}],
  ["a list", []],
  ["an object without a name", { name: null }],
  [
    "an object whose getter throws",
    {
      get name() {
        throw new Error("sabotage");
      },
    },
  ],
  [
    "an object whose every getter throws",
    new Proxy(
      {},
      {
        get() {
          throw new Error("sabotage");
        },
      },
    ),
  ],
])("an invalid request, %s, has an outcome too", async (_, request) => {
  const outcome = await createHost().call(request as never);

  expect(outcome.result.error).toBeDefined();
  expect(JSON.stringify(outcome)).not.toContain("sabotage");
});

test("when an output cannot be kept, its call fails as the host's fault, and the next one runs", async () => {
  const { randomBytes } = crypto;
  const host = createHost({ limits: { outputBytes: 2_000 } });
  host.coordinator.mount(
    "tools",
    tool(() => data("x".repeat(9_000)), { name: "large" }),
  );
  for (let nth = 1; nth <= 3; nth++) {
    let used = 0;
    crypto.randomBytes = (size: number) => {
      if (++used === nth) throw new Error("sabotage");
      return randomBytes(size);
    };
    syncBuiltinESMExports();
    try {
      const outcomes = [];
      for (let at = 1; at <= 3; at++) outcomes.push(await host.call({ name: "large" }));

      expect(outcomes.map(({ result }) => result.code)).toEqual(
        [1, 2, 3].map((at) => (at === nth ? "INTERNAL" : undefined)),
      );
      expect(JSON.stringify(outcomes)).not.toContain("sabotage");
    } finally {
      crypto.randomBytes = randomBytes;
      syncBuiltinESMExports();
    }
  }
});

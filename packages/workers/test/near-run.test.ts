import { RunnerFailure, ToolError, type RunnerControl, type RunnerJob } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import type { HostMessage } from "../src/far/messages.ts";
import { NearQuestion } from "../src/process/near-question.ts";
import { createNearRun, serveRun } from "../src/process/near-run.ts";
import { describeEnd } from "../src/process/watch-usage.ts";

const job = {
  runId: "r",
  tool: "own_pay",
  info: { tool: "pay" },
  arguments: { a: 1 },
} as unknown as RunnerJob;

/** The host's side of a call, and what it sends, logs and does for the tool. */
function serve(more: Partial<RunnerControl> = {}) {
  const sent: HostMessage[] = [];
  const seen: unknown[] = [];
  const note =
    (what: string) =>
    (...given: unknown[]) =>
      void seen.push([what, ...given]);
  const levels = ["trace", "debug", "info", "warn", "error"] as const;
  const logger = Object.fromEntries(levels.map((level) => [level, note(level)])) as never;
  const control = {
    progress: note("progress"),
    call: async ({ name }: { name: string }) => {
      if (name === "broken") throw new Error("no such tool");
      return { status: "ok", tool: name };
    },
    session: {
      snapshot: () => ({ kept: 1 }),
      set: (key: string, value: unknown) => {
        if (value === "too large") throw new Error(`${key} is too large`);
        note("set")(key, value);
      },
      delete: note("delete"),
    },
    ...more,
  } as unknown as RunnerControl;
  const run = serveRun(job, control, logger, (message) => sent.push(message));
  return {
    run,
    sent,
    seen,
    control,
    logger,
    receive: (message: object) => run.receive({ runId: "r", ...message } as never),
  };
}
/** Messages that come later than what was asked. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a call is sent with the session's values, and with what the host can do for it", () => {
  const { sent, control, logger } = serve();
  const rehearsals = new WeakSet<object>();
  const rehearsal = {};
  const base = {
    type: "run",
    runId: "r",
    tool: "own_pay",
    info: job.info,
    arguments: { a: 1 },
    state: { kept: 1 },
  };
  const send = (message: HostMessage) => void sent.push(message);
  const previews = { ...job, instead: { preview: true } } as never;
  createNearRun(job, control, logger, send, rehearsals);
  createNearRun(job, { ...control, undoable: async () => {}, provided: ["notes"] }, logger, send, rehearsals);
  createNearRun(previews, { ...control, rehearsal } as never, logger, send, rehearsals);
  createNearRun(previews, { ...control, rehearsal } as never, logger, send, rehearsals);
  createNearRun(previews, control, logger, send, rehearsals);
  createNearRun(job, { ...control, rehearsal } as never, logger, send, rehearsals);
  expect(sent).toEqual([
    { ...base, keeps: false },
    { ...base, keeps: true, withheld: ["notes"] },
    { ...base, keeps: false, instead: { preview: true }, staged: "first" },
    { ...base, keeps: false, instead: { preview: true }, staged: "again" },
    { ...base, keeps: false, instead: { preview: true } },
    { ...base, keeps: false },
  ]);
});

describe("a process reports to the host", () => {
  test("what the tool returned, and what it threw", async () => {
    const { run, receive } = serve();
    receive({ type: "returned", value: { data: 1 } });
    expect(await run.end).toEqual({ data: 1 });

    const other = serve();
    other.receive({ type: "threw", thrown: { kind: "error", name: "ToolError", message: "no", code: "C" } });
    await expect(other.run.end).rejects.toBeInstanceOf(ToolError);
  });

  test("that the tool's own schema refuses the arguments", async () => {
    const { run, receive } = serve();
    receive({ type: "invalid", issues: [{ path: ["a"], message: "is too small" }] });
    const failure = await run.end.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RunnerFailure);
    expect(failure).toMatchObject({
      code: "INVALID_ARGUMENTS",
      status: "invalid",
      message: expect.stringContaining("is too small"),
    });
    expect((failure as RunnerFailure).details).toMatchObject({
      issues: [{ path: "a", message: "is too small" }],
    });
  });

  test("its progress, its logs, and changes of the session", () => {
    const { run, seen, receive } = serve();
    expect(run.isAborting).toBe(false);
    receive({ type: "aborting" });
    expect(run.isAborting).toBe(true);
    receive({ type: "progress", progress: { progress: 1 } });
    receive({ type: "log", level: "warn", fields: { tool: "forged", a: 1 }, message: "m" });
    receive({ type: "log", level: "info", fields: {} });
    expect(receive({ type: "set", key: "k", value: 2 })).toBeUndefined();
    receive({ type: "delete", key: "k" });
    expect(seen).toEqual([
      ["progress", { progress: 1 }],
      ["warn", { tool: "pay", runId: "r", a: 1 }, "m"],
      ["info", { tool: "pay", runId: "r" }, ""],
      ["set", "k", 2],
      ["delete", "k"],
    ]);
  });

  test("calls of the tool, whose outcomes go back", async () => {
    const { sent, receive } = serve();
    receive({ type: "call", id: 1, request: { name: "other" } });
    receive({ type: "call", id: 2, request: { name: "broken" } });
    await settled();
    expect(sent).toEqual([
      { type: "called", id: 1, outcome: { status: "ok", tool: "other" } },
      { type: "call-failed", id: 2, message: "no such tool" },
    ]);
  });

  test("changes that are about to be made, which the host keeps, or says why not", async () => {
    const kept: unknown[] = [];
    const keeping = serve({
      undoable: async (data: unknown) => void kept.push(data),
      irreversible: async () => {
        throw new Error("the store is full");
      },
    });
    keeping.receive({ type: "keep", id: 1, data: { a: 1 } });
    keeping.receive({ type: "keep-irreversible", id: 2, reason: "sent" });
    await settled();
    expect(kept).toEqual([{ a: 1 }]);
    expect(keeping.sent).toEqual([
      { type: "kept", id: 1 },
      { type: "kept", id: 2, problem: "the store is full" },
    ]);
    const other = serve();
    other.receive({ type: "keep", id: 1, data: 1 });
    await settled();
    expect(other.sent).toEqual([{ type: "kept", id: 1, problem: "nothing is kept of this call" }]);
  });
});

test("a value that the session does not take fails the call, also where its process ends later", async () => {
  const { run, receive } = serve();
  const failure = receive({ type: "set", key: "k", value: "too large" });
  expect(failure).toMatchObject({ code: "TOOL_FAILED", message: "k is too large" });
  expect(receive({ type: "set", key: "l", value: "too large" })).toBe(failure);
  run.processEnded("ended by SIGKILL");
  await expect(run.end).rejects.toBe(failure);
});

test("a call and a question whose process ends fail with how it ended", async () => {
  const { run } = serve();
  run.processEnded("ended by SIGTERM");
  await expect(run.end).rejects.toMatchObject({
    code: "TOOL_FAILED",
    message: '"pay" failed: its process ended by SIGTERM',
  });
  const question = new NearQuestion();
  question.processEnded("ended by SIGTERM");
  await expect(question.end).rejects.toThrow(
    expect.objectContaining({ message: "its process ended by SIGTERM" }),
  );
});

test("a question is answered with what the process returned or threw", async () => {
  const [answered, failed] = [new NearQuestion(), new NearQuestion()];
  const message = (more: object) => ({ runId: "question 1", ...more }) as never;
  expect(answered.receive(message({ type: "aborting" }))).toBeUndefined();
  expect([answered.isAborting, failed.isAborting]).toEqual([true, false]);
  answered.receive(message({ type: "progress", progress: { progress: 1 } }));
  answered.receive(message({ type: "returned", value: { action: "deny" } }));
  failed.receive(message({ type: "threw", thrown: { kind: "error", name: "Error", message: "no" } }));
  expect(await answered.end).toEqual({ action: "deny" });
  await expect(failed.end).rejects.toThrow(expect.objectContaining({ message: "no" }));
});

test.each([
  [0, null, undefined, "ended with exit code 0"],
  [null, "SIGTERM", undefined, "ended by SIGTERM"],
  [null, "SIGKILL", undefined, "ended by SIGKILL"],
  [null, "SIGKILL", "it was killed", "ended: it was killed"],
  [1, null, "it was killed", "ended with exit code 1"],
])("the exit code %j, the signal %j and the cause %j are: its process %s", (code, signal, cause, how) => {
  expect(describeEnd(code, signal, cause)).toBe(how);
});

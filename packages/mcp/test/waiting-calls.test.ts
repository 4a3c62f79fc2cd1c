import { expect, test, vi } from "vitest";
import type { Host, ToolOutcome } from "@toolmount/core";
import { answerRetry, answerWaiting, waitAsTask } from "../src/serve/approvals.ts";
import type { ServedSession } from "../src/serve/served-session.ts";
import { CancelledByClient } from "../src/tasks/suspended.ts";
import { followed, waitingCall } from "./waiting-world.ts";

const stillWaits = { progress: 0, message: "waiting for a person to approve" };

/** The session of a call, whose host notes each look at the questions. */
function watch({ approvals }: Host) {
  const looked: unknown[] = [];
  const list = (filter: object) => {
    looked.push(filter);
    return approvals.list(filter);
  };
  const watched = { id: "session", host: { approvals: { list } } } as unknown as ServedSession;
  return { looked, watched };
}

test("a client that opened an address waits for the decision, and reads that it still waits", async () => {
  const { waitingFor, state, progress, decide } = await waitingCall();
  const running = answerRetry({ ...state, asked: "url" }, waitingFor({ elicitation: true }));
  await vi.waitUntil(() => progress.length > 0, 60_000);
  await decide("approve");

  expect((await running).result.data).toEqual({ gone: "a.txt" });
  expect(progress).toEqual([stillWaits]);
});

test.each([
  [251, 2],
  [250, 1],
  [0, 0],
])("a call that is kept open for %i ms looks %i times for its decision", async (waitMs, looks) => {
  const { host, outcome, waitingFor, progress } = await waitingCall();
  const { looked, watched } = watch(host);
  const waiting = { ...waitingFor({ wait: true, waitMs }), served: watched };

  expect(await answerWaiting(outcome, waiting)).toBe(outcome);

  const { callId } = outcome;
  const asked = { sessionId: "session", callId, states: ["pending"] };
  expect(looked).toEqual(Array.from({ length: looks }, () => asked));
  expect(progress).toEqual(looks === 0 ? [] : [stillWaits]);
});

test("a client that leaves does not wait any longer, and its question stays", async () => {
  const { host, outcome, waitingFor, controller, asked } = await waitingCall();
  const { looked, watched } = watch(host);
  const waiting = { ...waitingFor({ wait: true, waitMs: 3_600_000 }), served: watched };
  const running = answerWaiting(outcome, waiting);
  controller.abort();

  expect(await running).toBe(outcome);
  expect(looked).toHaveLength(1);
  expect(await answerWaiting(outcome, waiting)).toBe(outcome);
  expect(looked).toHaveLength(1);
  expect(await asked()).toBe(1);
});

test("a call that is to wait uses neither the wait nor the task of a client that can be asked", async () => {
  const { outcome, waitingFor, asked } = await waitingCall();
  const waiting = waitingFor({ elicitation: true, wait: true }, { elicitation: {} });
  const { notes, done } = followed(() => answerWaiting(outcome, waiting));

  expect(await done).toMatchObject({ resultType: "input_required" });
  expect(notes).toEqual([]);
  expect(await asked()).toBe(1);
});

test.each([
  ["", {}],
  [": https://approvals.test/", { url: () => "https://approvals.test/" }],
])("a call that waits becomes a task, and says where it is decided: '%s'", async (where, approvals) => {
  const { outcome, waitingFor, decide, state } = await waitingCall();
  const { notes, done } = followed(() => answerWaiting(outcome, waitingFor(approvals)));
  await vi.waitUntil(() => notes.length > 0, 60_000);
  await decide("approve");

  expect(await done).toMatchObject({ status: "ok", result: { data: { gone: "a.txt" } } });
  expect(notes).toEqual([[`waiting for a person to approve${where}`, state.ticket]]);
});

test("a question inside the call is not the ticket of its task", async () => {
  const { outcome, waitingFor, decide } = await waitingCall();
  const waiting = waitingFor({});
  const internal = { ...waiting, call: { ...waiting.call, isInternal: true as const } };
  const { notes, done } = followed(() => waitAsTask(outcome, internal));
  await vi.waitUntil(() => notes.length > 0, 60_000);
  await decide("deny");

  expect(await done).toMatchObject({ status: "denied" });
  expect(notes).toEqual([["waiting for a person to approve", undefined]]);
});

test("a client that cancels its task takes the question back, and one that leaves does not", async () => {
  const left = await waitingCall();
  const leaving = followed(() => waitAsTask(left.outcome, left.waitingFor({})));
  left.controller.abort(new Error("it has left"));
  expect(await leaving.done).toBe(left.outcome);
  expect(await left.asked()).toBe(1);

  const cancelled = await waitingCall();
  const cancelling = followed(() => waitAsTask(cancelled.outcome, cancelled.waitingFor({})));
  cancelled.controller.abort(new CancelledByClient("enough"));
  expect(await cancelling.done).toBe(cancelled.outcome);
  const [question] = await cancelled.host.approvals.list({ states: ["approved", "denied", "ended"] });
  expect(question?.decision).toEqual({
    decision: "deny",
    reason: "the client cancelled the task",
    by: "the MCP client",
    at: expect.any(Number),
  });
});

test("a client that cancels a task after the decision changes nothing", async () => {
  const { outcome, waitingFor, controller, decide, host } = await waitingCall();
  await decide("approve");
  controller.abort(new CancelledByClient("enough"));
  expect(await waitAsTask(outcome, waitingFor({}))).toBe(outcome);
  const [question] = await host.approvals.list({ states: ["approved", "denied", "ended"] });
  expect(question?.decision).toMatchObject({ decision: "approve", by: "ada" });
});

test.each<[string, (outcome: ToolOutcome) => object]>([
  ["has ended", () => ({ status: "ok" })],
  ["was stopped", ({ result }) => ({ result: { ...result, code: "INTERRUPTED" } })],
  ["cannot be resumed", () => ({ ticket: undefined })],
  ["waits for its client", ({ result }) => ({ result: { ...result, details: { waitsFor: "client" } } })],
])("a call that %s is no task", async (_, change) => {
  const { outcome, waitingFor } = await waitingCall();
  const other = { ...outcome, ...change(outcome) };
  const { notes, done } = followed(() => waitAsTask(other, waitingFor({})));
  expect(await done).toBe(other);
  expect(notes).toEqual([]);
});

test("a call that waits for its run in another process is resumed when it is no question any more", async () => {
  const { outcome, waitingFor, decide } = await waitingCall();
  await decide("approve");
  const other = { ...outcome, result: { ...outcome.result, details: { waitsFor: "run" } } } as ToolOutcome;
  const { notes, done } = followed(() => waitAsTask(other, waitingFor({ waitMs: 0 })));
  expect(await done).toMatchObject({ status: "ok" });
  expect(notes).toHaveLength(1);
});

test.each(["url", "form"] as const)(
  "the retry of a client (%s) whose call runs elsewhere has the end of that run",
  async (asked) => {
    const { waitingFor, state, outcome, decide } = await waitingCall();
    await decide("approve");
    const waiting = waitingFor({ elicitation: true });
    const { served } = waiting;
    let looks = 0;
    const resume = (...given: Parameters<typeof served.resume>) => {
      const elsewhere = { ...outcome, result: { ...outcome.result, details: { waitsFor: "run" } } };
      return (looks += 1) < 3 ? Promise.resolve(elsewhere as ToolOutcome) : served.resume(...given);
    };
    const watched = { id: served.id, host: served.host, resume } as unknown as ServedSession;
    const answer = await answerRetry({ ...state, asked }, { ...waiting, served: watched });
    expect(answer.result.data).toEqual({ gone: "a.txt" });
  },
);

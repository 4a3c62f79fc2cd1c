import { silentLogger, type Json, type RunnerControl, type RunnerJob } from "@toolmount/core";
import { expect, test } from "vitest";
import { createSeal } from "../../src/fleet/seal.ts";
import { SentCall } from "../../src/fleet/sent-call.ts";
import { notingLogger } from "./ledger.ts";

const seal = createSeal("a key of sixteen characters");

/** A call of a host that ended, which another one adopted after it had acted on three messages of the worker. */
function adopted() {
  const state = new Map<string, Json>();
  const said: Json[] = [];
  const calls: string[] = [];
  const control = {
    session: {
      set: (key: string, value: Json) => state.set(key, value),
      delete: (key: string) => state.delete(key),
    },
    progress: () => expect.fail("progress was reported again"),
    call: ({ name }: { readonly name: string }) => (calls.push(name), Promise.resolve({ status: "ok" })),
  } as unknown as RunnerControl;
  const job = { runId: "new", tool: "effect", info: { tool: "effect" } } as RunnerJob;
  const call = new SentCall(job, control, {
    logger: silentLogger,
    seal,
    say: (runId, message) => void said.push(seal.open(["to worker", runId], message)),
    adopted: { runId: "old", said: 3 },
  });
  const hear = (number: number, message: object) =>
    call.hear({ runId: "old", number, body: seal.close(["to host", "old"], message as Json) });
  return { hear, state, said, calls };
}

test("of what a worker said to a host that ended, the session's values are set again", () => {
  const { hear, state } = adopted();
  hear(1, { type: "set", runId: "old", key: "kept", value: 1 });
  hear(2, { type: "set", runId: "old", key: "gone", value: 2 });
  hear(3, { type: "delete", runId: "old", key: "gone" });

  expect([...state]).toEqual([["kept", 1]]);
});

test("a call that the host which ended may have made is not made again, and its worker hears so", () => {
  const { hear, said, calls } = adopted();
  const ask = (id: number) => ({ type: "call", runId: "old", id, request: { name: "pay", arguments: {} } });
  hear(3, ask(1));
  hear(3, { type: "progress", runId: "old", progress: { progress: 1 } });
  expect(calls).toEqual([]);
  expect(said).toEqual([{ type: "call-failed", id: 1, message: expect.stringContaining("pay") }]);

  hear(4, ask(2));
  expect(calls).toEqual(["pay"]);
});

/** A call of this host, and what its log has. */
function own() {
  const { logger, lines } = notingLogger();
  const progress: unknown[] = [];
  const control = {
    progress: (report: unknown) => void progress.push(report),
    session: {},
  } as unknown as RunnerControl;
  const job = { runId: "r", tool: "effect", info: { tool: "effect" } } as RunnerJob;
  const call = new SentCall(job, control, { logger, seal, say: () => {} });
  const answer = (value: object) =>
    call.finish({ kind: "answered", answer: seal.close(["answer", "r"], value as Json) });
  const hear = (number: number, body: Json) => call.hear({ runId: "r", number, body });
  const signed = (message: object) => seal.close(["to host", "r"], message as Json);
  return { call, answer, hear, signed, lines, progress };
}

test("a call of this host ends as its worker answers", async () => {
  const returned = own();
  expect([returned.call.isAdopted, returned.call.runId, returned.call.tool]).toEqual([false, "r", "effect"]);
  returned.answer({ type: "returned", runId: "r", value: { data: 1 } });
  expect(await returned.call.end).toEqual({ data: 1 });

  const threw = own();
  threw.answer({ type: "threw", runId: "r", thrown: { kind: "error", name: "Error", message: "broken" } });
  await expect(threw.call.end).rejects.toThrow(expect.objectContaining({ message: "broken" }));

  const failed = own();
  const failure = { code: "TIMED_OUT", message: "it was late", status: "timed_out", details: { a: 1 } };
  failed.answer({ type: "failed", ...failure });
  await expect(failed.call.end).rejects.toMatchObject(failure);
});

test("a call whose worker was lost has no known outcome, and one that is withdrawn ends with the reason", async () => {
  const lost = own();
  lost.call.finish({ kind: "lost" });
  await expect(lost.call.end).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN", status: "unknown" });
  expect(lost.lines).toEqual([]);

  const withdrawn = own();
  withdrawn.call.withdrawnBecause = new Error("enough");
  withdrawn.call.finish({ kind: "withdrawn" });
  await expect(withdrawn.call.end).rejects.toThrow(expect.objectContaining({ message: "enough" }));
});

test("an answer that no worker of the fleet signed leaves the outcome unknown, and the log says so", async () => {
  const { call, lines } = own();
  call.finish({ kind: "answered", answer: { type: "returned", runId: "r", value: 1 } });
  await expect(call.end).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
  expect(lines).toEqual([
    ["warn", { err: expect.any(Error), runId: "r" }, "the answer of a worker cannot be read"],
  ]);
});

test("messages of the worker are taken by their numbers, and others are ignored, which the log has", () => {
  const { call, hear, signed, lines, progress } = own();
  hear(2, signed({ type: "progress", runId: "r", progress: { progress: 1 } }));
  expect([call.heard, progress]).toEqual([2, [{ progress: 1 }]]);
  hear(1, signed({ type: "progress", runId: "r", progress: { progress: 2 } }));
  expect([call.heard, progress.length]).toEqual([2, 2]);
  hear(3, { type: "progress", runId: "r", progress: { progress: 3 } });
  hear(4, signed({ type: "returned", runId: "r", value: 1 }));
  hear(5, signed({ type: "threw", runId: "r", thrown: { kind: "value", of: "string", text: "x" } }));
  const line = ["warn", { runId: "r" }, "a worker sent a message that the host does not know"];
  expect([call.heard, progress.length, lines]).toEqual([5, 2, [line, line, line]]);
});

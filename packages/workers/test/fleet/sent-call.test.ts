import { silentLogger, type Json, type RunnerControl, type RunnerJob } from "@toolmount/core";
import { expect, test } from "vitest";
import { createSeal } from "../../src/fleet/seal.ts";
import { SentCall } from "../../src/fleet/sent-call.ts";

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

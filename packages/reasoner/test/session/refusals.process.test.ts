import { data } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { call, response, say, tool, world } from "../support/world.ts";

/** A turn with a call that has run, and two that wait: one for the client, one for a person. */
async function waiting() {
  const made = await world(
    [
      response([call("c1", "look"), call("c2", "pick", { a: 1 }), call("c3", "send")]),
      response([say("done")]),
    ],
    {
      tools: [
        tool("look", () => 1),
        tool("pick", () => data(1), { execution: "client" }),
        tool("send", () => "sent", { requiresConfirmation: true }),
      ],
    },
  );
  const turn = await made.run("go", { userId: "ada" });
  return { ...made, turn };
}

describe("results of a client are refused", () => {
  test.each<[string, readonly object[], string, string]>([
    [
      "with an id twice",
      [
        { callId: "c2", result: 1 },
        { callId: "c2", result: 2 },
      ],
      "pick",
      "its id is given twice",
    ],
    ["of an unknown call", [{ callId: "c9", result: 1 }], "c9", "no call of this turn has this id"],
    ["of a call that has run", [{ callId: "c1", result: 1 }], "look", "the call has its result already"],
    [
      "of a call that waits for a person",
      [{ callId: "c3", result: 1 }],
      "send",
      "the call does not wait for the client",
    ],
    ["with neither", [{ callId: "c2" }], "pick", "give either a result or an error"],
    ["with both", [{ callId: "c2", result: 1, error: "no" }], "pick", "give either a result or an error"],
  ])("%s", async (_, clientResults, name, problem) => {
    const { resume } = await waiting();

    await expect(resume({ userId: "ada", clientResults: clientResults as never })).rejects.toMatchObject({
      code: "CLIENT_RESULT_REFUSED",
      details: { tool: name, problem },
    });
  });
});

describe("a session is in conflict", () => {
  const conflict = (problem: string, session = "ada:s") => ({
    code: "SESSION_CONFLICT",
    details: { session, problem },
  });

  test("with a turn that runs, that waits, or that is not open", async () => {
    const { run, resume, reasoner } = await waiting();
    await expect(run("more", { userId: "ada" })).rejects.toMatchObject(
      conflict(
        "its last turn has not ended; resume it with toolmount sessions resume ada:s, deny what waits with toolmount sessions resume ada:s --reason <text>, or end it with toolmount sessions resume ada:s --cancel",
      ),
    );
    await expect(reasoner.addMessage("ada:s", "more")).rejects.toMatchObject(
      conflict("no turn of it runs in this process; run a new one"),
    );
    await resume({ userId: "ada", cancel: true });
    await expect(resume({ userId: "ada" })).rejects.toMatchObject(conflict("no turn of it is open"));
  });

  test("with one of two that resume it at the same time, and the other keeps its restrictions", async () => {
    let ran = 0;
    const { run, resume } = await world(
      [response([call("c1", "pick")]), response([call("c2", "old")]), response([say("done")])],
      {
        tools: [
          tool("pick", () => 1, { execution: "client" }),
          // It runs when it is called, and no model is offered it.
          tool("old", () => ++ran, { status: "deprecated" }),
        ],
      },
    );
    await run("go");
    const [first, second] = await Promise.allSettled([
      resume({ clientResults: [{ callId: "c1", result: 1 }] }),
      resume(),
    ]);

    expect(first).toMatchObject({ status: "fulfilled", value: { status: "done" } });
    expect(second).toMatchObject({ status: "rejected", reason: conflict("a turn of it is running", "s") });
    expect(ran).toBe(0);
  });
});

test("a paused turn says what waits, for whom, and with which arguments", async () => {
  const { turn, reasoner } = await waiting();

  expect(turn).toMatchObject({ status: "paused", iterations: 1, calls: 3 });
  expect(turn.waiting).toEqual([
    { callId: "c2", tool: "pick", waitsFor: "client", arguments: { a: 1 } },
    { callId: "c3", tool: "send", waitsFor: "approval", arguments: null },
  ]);
  expect(await reasoner.list()).toMatchObject([{ id: "ada:s", status: "open", waits: 2, title: "go" }]);
  expect(await reasoner.owner("ada:s")).toBe("ada");
});

test("the output of a call is read from the log, and a call that has none has null", async () => {
  const { reasoner } = await waiting();

  expect(await reasoner.output("ada:s", "c1")).toEqual({
    type: "function_call_output",
    call_id: "c1",
    output: "1",
  });
  expect(await reasoner.output("ada:s", "c2")).toBeNull();
  expect(await reasoner.output("ada:s", "c9")).toBeNull();
  await expect(reasoner.output("gone", "c1")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
});

test("a session begins, continues and ends with whole events, and its model is that of the plan", async () => {
  const { run, reasoner, heard, host } = await world([response([say("one")]), response([say("two")])]);
  await run("first", { sessionId: "s" });
  await run("second", { sessionId: "s" });
  await reasoner.leave(host, "s");
  const of = (name: string) =>
    heard.flatMap(({ event, data: { timestamp: _, ...given } }) => (event === name ? [given] : []));

  expect(reasoner.model).toBe("m");
  expect(of("session:start")).toEqual([{ session_id: "s" }]);
  expect(of("session:resume")).toEqual([{ session_id: "s" }]);
  expect(of("session:end")).toEqual([{ session_id: "s" }]);
  expect(of("prompt:submit")).toEqual([
    { session_id: "s", prompt: "first" },
    { session_id: "s", prompt: "second" },
  ]);
});

test("a turn that is resumed says which, and without an id a session gets one of its own", async () => {
  const { resume, heard, turn } = await waiting();
  await resume({ userId: "ada", cancel: true });
  const resumed = heard.filter(({ event }) => event === "session:resume");

  expect(resumed.map(({ data: { timestamp: _, ...given } }) => given)).toEqual([
    { session_id: "ada:s", turn_id: turn.turnId },
  ]);
  const { run } = await world([response([say("one")]), response([say("two")])]);
  const [one, other] = [await run("a", { sessionId: undefined }), await run("b", { sessionId: undefined })];
  expect(one.sessionId).toMatch(/^[0-9a-f-]{36}$/);
  expect(other.sessionId).not.toBe(one.sessionId);
});

import {
  createMemoryStore,
  data,
  changedSince,
  type Json,
  type SessionChange,
  type ToolDefinition,
} from "@toolmount/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { call, response, say, tool, world } from "../support/world.ts";

type Notes = Map<string, Json>;

/** A tool that sets a note and can undo that; `order` has what was undone. */
function noteTool(notes: Notes, order: Json[]): ToolDefinition {
  return {
    name: "note",
    description: "Sets a note. Use in tests.",
    schema: z.looseObject({ key: z.string(), value: z.number() }),
    category: "write",
    consequenceLevel: "low",
    requiresConfirmation: false,
    async execute(given, { undoable }) {
      const { key, value } = given as { key: string; value: number };
      await undoable?.({ key, before: notes.get(key) ?? null, after: value });
      notes.set(key, value);
      return data(value);
    },
    undo({ data: kept }) {
      const { key, before, after } = kept as { key: string; before: Json; after: Json };
      if (notes.get(key) !== after) return changedSince("it has another value");
      if (before === null) notes.delete(key);
      else notes.set(key, before);
      order.push(after);
      return data(before);
    },
  };
}

/** The numbers of the session's own changes. */
const numbersOf = (changes: readonly SessionChange[]) =>
  changes.filter(({ sessionId }) => sessionId === undefined).map(({ number }) => number);

/** A session whose turn sets a note, lets an agent and that one's agent set it, and sets it again; then a second turn. */
async function worked() {
  const [notes, order]: [Notes, Json[]] = [new Map(), []];
  const hand = tool(
    "hand",
    async (given, { sessionId, turnId, callId }) => {
      const ids = { parentSessionId: sessionId!, parentTurnId: turnId!, parentCallId: callId };
      await (await all).reasoner.spawn({ instruction: "do it", ...given, ...ids });
      return "done";
    },
    { timeout: 0, tags: ["agents"] },
  );
  const set = (id: string, value: number) => call(id, "note", { key: "a", value });
  const all: ReturnType<typeof world> = world(
    [
      response([set("c1", 1)]),
      response([call("c2", "hand", { agent: "helper" })]),
      response([set("k1", 2)]),
      response([call("k2", "hand", { agent: "helper" })]),
      response([set("g1", 3)]),
      response([say("grandchild")]),
      response([set("k3", 4)]),
      response([say("child")]),
      response([set("c3", 5)]),
      response([say("parent")]),
      response([set("d1", 6)]),
      response([say("second turn")]),
    ],
    {
      store: createMemoryStore(),
      tools: [noteTool(notes, order), hand],
      agents: { helper: { description: "Helps.", tools: ["*"] } },
    },
  );
  const { host, run } = await all;
  const first = await run("go", { sessionId: "s" });
  await run("again", { sessionId: "s" });
  return { notes, order, first, session: host.session("s"), host };
}

test("a session is undone together with the agents that it began, the newest change of all first, each once", async () => {
  const { notes, order, session } = await worked();
  expect((await session.changes()).map(({ sessionId }) => sessionId !== undefined)).toEqual([
    false,
    true,
    true,
    true,
    false,
    false,
  ]);
  const reports = await Promise.all([session.undo(), session.undo()]);
  expect(reports.map(({ stopped }) => stopped)).toEqual([null, null]);
  expect(order).toEqual([6, 5, 4, 3, 2, 1]);
  expect(notes.has("a")).toBe(false);
});

test("a turn is undone with what its agents changed, and a call that began an agent with that one's changes", async () => {
  const { order, session, first } = await worked();
  expect((await session.undo({ turn: first.turnId })).stopped?.outcome.result.code).toBe("CHANGED_SINCE");
  await session.undo({ after: numbersOf(await session.changes())[1] });
  expect((await session.changes({ turn: first.turnId })).map(({ turnId }) => turnId)).toEqual(
    Array.from({ length: 5 }, () => first.turnId),
  );
  expect((await session.changes({ call: "c2" })).map(({ callId }) => callId)).toEqual(["k1", "g1", "k3"]);
  await session.undo({ turn: first.turnId });
  expect(order).toEqual([6, 5, 4, 3, 2, 1]);
});

test("an undo to a number leaves what agents changed before it, and undoes what they changed after it", async () => {
  const { notes, order, session } = await worked();
  const [first, second] = numbersOf(await session.changes());
  await session.undo({ after: second });
  expect([order, notes.get("a")]).toEqual([[6], 5]);
  await session.undo({ after: first });
  expect([order, notes.get("a")]).toEqual([[6, 5, 4, 3, 2], 1]);
});

test("an agent is undone by itself, with the agents that it began, and its parent then has the rest", async () => {
  const { notes, order, session, host } = await worked();
  const changes = await session.changes();
  await session.undo({ call: "c3" });
  expect(order).toEqual([]);
  await session.undo({ after: numbersOf(changes)[1] });
  await session.undo({ call: "c3" });
  const [child] = changes.flatMap(({ sessionId }) => sessionId ?? []);
  expect((await host.session(child!).undo()).undone.map(({ callId }) => callId)).toEqual(["k3", "g1", "k1"]);
  expect((await session.undo()).undone.map(({ callId }) => callId)).toEqual(["c1"]);
  expect([order, notes.size]).toEqual([[6, 5, 4, 3, 2, 1], 0]);
});

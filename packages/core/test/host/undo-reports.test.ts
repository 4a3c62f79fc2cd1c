import { expect, test } from "vitest";
import { createMemoryStore, data, failure, type HostOptions, type Json } from "../../src/index.ts";
import { changesLogOf } from "../../src/sessions.ts";
import { createFakeClock } from "../fake-clock.ts";
import { logged } from "../logged-host.ts";
import { tool, world } from "../world.ts";

const at = Date.parse("2026-01-01T00:00:00.000Z");
const text = expect.any(String) as string;

/** A session whose calls set notes one second after each other. The note "stuck" cannot be undone now. */
function notes(options: HostOptions = {}, undo: () => unknown = () => data(null)) {
  const clock = createFakeClock();
  const store = createMemoryStore();
  const made = world(
    [
      tool(async ({ key }, { undoable }) => (await undoable!(key as Json), data(key)), {
        name: "set_note",
        category: "write",
        control: ["key", "token"],
        undo: ({ data: key }) =>
          key === "stuck" ? failure("it is stuck", { code: "STUCK" }) : (undo() as never),
      }),
      tool(() => data("sent"), { name: "send", category: "side_effect", irreversible: true }),
      tool(
        async (_, { call }) => data((await call({ name: "set_note", arguments: { key: "inner" } })).status),
        {
          name: "outer",
        },
      ),
    ],
    { clock, store, ...options },
  );
  const session = made.host.session("s");
  const call = async (name: string, given: object = {}, context: object = {}, id?: string) => {
    await clock.advance(1_000);
    return session.call({ name, arguments: given as never, ...(id !== undefined && { id }) }, context);
  };
  const entries = async () => (await store.sessions.entries(changesLogOf("s"))).map(({ entry }) => entry);
  return { ...made, session, clock, store, call, entries };
}

test("a session lists whole changes: those of calls of tools, with a turn, and those that cannot be undone", async () => {
  const { session, call } = notes();
  const set = await call("set_note", { key: "a", content: "long", token: "hunter2" }, { turnId: "t" }, "one");
  const outer = await call("outer");
  const sent = await call("send", { to: "ada" });

  expect(await session.changes()).toStrictEqual([
    {
      number: 1,
      at: at + 1_000,
      tool: "set_note",
      callId: "one",
      runId: set.runId,
      turnId: "t",
      arguments: { key: "a", token: "[masked]" },
      isUndone: false,
    },
    {
      number: 2,
      at: at + 2_000,
      tool: "set_note",
      callId: text,
      runId: text,
      parents: [outer.runId],
      arguments: { key: "inner" },
      isUndone: false,
    },
    {
      number: 3,
      at: at + 3_000,
      tool: "send",
      callId: sent.callId,
      runId: sent.runId,
      arguments: { to: "ada" },
      irreversible: 'what "send" does cannot be undone',
      isUndone: false,
    },
  ]);
  expect((await session.changes({ after: 1 })).map(({ number }) => number)).toEqual([2, 3]);
  expect((await session.changes({ turn: "t" })).map(({ number }) => number)).toEqual([1]);
  expect((await session.changes({ call: outer.runId })).map(({ number }) => number)).toEqual([2]);
  expect((await session.changes({ call: "one" })).map(({ number }) => number)).toEqual([1]);
  expect(await session.changes({ call: "none" })).toEqual([]);
});

test("an undo that stops has a whole report: what it undid, where it stopped, and what is left", async () => {
  const { session, call } = notes();
  for (const key of ["a", "stuck", "b", "stuck"]) await call("set_note", { key });
  await call("send");
  const [first, second, third, fourth, fifth] = await session.changes();
  const report = await session.undo({ after: 0 });

  expect(report).toStrictEqual({
    undone: [],
    stopped: {
      change: fourth,
      outcome: {
        callId: text,
        runId: text,
        tool: "set_note",
        status: "failed",
        result: { tool: "set_note", fetchedAt: text, error: "it is stuck", code: "STUCK" },
        durationMs: 0,
        sessionId: "s",
      },
      later: [],
    },
    left: [third, second, first],
    irreversible: [fifth],
    isPartial: false,
  });
  const other = await session.undo({ call: second!.runId });
  expect(other.stopped).toMatchObject({ change: second, later: [fourth] });
  expect([other.left, other.irreversible]).toEqual([[], []]);
  expect(await session.undo({ call: third!.runId })).toStrictEqual({
    undone: [{ ...third, isUndone: true }],
    stopped: null,
    left: [],
    irreversible: [],
    isPartial: false,
  });
  expect((await session.changes()).map(({ isUndone }) => isUndone)).toEqual([
    false,
    false,
    true,
    false,
    false,
  ]);
});

test("an undo claims its change, renews the lease while its tool runs, and leaves no timer", async () => {
  const done = Promise.withResolvers<void>();
  const { session, call, clock, entries } = notes({ approvals: { leaseMs: 15_000 } }, async () => {
    await done.promise;
    return data(null);
  });
  await call("set_note", { key: "a" });
  const undoing = session.undo();
  await clock.advance(4_999);
  const [, claim, begun] = (await entries()) as { by: string }[];
  expect((await entries()).slice(1)).toEqual([
    { kind: "claim", of: 1, by: text, until: at + 16_000, at: at + 1_000 },
    { kind: "begun", of: 1, by: claim!.by, at: at + 1_000 },
  ]);
  expect(begun!.by).toMatch(/^[\w-]{20,}$/);
  await clock.advance(1);
  expect((await entries()).slice(3)).toEqual([
    { kind: "claim", of: 1, by: claim!.by, until: at + 21_000, at: at + 6_000 },
  ]);
  expect(await session.changes()).toMatchObject([{ isUndone: false, undoBegan: true }]);
  done.resolve();
  expect((await undoing).undone).toHaveLength(1);
  expect((await entries()).slice(4)).toEqual([{ kind: "undone", of: 1, at: at + 6_000 }]);
  expect((await session.changes())[0]).not.toHaveProperty("undoBegan");
  await clock.advance(60_000);
  expect(await entries()).toHaveLength(5);
});

test("a lease of an undo that cannot be renewed is in the log, and is tried again", async () => {
  const done = Promise.withResolvers<void>();
  const clock = createFakeClock();
  const store = createMemoryStore();
  let fails = false;
  const sessions = {
    ...store.sessions,
    append: (...given: Parameters<typeof store.sessions.append>) =>
      fails ? Promise.reject(new Error("away")) : store.sessions.append(...given),
  };
  const { host, lines } = logged({ clock, store: { ...store, sessions }, approvals: { leaseMs: 3_000 } });
  host.coordinator.mount(
    "tools",
    tool(async (_, { undoable }) => (await undoable!(1), data(1)), {
      undo: () => done.promise.then(() => data(1)),
      timeout: 0,
    }),
  );
  const session = host.session("s");
  await session.call({ name: "probe" });
  lines.length = 0;
  const undoing = session.undo();
  await clock.advance(0);
  fails = true;
  await clock.advance(1_000);
  const err = expect.objectContaining({ code: "STORE_FAILED" }) as object;
  expect(lines).toEqual([["error", { err }, "the lease of an undo was not renewed"]]);
  fails = false;
  await clock.advance(1_000);
  done.resolve();
  expect((await undoing).undone).toHaveLength(1);
  expect(lines).toHaveLength(1);
});

test("an undo waits for another one that holds the change, and looks again each tenth of a second", async () => {
  const { session, call, clock, store, entries } = notes();
  await call("set_note", { key: "a" });
  const now = clock.now();
  await store.sessions.append(changesLogOf("s"), 1, [
    { kind: "claim", of: 1, by: "other", until: now + 250, at: now },
  ]);
  let ended = false;
  const undoing = session.undo().finally(() => (ended = true));
  await clock.advance(299);
  expect([ended, (await entries()).length]).toEqual([false, 2]);
  await clock.advance(1);
  expect((await undoing).undone).toHaveLength(1);
  const abort = new AbortController();
  await call("set_note", { key: "b" });
  const last = (await entries()).length;
  await store.sessions.append(changesLogOf("s"), last, [
    { kind: "claim", of: last, by: "other", until: clock.now() + 60_000, at: now },
  ]);
  const waiting = session.undo({}, { abortSignal: abort.signal });
  await clock.advance(200);
  abort.abort(new Error("enough"));
  const stopped = waiting.catch((error: unknown) => error);
  await clock.advance(100);
  expect(await stopped).toMatchObject({ message: "enough" });
});

import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  changedSince,
  createMemoryStore,
  data,
  systemClock,
  type HostOptions,
  type Json,
  type Runner,
} from "../../src/index.ts";
import { changesLogOf } from "../../src/sessions.ts";
import { tool, world } from "../world.ts";

type Notes = Map<string, Json>;
interface Kept {
  readonly key: string;
  readonly before: Json;
  readonly after: Json;
}

/** A tool that sets a note, and can undo that; `undone` counts what it changed back. */
function notesTool(notes: Notes, counts = { undone: 0 }) {
  return tool(
    async ({ key, value }, { undoable }) => {
      const [name, after] = [String(key), value as Json];
      await undoable?.({ key: name, before: notes.get(name) ?? null, after });
      notes.set(name, after);
      return data({ key: name });
    },
    {
      name: "set_note",
      category: "write",
      control: ["key"],
      undo({ data: kept }) {
        const { key, before, after } = kept as unknown as Kept;
        const now = notes.get(key) ?? null;
        if (now === before) return data({ key });
        if (now !== after) return changedSince(`${key} was changed to ${JSON.stringify(now)}`);
        if (before === null) notes.delete(key);
        else notes.set(key, before);
        counts.undone += 1;
        return data({ key });
      },
    },
  );
}

function notesWorld(options: HostOptions = {}, notes: Notes = new Map()) {
  const made = world([notesTool(notes)], options);
  const session = made.host.session("s");
  const set = (key: string, value: Json, given = {}) =>
    session.call({ name: "set_note", arguments: { key, value } }, given);
  return { ...made, notes, session, set };
}

test("a session is undone to any earlier state, the newest change first, and each change once", async () => {
  const { notes, session, set } = notesWorld();
  await set("a", 1);
  await set("a", 2);
  await set("b", 3);
  const [, second] = await session.changes();

  expect(await session.undo({ after: second!.number })).toMatchObject({
    undone: [{ tool: "set_note", arguments: { key: "b" }, isUndone: true }],
    stopped: null,
    left: [],
    irreversible: [],
    isPartial: false,
  });
  expect([...notes]).toEqual([["a", 2]]);
  expect((await session.undo()).undone.map(({ number }) => number)).toEqual([2, 1]);
  expect([...notes]).toEqual([]);
  expect((await session.undo()).undone).toEqual([]);
  expect((await session.changes()).map(({ isUndone }) => isUndone)).toEqual([true, true, true]);
});

test("a call, a turn, and the calls that a tool made are undone without the others", async () => {
  const notes: Notes = new Map();
  const outer = tool(
    async (_, { call }) => {
      await call({ name: "set_note", arguments: { key: "inner", value: 1 } });
      return data(null);
    },
    { name: "outer" },
  );
  const { host } = world([notesTool(notes), outer]);
  const session = host.session("s");
  await session.call({ id: "one", name: "set_note", arguments: { key: "a", value: 1 } }, { turnId: "t1" });
  await session.call({ name: "set_note", arguments: { key: "b", value: 1 } }, { turnId: "t2" });
  const { runId } = await session.call({ name: "outer" }, { turnId: "t2" });

  expect(await session.changes()).toMatchObject([
    { turnId: "t1" },
    { turnId: "t2" },
    { turnId: "t2", parents: [runId] },
  ]);
  expect((await session.undo({ call: runId })).undone).toMatchObject([
    { arguments: { key: "inner" }, parents: [runId] },
  ]);
  expect((await session.undo({ turn: "t2" })).undone).toMatchObject([{ arguments: { key: "b" } }]);
  expect([...notes.keys()]).toEqual(["a"]);
  await session.undo({ call: "one" });
  expect([...notes.keys()]).toEqual([]);
});

test("a change that is no longer as the call left it stops the undo, which names later changes of the same target", async () => {
  const { notes, session, set } = notesWorld();
  await set("a", 1);
  await set("b", 1);
  await set("a", 2);
  const [first] = await session.changes();
  notes.set("b", 99);

  const report = await session.undo({ call: first!.runId });
  expect(report).toMatchObject({
    undone: [],
    stopped: {
      change: { number: 1 },
      outcome: { result: { code: "CHANGED_SINCE" } },
      later: [{ number: 3 }],
    },
  });
  expect(await session.undo()).toMatchObject({
    undone: [{ number: 3 }],
    stopped: { change: { number: 2 }, outcome: { result: { error: "b was changed to 99" } }, later: [] },
    left: [{ number: 1 }],
  });
  notes.set("b", 1);
  expect((await session.undo()).undone.map(({ arguments: given }) => given)).toEqual([
    { key: "b" },
    { key: "a" },
  ]);
  expect([...notes]).toEqual([]);
});

test("an undo is a call: rules and events hold, its arguments are those that say what it touches, and no person is asked", async () => {
  const store = createMemoryStore({ audit: "durable" });
  const { session, set, events, host } = notesWorld({ store });
  const { runId } = await set("a", "secret content", { userId: "ada" });
  host.coordinator.mount(
    "policies",
    {
      name: "level",
      prepare: () => (call: { readonly info: { readonly undoOf?: string } }) =>
        call.info.undoOf === undefined
          ? null
          : { answer: "ask", because: "level", reason: "the level asks for each call" },
    },
    { name: "level" },
  );

  const { undone, stopped } = await session.undo({}, { userId: "ada" });
  expect([undone.length, stopped]).toEqual([1, null]);
  const post = events.findLast(({ event }) => event === "tool:post")!.data;
  expect(post).toMatchObject({ undo_of: runId, user_id: "ada", tool_input: { key: "a" } });
  expect(await store.audit!.read()).toMatchObject(
    [
      { kind: "start" },
      { kind: "end" },
      { kind: "start", undoOf: runId },
      { kind: "end", undoOf: runId },
    ].map((entry) => ({ entry })),
  );
  expect(JSON.stringify(await store.sessions.entries(changesLogOf("ada:s")))).not.toContain('"value"');

  host.coordinator.hooks.gate("tool:pre", () => ({ action: "deny", reason: "not today" }));
  await set("b", 1, { userId: "ada" });
  expect((await host.session("ada:s").changes()).length).toBe(1);
});

test("a rule that denies holds for an undo, which can be continued when the rule is gone", async () => {
  const { session, set, host, notes } = notesWorld();
  await set("a", 1);
  const drop = host.coordinator.hooks.gate("tool:pre", () => ({ action: "deny", reason: "not today" }));
  expect(await session.undo()).toMatchObject({ undone: [], stopped: { outcome: { status: "denied" } } });
  expect(notes.size).toBe(1);
  drop();
  expect((await session.undo()).undone).toHaveLength(1);
  expect(notes.size).toBe(0);
});

test("hosts that undo at the same time undo each change once, and each reports its own", async () => {
  const [store, notes, counts] = [createMemoryStore(), new Map<string, Json>(), { undone: 0 }];
  const hosts = [1, 2, 3].map(() => world([notesTool(notes, counts)], { store }).host);
  for (const value of [1, 2, 3, 4, 5])
    await hosts[0]!.call({ name: "set_note", arguments: { key: "a", value } }, { sessionId: "s" });

  const reports = await Promise.all(hosts.map((host) => host.session("s").undo()));
  expect(counts.undone).toBe(5);
  expect(notes.size).toBe(0);
  const numbers = reports.flatMap(({ undone }) => undone.map(({ number }) => number));
  expect(numbers.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  expect(reports.map(({ stopped }) => stopped)).toEqual([null, null, null]);
});

test("an idempotent undo that stalls for longer than its lease leaves the change to another one", async () => {
  const store = createMemoryStore();
  const later = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
  const undone: string[] = [];
  const hostOf = (name: string, before: () => Promise<unknown>, clock = systemClock) => {
    const counter = tool(async (_, { undoable }) => (await undoable?.(1), data(1)), {
      idempotentUndo: true,
      async undo() {
        await before();
        if (undone.length > 0) return changedSince("it is undone");
        undone.push(name);
        return data(1);
      },
    });
    return world([counter], { store, clock }).host.session("s");
  };
  const other = hostOf("other", async () => {}, later);
  const stalled = hostOf("stalled", () => other.undo());
  await stalled.call({ name: "probe" });

  expect(await stalled.undo()).toMatchObject({ undone: [], stopped: null });
  expect(undone).toEqual(["other"]);
  expect(await store.sessions.entries(changesLogOf("s"))).not.toContainEqual(
    expect.objectContaining({ entry: expect.objectContaining({ kind: "stopped" }) as unknown }),
  );
});

test("an undo that stalled does not take the lease of another one again", async () => {
  const store = createMemoryStore();
  const later = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
  const hostOf = (undo: () => Promise<unknown>, clock = systemClock) => {
    const counter = tool(async (_, { undoable }) => (await undoable?.(1), data(1)), {
      idempotentUndo: true,
      undo: async () => data((await undo()) as Json),
    });
    return world([counter], { store, clock, approvals: { leaseMs: 30 } }).host.session("s");
  };
  const passed = Promise.withResolvers<void>();
  const other = hostOf(() => passed.promise, later);
  let doing: Promise<unknown> = Promise.resolve();
  const stalled = hostOf(async () => {
    doing = other.undo();
    await setTimeout(60); // it would renew its lease meanwhile
    setImmediate(() => passed.resolve());
    throw new Error("the change is half undone");
  });
  await stalled.call({ name: "probe" });

  expect(await stalled.undo()).toMatchObject({ undone: [], stopped: null });
  expect(await doing).toMatchObject({ undone: [{ number: 1 }], stopped: null });
});

test("an idempotent undo that begins again tries twice: the process that had begun may do its part in between", async () => {
  const store = createMemoryStore();
  let attempts = 0;
  const flaky = tool(async (_, { undoable }) => (await undoable?.(1), data(1)), {
    idempotentUndo: true,
    undo: () => (++attempts === 1 ? changedSince("it is half undone") : data(1)),
  });
  const session = world([flaky], { store }).host.session("s");
  await session.call({ name: "probe" });
  await store.sessions.append(changesLogOf("s"), 1, [
    { kind: "claim", of: 1, by: "gone", until: 0, at: 0 },
    { kind: "begun", of: 1, by: "gone", at: 0 },
  ]);

  expect(await session.undo()).toMatchObject({ undone: [{ number: 1 }], stopped: null });
  expect(attempts).toBe(2);
});

/** A tool whose undo books one more time whenever it runs, and two undos of its change: one stalls, one comes later. */
async function stalling(stallsIn: "gate" | "tool") {
  const store = createMemoryStore();
  const later = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
  const booked: string[] = [];
  let meanwhile: (() => Promise<void>) | null = null;
  const stall = async () => {
    const other = meanwhile;
    meanwhile = null;
    await other?.();
  };
  const sessionOf = (name: string, clock = systemClock) => {
    const booking = tool(async (_, { undoable }) => (await undoable?.(1), data(1)), {
      async undo() {
        if (name === "stalled" && stallsIn === "tool") await stall();
        booked.push(name);
        return data(1);
      },
    });
    const { host } = world([booking], { store, clock });
    host.coordinator.hooks.gate("tool:pre", async (_, { undo_of: undoOf }) => {
      if (name === "stalled" && stallsIn === "gate" && undoOf !== undefined) await stall();
    });
    return host.session("s");
  };
  const [stalled, other] = [sessionOf("stalled"), sessionOf("other", later)];
  await stalled.call({ name: "probe" });
  return { stalled, other, booked, whileStalled: (act: () => Promise<void>) => (meanwhile = act) };
}

test("an undo that stalls before its tool begins leaves the change to another one, and its tool does not run", async () => {
  const { stalled, other, booked, whileStalled } = await stalling("gate");
  whileStalled(async () => {
    expect(await other.undo()).toMatchObject({ undone: [{ number: 1 }], stopped: null });
  });
  expect(await stalled.undo()).toMatchObject({ undone: [], stopped: null });
  expect(booked).toEqual(["other"]);
});

test("an undo that stalls in its tool is not done by another one: what became of it is not known", async () => {
  const { stalled, other, booked, whileStalled } = await stalling("tool");
  whileStalled(async () => {
    const report = await other.undo();
    expect(report).toMatchObject({
      undone: [],
      stopped: { change: { number: 1 }, outcome: { status: "unknown", result: { code: "OUTCOME_UNKNOWN" } } },
    });
    expect(await other.changes()).toMatchObject([{ isUndone: false, undoBegan: true }]);
  });
  expect(await stalled.undo()).toMatchObject({ undone: [{ number: 1 }], stopped: null });
  expect(await other.undo()).toMatchObject({ undone: [], stopped: null });
  expect(booked).toEqual(["stalled"]);
});

test.each([
  ["repeat", ["other"]],
  ["done", []],
] as const)("of an undo that began in a process that died, a person decides: %s", async (unclear, again) => {
  const store = createMemoryStore();
  const booked: string[] = [];
  const booking = tool(async (_, { undoable }) => (await undoable?.(1), data(1)), {
    undo: () => (booked.push("other"), data(1)),
  });
  const session = world([booking], { store }).host.session("s");
  await session.call({ name: "probe" });
  await store.sessions.append(changesLogOf("s"), 1, [
    { kind: "claim", of: 1, by: "gone", until: 0, at: 0 },
    { kind: "begun", of: 1, by: "gone", at: 0 },
  ]);
  expect((await session.undo()).stopped).toMatchObject({ outcome: { status: "unknown" } });
  expect(booked).toEqual([]);
  expect(await session.undo({ unclear })).toMatchObject({ undone: [{ number: 1 }], stopped: null });
  expect(booked).toEqual(again);
  expect((await session.undo({ unclear })).undone).toEqual([]);
});

test.each([
  ["is gone", true, "ok", ["other"]],
  ["is there, and only stalls", false, "unknown", []],
  ["is not known", null, "ok", ["other"]],
] as const)(
  "an idempotent undo that began in a process that %s",
  async (_where, isGone, status, repeated) => {
    const store = createMemoryStore();
    const booked: string[] = [];
    const booking = tool(async (_, { undoable }) => (await undoable?.(1), data(1)), {
      idempotentUndo: true,
      undo: () => (booked.push("other"), data(1)),
    });
    const mark = { id: "own", isGone: () => isGone };
    const session = world([booking], { store, process: mark }).host.session("s");
    await session.call({ name: "probe" });
    const until = isGone === true ? Number.MAX_SAFE_INTEGER : 0; // of a process that is gone, no lease is waited for
    await store.sessions.append(changesLogOf("s"), 1, [
      { kind: "claim", of: 1, by: "before", process: "other", until, at: 0 },
      { kind: "begun", of: 1, by: "before", at: 0 },
    ]);
    const { stopped } = await session.undo();
    expect(stopped?.outcome.status ?? "ok").toBe(status);
    expect(booked).toEqual(repeated);
  },
);

test("an undo whose call ended before its tool did is not repeated", async () => {
  const store = createMemoryStore();
  const slow = tool(async (_, { undoable }) => (await undoable?.(1), data(1)), {
    timeout: 20,
    undo: () => new Promise<never>(() => {}),
  });
  const session = world([slow], { store, approvals: { leaseMs: 30 } }).host.session("s");
  await session.call({ name: "probe" });
  expect((await session.undo()).stopped).toMatchObject({ outcome: { status: "timed_out" } });
  expect((await session.undo()).stopped).toMatchObject({ outcome: { status: "unknown" } });
});

test("another process undoes what a process that ended had done, with a store", async () => {
  const [store, notes] = [createMemoryStore(), new Map<string, Json>()];
  const one = notesWorld({ store }, notes);
  await one.set("a", 1);
  await one.host.close();
  const other = notesWorld({ store }, notes);
  expect((await other.session.undo()).undone).toHaveLength(1);
  expect(notes.size).toBe(0);
});

test("a tool that fails in undo stops it, and a reload that removes the tool leaves the rest for later", async () => {
  const notes: Notes = new Map();
  const broken = { isBroken: true };
  const flaky = tool(async (_, { undoable }) => (await undoable?.(1), data(1)), {
    name: "flaky",
    undo() {
      if (broken.isBroken) throw new Error("the service is away");
      return data(null);
    },
  });
  const { host } = world([]);
  const session = host.session("s");
  const mountIn = (tools: readonly { readonly name: string }[]) => {
    const draft = host.draft();
    const { coordinator } = draft.addModule({ id: "notes" });
    for (const each of tools) coordinator.mount("tools", each);
    return draft.commit();
  };
  await mountIn([notesTool(notes), flaky]);
  await session.call({ name: "set_note", arguments: { key: "a", value: 1 } });
  await session.call({ name: "flaky" });

  expect(await session.undo()).toMatchObject({
    stopped: { change: { tool: "flaky" }, outcome: { status: "failed", result: { code: "TOOL_FAILED" } } },
    left: [{ tool: "set_note" }],
  });
  broken.isBroken = false;
  await mountIn([]);
  expect((await session.undo()).stopped).toMatchObject({ outcome: { result: { code: "TOOL_NOT_FOUND" } } });
  const without = tool(() => data(1), { name: "flaky" });
  await mountIn([without, notesTool(notes)]);
  expect((await session.undo()).stopped).toMatchObject({ outcome: { result: { code: "UNDO_UNAVAILABLE" } } });
  await mountIn([flaky, notesTool(notes)]);
  expect((await session.undo()).undone.map((change) => change.tool)).toEqual(["flaky", "set_note"]);
  expect(notes.size).toBe(0);
});

test("calls that cannot be undone are announced before they run, and named at undo", async () => {
  const seen: unknown[] = [];
  const { host } = world([
    tool(async () => (seen.push((await session.changes()).length), data(1)), {
      name: "send",
      irreversible: true,
    }),
    tool(
      async (_, { irreversible, undoable }) => {
        await undoable?.("x".repeat(20_000_000));
        await irreversible?.("it is a device");
        return data(1);
      },
      { name: "write", undo: () => data(1) },
    ),
  ]);
  const session = host.session("s");
  await session.call({ name: "send" });
  const { result } = await session.call({ name: "write" });

  expect(seen).toEqual([1]);
  expect(result.warnings).toEqual([
    expect.stringContaining("this call cannot be undone: what it replaces has 20000002 bytes"),
    "this call cannot be undone: it is a device",
  ]);
  const { irreversible, undone } = await session.undo();
  expect(undone).toEqual([]);
  expect(irreversible.map((change) => [change.tool, change.irreversible])).toEqual([
    ["write", "it is a device"],
    ["write", expect.stringContaining("bytes")],
    ["send", 'what "send" does cannot be undone'],
  ]);
  expect(host.tools().map(({ name, undoable, irreversible: isLost }) => [name, undoable, isLost])).toEqual([
    ["send", undefined, true],
    ["write", true, undefined],
  ]);
});

test("nothing is kept without a session, without an undo, or in an undo itself", async () => {
  const seen: unknown[] = [];
  const note = (_: unknown, { undoable }: { undoable?: unknown }) => (seen.push(undoable), data(1));
  const kept = tool(
    async (_, context) => {
      const { undoable } = context;
      await undoable?.(1);
      seen.push(typeof undoable);
      return data(1);
    },
    { name: "kept", undo: (_, context) => note(_, context) },
  );
  const { host } = world([tool(note, { name: "plain" }), kept]);
  await host.call({ name: "kept" });
  await host.session("s").call({ name: "plain" });
  await host.session("s").call({ name: "kept" });
  await host.session("s").undo();

  expect(seen).toEqual(["undefined", undefined, "function", undefined]);
});

test("a definition whose undo is no function, or that says both, is refused", () => {
  expect(() => world([tool(undefined, { undo: 1 as never })])).toThrow(
    expect.objectContaining({ message: 'tool "probe" cannot be mounted: its undo is not a function' }),
  );
  expect(() => world([tool(undefined, { undo: () => data(1), irreversible: true })])).toThrow(
    "it has undo and says that it is irreversible",
  );
});

test("a session keeps a bounded number of bytes, and an undo says when older changes are gone", async () => {
  const big = tool(async (_, { undoable }) => (await undoable?.("x".repeat(9_000_000)), data(1)), {
    undo: () => data(1),
  });
  const store = createMemoryStore();
  const { host } = world([big], { store });
  for (const _ of "12345") await host.session("s").call({ name: "probe" });

  const { undone, isPartial } = await host.session("s").undo();
  expect([undone.map(({ number }) => number), isPartial]).toEqual([[5, 4, 3], true]);
  await store.sessions.delete("s");
  expect(await host.session("s").changes()).toEqual([]);
  await host.session("s").call({ name: "probe" });
  expect(await host.session("s").changes()).toHaveLength(1);
});

test("a change of a tool whose runner runs no undo is announced as one that stays, and the list of a rehearsal says so", async () => {
  const notes: Notes = new Map();
  const session = world([notesTool(notes)], {}, "cloned").host.session("s");
  const set = { name: "set_note", arguments: { key: "a", value: 1 } };
  await session.call(set);
  const reason = 'what "set_note" does cannot be undone: its runner "cloned" runs no undo';
  expect(await session.changes()).toMatchObject([{ irreversible: reason }]);
  expect(await session.undo()).toMatchObject({ undone: [], irreversible: [{ irreversible: reason }] });
  expect(notes.get("a")).toBe(1);

  const rehearsal = session.rehearse();
  await rehearsal.call(set);
  expect(rehearsal.calls).toMatchObject([{ canUndo: false, isModelled: false }]);
});

test("where the host itself has a runner that runs no undo, the announcement says so", async () => {
  const runner: Runner = { run: async () => data(1) };
  const session = world([notesTool(new Map())], { runner }).host.session("s");
  await session.call({ name: "set_note", arguments: { key: "a", value: 1 } });
  expect(await session.changes()).toMatchObject([
    { irreversible: 'what "set_note" does cannot be undone: the runner of the host runs no undo' },
  ]);
});

import { expect, test } from "vitest";
import { z } from "zod";
import {
  createHost,
  createMemoryStore,
  data,
  failure,
  type HostOptions,
  type Preview,
  type Runner,
  type ToolContext,
} from "../../src/index.ts";
import { changesLogOf } from "../../src/sessions.ts";
import { tool, world } from "../world.ts";

/** Notes that a previewed tool stages; a search that sees only the real ones; a mail that cannot be modelled. */
function notesWorld(options: HostOptions = {}) {
  const notes = new Map<string, string>();
  const sent: unknown[] = [];
  const stagedIn = ({ rehearsal }: ToolContext) => rehearsal?.staged("notes", () => new Map(notes)) ?? notes;
  const set = (params: Readonly<Record<string, unknown>>, context: ToolContext) => {
    const [key, value] = [String(params["key"]), String(params["value"])];
    if (key === "locked") return failure("it is locked", { code: "LOCKED" });
    stagedIn(context).set(key, value);
    return data({ key, value });
  };
  const get = ({ key }: Readonly<Record<string, unknown>>, context: ToolContext) =>
    data(stagedIn(context).get(String(key)) ?? null);
  const made = world(
    [
      tool(set, {
        name: "set_note",
        category: "write",
        requiresConfirmation: true,
        undo: () => data(null),
        preview: (params, context): Preview => {
          const { key, value } = params as { key: string; value: string };
          const before = stagedIn(context).get(key);
          const difference = `${before === undefined ? "" : `-${before}\n`}+${value}`;
          const change = before === undefined ? "create" : "change";
          return { effects: [{ target: key, change, difference }], result: set(params, context) };
        },
      }),
      tool(get, {
        name: "get_note",
        preview: (params, context) => ({ effects: [], result: get(params, context) }),
      }),
      tool(() => data([...notes.keys()]), { name: "search_notes" }),
      tool((params) => (sent.push(params), data("sent")), {
        name: "send",
        category: "side_effect",
        irreversible: true,
        outputSchema: z.string(),
      }),
      tool(
        async (_, { session }) => {
          session.set("seen", 1);
          return data(null);
        },
        {
          name: "mark",
          category: "write",
          preview: (_, { session }) => {
            session.set("seen", 1);
            return { effects: [{ target: "mark", change: "other" }], result: data(session.get("seen")) };
          },
        },
      ),
    ],
    options,
  );
  const session = made.host.session("s");
  const rehearsal = session.rehearse();
  const call = async (name: string, given = {}) => (await rehearsal.call({ name, arguments: given })).result;
  return { ...made, session, rehearsal, call, notes, sent };
}

test("a rehearsal reads its own staged changes, changes nothing, and ends with the list of what it would change", async () => {
  const { call, rehearsal, notes, session } = notesWorld();
  expect((await call("search_notes")).data).toEqual([]);
  await call("set_note", { key: "a", value: "1" });
  expect((await call("get_note", { key: "a" })).data).toBe("1");
  await call("set_note", { key: "a", value: "2" });
  expect((await call("mark")).data).toBe(1);
  expect((await call("set_note", { key: "locked", value: "2" })).code).toBe("LOCKED");

  expect(rehearsal.calls).toMatchObject([
    { tool: "set_note", effects: [{ target: "a", change: "create", difference: "+1" }], canUndo: true },
    { tool: "set_note", effects: [{ change: "change", difference: "-1\n+2" }], isModelled: true },
    { tool: "mark", effects: [{ target: "mark" }], canUndo: null, asks: [] },
  ]);
  expect(rehearsal.calls[0]!.asks).toEqual(['"set_note" asks for confirmation']);
  expect([rehearsal.stopped, notes.size, session.state.get("seen")]).toEqual([null, 0, undefined]);
  expect(await session.changes()).toEqual([]);
});

test("a change that cannot be modelled is listed and does not run, and the next read ends the rehearsal", async () => {
  const { call, rehearsal, sent } = notesWorld();
  expect(await call("send", { to: "ada" })).toMatchObject({
    data: null,
    warnings: ["it did not run: this is a rehearsal, and its result is not known"],
  });
  await call("send", { to: "bob" });
  expect(await call("get_note", { key: "a" })).toMatchObject({
    code: "REHEARSAL_ENDED",
    error:
      'the rehearsal ends before "get_note": "get_note" may read what "send" would change, and it is not known what that is',
  });
  expect((await call("set_note", { key: "a", value: "1" })).code).toBe("REHEARSAL_ENDED");
  expect(rehearsal.abortSignal.aborted).toBe(true);
  expect(rehearsal.calls.map(({ tool: name, isModelled, canUndo }) => [name, isModelled, canUndo])).toEqual([
    ["send", false, false],
    ["send", false, false],
  ]);
  expect(sent).toEqual([]);
});

test("a read that cannot see staged changes ends the rehearsal after the first of them", async () => {
  const { call, rehearsal } = notesWorld();
  await call("set_note", { key: "a", value: "1" });
  expect((await call("search_notes")).code).toBe("REHEARSAL_ENDED");
  expect(rehearsal.stopped).toBe(
    '"search_notes" may read what "set_note" would change, and it cannot see staged changes',
  );
});

test("the digest is of tools, arguments and order; a rule that denies holds; events and audit say that it is a rehearsal", async () => {
  const digestOf = async (...values: string[]) => {
    const { call, rehearsal } = notesWorld();
    for (const value of values) await call("set_note", { key: "a", value });
    return rehearsal.digest;
  };
  expect(await digestOf("1", "2")).toBe(await digestOf("1", "2"));
  expect(new Set([await digestOf("1", "2"), await digestOf("2", "1"), await digestOf("1")]).size).toBe(3);

  const store = createMemoryStore({ audit: "durable" });
  const { call, rehearsal, host, events } = notesWorld({ store });
  await call("send");
  const [entry] = await store.audit!.read();
  expect(entry!.entry["rehearsalId"]).toBe(rehearsal.id);
  expect(events.find(({ event }) => event === "tool:post")!.data).toMatchObject({
    rehearsal_id: rehearsal.id,
  });
  expect(await store.sessions.entries(changesLogOf("s"))).toEqual([]);
  host.coordinator.hooks.gate("tool:pre", () => ({ action: "deny", reason: "not today" }));
  expect((await call("set_note", { key: "a", value: "1" })).code).toBe("DENIED");
  expect(rehearsal.calls).toHaveLength(1);
});

test("calls that a tool makes are a part of its rehearsal, and a rehearsal that no session made runs nothing", async () => {
  const { host, rehearsal, session, notes } = notesWorld();
  host.coordinator.mount(
    "tools",
    tool(
      async (_, context) =>
        (await context.call({ name: "set_note", arguments: { key: "a", value: "1" } })).result,
      {
        name: "outer",
        category: "side_effect",
        preview: async (_, context) => ({
          effects: [],
          result: data(
            (await context.call({ name: "set_note", arguments: { key: "a", value: "1" } })).status,
          ),
        }),
      },
    ),
  );
  expect((await rehearsal.call({ name: "outer" })).result.data).toBe("ok");
  expect(rehearsal.calls.map((call) => call.tool)).toEqual(["set_note"]);
  const forged = await session.call(
    { name: "set_note", arguments: { key: "a", value: "1" } },
    { rehearsal: { id: "x" } },
  );
  expect(forged.result.code).toBe("INTERNAL");
  expect(notes.size).toBe(0);
});

test("one answer approves a list: its calls run in their order without a question, and a deviation asks before it runs", async () => {
  const asked: string[] = [];
  const approver = ({ reasons }: { reasons: readonly { reason: string }[] }) => {
    asked.push(reasons.map(({ reason }) => reason).join("; "));
    return { decision: "deny" } as const;
  };
  const { call, rehearsal, session, notes, sent, events } = notesWorld({ approver });
  await call("set_note", { key: "a", value: "1" });
  await call("set_note", { key: "b", value: "2" });
  await call("send", { to: "ada" });
  const approved = rehearsal.approve({ digest: rehearsal.digest, by: "ada" });
  const real = async (name: string, given = {}) =>
    (await session.call({ name, arguments: given }, { approved })).status;

  expect(await real("search_notes")).toBe("ok");
  expect(await real("set_note", { key: "a", value: "1" })).toBe("ok");
  expect(await real("set_note", { key: "b", value: "3" })).toBe("denied");
  expect(await real("send", { to: "ada" })).toBe("denied");
  expect(await real("set_note", { key: "b", value: "2" })).toBe("ok");
  expect(await real("send", { to: "ada" })).toBe("ok");
  expect(await real("send", { to: "ada" })).toBe("denied");
  expect(asked).toEqual([
    '"set_note" asks for confirmation; the next call of the approved list is "set_note" with other arguments'
      .split("; ")
      .toReversed()
      .join("; "),
    'the next call of the approved list is "set_note"',
    "the approved list has no further call",
  ]);
  expect([[...notes], sent, approved.left]).toEqual([
    [
      ["a", "1"],
      ["b", "2"],
    ],
    [{ to: "ada" }],
    0,
  ]);
  expect(events.filter(({ event }) => event === "approval:granted").map(({ data: { by } }) => by)).toEqual([
    "ada",
    "ada",
    "ada",
  ]);
});

test("an approved list can be cut, and the answer counts only for the digest that the person saw", async () => {
  const { call, rehearsal, session, notes } = notesWorld({ approver: () => ({ decision: "deny" }) });
  await call("set_note", { key: "a", value: "1" });
  const { digest } = rehearsal;
  await call("set_note", { key: "b", value: "2" });
  expect(() => rehearsal.approve({ digest, by: "ada" })).toThrow(
    "it is not the digest of the list as it is now",
  );
  const approved = rehearsal.approve({ digest: rehearsal.digest, by: "ada", first: 1 });
  for (const [key, value] of [
    ["a", "1"],
    ["b", "2"],
  ])
    await session.call({ name: "set_note", arguments: { key, value } }, { approved });
  expect([[...notes], approved.left]).toEqual([[["a", "1"]], 0]);

  await call("send");
  await call("search_notes");
  expect(() => rehearsal.approve({ digest: rehearsal.digest, by: "ada" })).toThrow(
    "the rehearsal ended early",
  );
  const forged = await session.call({ name: "send" }, { approved: { digest } });
  expect(forged.result.code).toBe("INTERNAL");
});

/** The question of a list, as an approver sees it. */
const listQuestion = { tool: { name: "make_approved_calls" } };

test("one question covers the whole list, and its calls are made after the answer", async () => {
  const asked: unknown[] = [];
  const { call, rehearsal, notes, sent, events } = notesWorld({
    approver: (question) => (asked.push(question), { decision: "approve", by: "ada" }),
  });
  await call("set_note", { key: "a", value: "1" });
  await call("send", { to: "ada" });
  const outcome = await rehearsal.make({ digest: rehearsal.digest, first: 2 });
  expect(outcome.result).toMatchObject({
    data: {
      made: [
        { tool: "set_note", status: "ok" },
        { tool: "send", status: "ok", data: "sent" },
      ],
    },
  });
  expect(asked).toMatchObject([
    {
      ...listQuestion,
      rememberable: false,
      arguments: {
        calls: [
          { tool: "set_note", effects: [{ target: "a", change: "create", difference: "+1" }], canUndo: true },
          { tool: "send", arguments: { to: "ada" }, effects: [], canUndo: false },
        ],
      },
    },
  ]);
  expect([[...notes], sent]).toEqual([[["a", "1"]], [{ to: "ada" }]]);
  expect(events.filter(({ event }) => event === "approval:granted").map(({ data: { by } }) => by)).toEqual([
    "ada",
    "ada",
    "ada",
  ]);
  expect(() => rehearsal.make({ digest: "0" })).toThrow("it is not the digest of the list as it is now");
});

test("a list waits in the store, can be cut by its approver, and is made once by another process", async () => {
  const store = createMemoryStore();
  const first = notesWorld({ store });
  await first.call("set_note", { key: "a", value: "1" });
  await first.call("set_note", { key: "b", value: "2" });
  const { digest } = first.rehearsal;
  const waiting = await first.rehearsal.make({ digest });
  expect(waiting.status).toBe("pending");
  const [question] = await first.host.approvals.list();
  await first.host.close();

  const other = notesWorld({ store });
  const cut = { ...question!.arguments, first: 1 };
  await other.host.approvals.decide(question!.id, { decision: "approve", arguments: cut }, "ada");
  const resumed = await Promise.all([1, 2].map(() => other.host.resume(waiting.ticket!, { sessionId: "s" })));
  expect(resumed.map(({ status }) => status).toSorted()).toEqual(["ok", "pending"]);
  expect([...other.notes]).toEqual([["a", "1"]]);
  expect(await other.host.resume(waiting.ticket!, { sessionId: "s" })).toMatchObject({ status: "ok" });
  expect([...other.notes]).toEqual([["a", "1"]]);
});

test("a call that fails ends the list, and a call of a program that is not in the list asks", async () => {
  const asked: string[] = [];
  const { call, rehearsal, notes, host } = notesWorld({
    approver: ({ tool: { name }, reasons }) => {
      asked.push(`${name}: ${reasons.map(({ reason }) => reason).join("; ")}`);
      return { decision: name === "make_approved_calls" ? "approve" : "deny", by: "ada" };
    },
  });
  let value = "1";
  host.coordinator.mount(
    "tools",
    tool(
      async (_, context) => {
        const { status } = await context.call({ name: "set_note", arguments: { key: "a", value } });
        return data(status);
      },
      {
        name: "outer",
        category: "side_effect",
        preview: async (_, context) => ({
          effects: [],
          result: data((await context.call({ name: "set_note", arguments: { key: "a", value } })).status),
        }),
      },
    ),
  );
  await call("outer");
  const { digest } = rehearsal;
  const run = [{ name: "outer" }];
  expect((await rehearsal.make({ digest, run })).result.data).toMatchObject({ made: [{ data: "ok" }] });
  expect(asked).toEqual(['make_approved_calls: "make_approved_calls" asks for confirmation']);
  value = "2";
  expect((await rehearsal.make({ digest, run })).result.data).toMatchObject({ made: [{ data: "denied" }] });
  expect(asked.at(-1)).toContain("the next call of the approved list is");
  expect([...notes]).toEqual([["a", "1"]]);
});

test("a read that sees only what is staged where it runs ends the rehearsal after a change that was staged elsewhere", async () => {
  const staging = (name: string, category: "read" | "write", isStaged = true) =>
    tool(() => data(null), {
      name,
      category,
      preview(_, { rehearsal }) {
        if (isStaged) rehearsal!.staged("things", () => name);
        return {
          effects: category === "read" ? [] : [{ target: name, change: "change" }],
          result: data(name),
        };
      },
    });
  const host = createHost();
  const runner: Runner = {
    undoes: true,
    run: async (_, { definition, rehearsal }) =>
      structuredClone({
        ...(await definition.preview!({}, { rehearsal: rehearsal! } as ToolContext)),
        result: { data: null },
      }) as never,
  };
  host.coordinator.mount("runners", runner, { name: "far" });
  const draft = host.draft();
  const near = draft.addModule({ id: "near" }).coordinator;
  const far = draft.addModule({ id: "far", shapeTool: () => ({ runner: "far" }) }).coordinator;
  for (const one of [staging("write_near", "write"), staging("note_near", "write", false)])
    near.mount("tools", one);
  for (const one of [staging("write_far", "write"), staging("read_far", "read")]) far.mount("tools", one);
  await draft.commit();
  const made = async (...names: string[]) => {
    const rehearsal = host.session("s").rehearse();
    for (const name of names) await rehearsal.call({ name, arguments: {} });
    return rehearsal.stopped;
  };

  expect(await made("write_far", "read_far")).toBe(null);
  expect(await made("note_near", "read_far")).toBe(null);
  expect(await made("write_near", "read_far")).toBe(
    '"read_far" may read what "write_near" would change, and they do not run in the same process',
  );
});

test("a runner that works on a copy rehearses every call whole: also tools without a preview, reads, and calls that fail", async () => {
  const sessions: unknown[] = [];
  const run: Runner["run"] = async ({ tool: name, instead, rootSession }, { rehearsal }) => {
    sessions.push(rootSession);
    const seen = rehearsal!.staged("ran", (): string[] => []);
    seen.push(name);
    const result = name === "break" ? { error: "broken", code: "BROKEN" } : { data: [...seen] };
    const effects = name === "look" ? [] : [{ target: name, change: "change" }];
    return (instead === undefined ? result : { effects, result }) as never;
  };
  const { host } = world([]);
  host.coordinator.mount("runners", { rehearses: true, run } satisfies Runner, { name: "copy" });
  const draft = host.draft();
  const module = draft.addModule({ id: "m", shapeTool: () => ({ runner: "copy" }) }).coordinator;
  for (const [name, category] of [
    ["shell", "side_effect"],
    ["break", "write"],
    ["look", "read"],
  ] as const)
    module.mount(
      "tools",
      tool(() => data("real"), { name, category, irreversible: category === "side_effect" }),
    );
  await draft.commit();
  const rehearsal = host.session("s").rehearse();
  const results = [];
  for (const name of ["shell", "break", "look"])
    results.push((await rehearsal.call({ name, arguments: {} })).result);

  expect(results).toMatchObject([
    { data: ["shell"] },
    { code: "BROKEN" },
    { data: ["shell", "break", "look"] },
  ]);
  expect(rehearsal.stopped).toBe(null);
  // A turn of a model runs in a copy of the session.
  await host.call({ name: "look", arguments: {} }, { sessionId: "copy", rehearsal });
  expect(sessions).toEqual(["s", "s", "s", "s"]);
  expect(rehearsal.calls.map(({ tool: name, isModelled, canUndo }) => [name, isModelled, canUndo])).toEqual([
    ["shell", true, null],
    ["break", true, null],
  ]);
});

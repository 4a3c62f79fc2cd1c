import { createTodo } from "@toolmount/tool-todo";
import { expect, test } from "vitest";
import { mounted } from "./mounted.ts";

const read = { content: "Read the code", activeForm: "Reading the code", status: "completed" };
const repair = { content: "Fix the bug", activeForm: "Fixing the bug", status: "in_progress" };
const show = { content: "Show it", activeForm: "Showing it", status: "pending" };

test("a change of the list is undone, unless the list was changed since", async () => {
  const { host, call } = await mounted();
  const session = host.session("s-1");
  const list = async () => (await call({ action: "list" })).data;
  await call({ action: "create", todos: [repair, show] });
  const before = await list();
  await call({ action: "update", todos: [read] });

  await session.undo({ after: 1 });
  expect(await list()).toEqual(before);
  await session.undo();
  expect(await list()).toMatchObject({ count: 0 });
  await call({ action: "create", todos: [repair] });
  session.restore({});
  session.state.set("todo.items", [show]);
  expect((await session.undo()).stopped?.outcome.result).toMatchObject({
    code: "CHANGED_SINCE",
    error: expect.stringContaining("the list was changed since") as string,
  });
});

test.each([
  { now: [show], answer: { data: { changed: true } } },
  { now: [repair], answer: { data: { changed: false } } },
  { now: [show, show], answer: { code: "CHANGED_SINCE" } },
])("an undo of a list that is now $now answers $answer", async ({ now, answer }) => {
  const { host } = await mounted();
  const { state } = host.session("s-1");
  state.set("todo.items", now);
  const change = { data: { before: [repair], after: [show] } };
  const { undo } = createTodo();

  expect(await undo!(change as never, { session: state } as never)).toMatchObject(answer);
});

test("a rehearsal shows how the list would differ, and leaves it as it is", async () => {
  const { host } = await mounted();
  const session = host.session("s-1");
  const rehearsal = session.rehearse();
  const call = async (given: object) =>
    (await rehearsal.call({ name: "todo", arguments: { ...given } })).result.data;
  await call({ action: "create", todos: [repair, show] });
  await call({ action: "update", todos: [read] });

  expect(await call({ action: "list" })).toMatchObject({ count: 1, todos: [read] });
  expect(rehearsal.calls.map(({ effects }) => effects[0]!.difference)).toEqual([
    "+in_progress: Fix the bug\n+pending: Show it",
    "-in_progress: Fix the bug\n-pending: Show it\n+completed: Read the code",
  ]);
  expect(rehearsal.calls.map(({ effects }) => effects[0]!.target)).toEqual([
    "the list of tasks",
    "the list of tasks",
  ]);
  expect(session.state.get("todo.items")).toBeUndefined();
});

test.each([
  { from: [repair, show], to: [repair, show], changes: 1 },
  { from: [repair, show], to: [show, repair], changes: 2 },
  { from: [repair, show], to: [{ ...repair, content: "Fix the bug\npending: Show it" }], changes: 2 },
])("a rehearsal from $from to $to shows $changes changes", async ({ from, to, changes }) => {
  const { host } = await mounted();
  const rehearsal = host.session("s-1").rehearse();
  for (const todos of [from, to])
    await rehearsal.call({ name: "todo", arguments: { action: "create", todos } });

  expect(rehearsal.calls).toHaveLength(changes);
});

test("a list is created, changed and shown", async () => {
  const { call } = await mounted();

  expect(await call({ action: "create", todos: [repair, show] })).toMatchObject({
    data: { status: "created", count: 2, todos: [repair, show] },
  });
  expect(await call({ action: "update", todos: [read, repair, show, show] })).toMatchObject({
    data: { status: "updated", count: 4, pending: 2, in_progress: 1, completed: 1 },
  });
  expect((await call({ action: "list" })).data).toEqual({
    status: "listed",
    count: 4,
    todos: [read, repair, show, show],
  });
});

test("a session has its own list, and there is none in the beginning", async () => {
  const { call } = await mounted();
  await call({ action: "create", todos: [repair] }, "s-1");

  expect(await call({ action: "list" }, "s-1")).toMatchObject({ data: { todos: [repair] } });
  expect(await call({ action: "list" }, "s-2")).toMatchObject({ data: { count: 0, todos: [] } });
});

test("a list is kept with its session, and comes back with it", async () => {
  const one = await mounted();
  await one.call({ action: "create", todos: [repair] }, "s-1");
  const other = await mounted();
  other.host.session("s-1").restore(one.host.session("s-1").snapshot());

  expect(await other.call({ action: "list" }, "s-1")).toMatchObject({ data: { todos: [repair] } });
});

test("an empty list clears it", async () => {
  const { call } = await mounted();
  await call({ action: "create", todos: [repair] });
  await call({ action: "update", todos: [] });

  expect(await call({ action: "list" })).toMatchObject({ data: { count: 0 } });
});

test("what does not fit leaves the list as it was", async () => {
  const { call } = await mounted();
  await call({ action: "create", todos: [repair] });
  await call({ action: "update", todos: [{ ...repair, status: "done" }] });

  expect(await call({ action: "list" })).toMatchObject({ data: { todos: [repair] } });
});

test("a call of a session warns of nothing", async () => {
  const { call } = await mounted();

  expect(await call({ action: "create", todos: [repair] })).not.toHaveProperty("warnings");
  expect(await call({ action: "list" })).not.toHaveProperty("warnings");
});

test("a call of no session says that the list is not kept", async () => {
  expect(await createTodo().execute({ action: "create", todos: [repair] })).toMatchObject({
    data: { status: "created" },
    warnings: ["this call belongs to no session: the list is not kept"],
  });
});

test("a list is bounded", async () => {
  const { call } = await mounted({ max_todos: 2 });

  expect(await call({ action: "create", todos: [read, repair] })).toMatchObject({ data: { count: 2 } });
  expect(await call({ action: "create", todos: [read, repair, show] })).toMatchObject({
    error: "3 items are too many: the list may have 2",
    code: "TOO_MANY_TODOS",
  });
});

test("a change is reported with its numbers and its call", async () => {
  const { host, call } = await mounted();
  const seen: unknown[] = [];
  host.coordinator.hooks.observe("todo:changed", (_, data) => void seen.push(data));
  await call({ action: "create", todos: [repair, show] });
  await call({ action: "list" });
  await host.close();

  expect(seen).toMatchObject([
    {
      action: "create",
      count: 2,
      pending: 1,
      in_progress: 1,
      completed: 0,
      session_id: "s-1",
      tool_name: "todo",
    },
  ]);
});

test.each([
  { params: {}, error: "action is required. Valid actions: create, update, list" },
  { params: { action: "add" }, error: "Unknown action: add. Valid actions: create, update, list" },
  { params: { action: "create" }, error: "todos is required for create and update; an empty list clears it" },
  {
    params: { action: "create", todos: [repair, { content: "x", status: "pending" }] },
    error: "Todo 1 missing required fields (content, status, activeForm)",
  },
  {
    params: { action: "create", todos: [{ ...repair, content: " " }] },
    error: "Todo 0 missing required fields (content, status, activeForm)",
  },
  {
    params: { action: "update", todos: [repair, { ...repair, status: "done" }] },
    error: "Todo 1 has invalid status: done",
  },
  { params: { action: 7 }, error: "Unknown action: 7. Valid actions: create, update, list" },
  {
    params: { action: "update", todos: [{ ...repair, status: "x".repeat(101) }] },
    error: `Todo 0 has invalid status: ${"x".repeat(100)}`,
  },
  {
    params: { action: "update", todos: [{ content: "x", activeForm: "y" }] },
    error: "Todo 0 missing required fields (content, status, activeForm)",
  },
])("$params answers $error", async ({ params, error }) => {
  const { call } = await mounted();

  expect(await call(params)).toMatchObject({ error, code: "INVALID_ARGUMENTS" });
});

test.each([
  { action: "list", extra: 1 },
  { action: "create", todos: "x" },
  { action: "create", todos: [null] },
  { action: "create", todos: [{ ...repair, id: 1 }] },
  { action: "create", todos: [{ ...repair, content: "x".repeat(1001) }] },
  { action: "__proto__" },
])("%o is refused", async (params) => {
  const { call } = await mounted();

  expect(await call(params)).toMatchObject({ code: "INVALID_ARGUMENTS" });
});

import { ProtocolError, type CallToolResult, type ServerContext } from "@modelcontextprotocol/server";
import { createMemoryStore, type StateStore, type WorkRecord } from "@toolmount/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ServedTask } from "../src/tasks/served-task.ts";
import { ServedTasks } from "../src/tasks/served-tasks.ts";
import { SuspendableCall } from "../src/tasks/suspended.ts";
import { hostOf, notingLogger } from "./support.ts";

const start = 1_000_000;
const text = (said: string): CallToolResult => ({ content: [{ type: "text", text: said }] });
const render = async (outcome: object) => outcome as CallToolResult;
const attached = {
  client: {},
  capabilities: {},
  logLevel: undefined,
  isHere: undefined,
  log() {},
  signInPage: undefined,
};
const continueTask = () => {
  throw new Error("the task runs here");
};

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: start }));
afterEach(() => void vi.useRealTimers());

/** A call whose work a test ends; why it was cancelled is noted. */
function callOf() {
  const { promise, resolve, reject } = Promise.withResolvers<object>();
  const stopped: string[] = [];
  const call = new SuspendableCall(
    attached,
    () => () => promise as never,
    { isFollowed: true },
    () => promise,
  );
  call.signal.addEventListener("abort", () => {
    stopped.push((call.signal.reason as Error).message);
    resolve(text("stopped"));
  });
  return { call, stopped, finish: resolve, fail: reject };
}

/** Tasks of one owner, and a task of a call. */
function tasksOf(store: StateStore = createMemoryStore()) {
  const { logger, lines } = notingLogger();
  const tasks = new ServedTasks(hostOf([], { store, logger }), "owner");
  const begin = async ({
    ticket,
    ...more
  }: { ttlMs?: number; userId?: string; sessionId?: string; ticket?: string } = {}) => {
    const made = { sessionId: "session", call: { name: "work", arguments: { a: 1 } }, ttlMs: 60_000, render };
    const own = callOf();
    own.call.ticket = ticket;
    const task = await tasks.start(own.call, { ...made, ...more });
    return { ...own, task, id: task.id };
  };
  const find = (id: string, userId?: string) => tasks.find(id, { userId }, continueTask);
  return { tasks, begin, find, lines, store };
}

const settled = () => vi.advanceTimersByTimeAsync(0);
const statuses = async (store: StateStore) =>
  (await store.work!.list({ kind: "mcp-task" })).map(({ status }) => status);

describe("a task", () => {
  test("is described as it works, asks, and ends", async () => {
    const { begin } = tasksOf();
    const { task, call, finish } = await begin();
    const facts = { id: task.id, ttlMs: 60_000, createdAt: start, changedAt: start, message: undefined };
    const { sessionId, userId } = task.record.facts;
    expect([sessionId, userId]).toEqual(["session", null]);
    expect(task.state).toEqual({ ...facts, status: "working", asked: {} });

    vi.setSystemTime(start + 1);
    call.note("half");
    expect(task.state).toMatchObject({ changedAt: start + 1, message: "half", status: "working" });

    const answers = call.ask({ a: { method: "elicitation/create" }, b: { method: "roots/list" } });
    const asked = { a: { method: "elicitation/create" }, b: { method: "roots/list" } };
    expect(task.state).toMatchObject({ status: "input_required", asked });
    task.answer({ a: 1, c: 6 });
    expect(task.state.asked).toEqual({ b: { method: "roots/list" } });
    task.answer({ a: 5, b: 2 });
    expect(await answers).toEqual({ a: 1, b: 2 });
    expect(task.state).toMatchObject({ status: "working", asked: {} });
    const again = call.ask({ a: { method: "roots/list" } });
    expect(task.state.asked).toEqual({ "a-2": { method: "roots/list" } });
    task.answer({ a: 1 });
    task.answer({ "a-2": 3 });
    expect(await again).toEqual({ a: 3 });

    vi.setSystemTime(start + 2);
    finish(text("done"));
    await settled();
    const end = { status: "completed", at: start + 2, message: "half", result: text("done") };
    expect(task.state).toEqual({ ...facts, changedAt: start + 2, asked: {}, ...end });
  });

  test("that fails has the error of the protocol, or says only that the call failed", async () => {
    const { begin } = tasksOf();
    const [one, other] = [await begin(), await begin()];
    one.fail(new ProtocolError(-32_602, "bad", { a: 1 }));
    other.fail(new Error("secret"));
    await settled();
    expect(one.task.state.error).toEqual({ code: -32_602, message: "bad", data: { a: 1 } });
    expect(other.task.state.error).toEqual({ code: -32_603, message: "the call failed", data: undefined });
  });

  test("that is cancelled stops its call, and has no other end afterwards", async () => {
    const { begin } = tasksOf();
    const { task, stopped, finish } = await begin();
    await task.cancel(new Error("enough"));
    finish(text("done"));
    await settled();
    await task.cancel(new Error("again"));
    expect(stopped).toEqual(["enough"]);
    expect(task.state).toMatchObject({ status: "cancelled", message: "enough", changedAt: start });
    expect(task.state).not.toHaveProperty("result");
  });

  test.each([
    [0, 1_000],
    [1_000, 1_000],
    [1_001, 1_001],
    [86_400_000, 86_400_000],
    [86_400_001, 86_400_000],
  ])("that is to be kept %i ms is kept %i ms", async (ttlMs, expected) => {
    const { begin, find, store } = tasksOf();
    const { task, stopped, id } = await begin({ ttlMs, ticket: "t" });
    expect(task.state.ttlMs).toBe(expected);
    await vi.advanceTimersByTimeAsync(expected - 1);
    expect(await find(id)).toBe(task);
    expect(stopped).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(stopped).toEqual(["the time of the task is over"]);
    await expect(find(id)).rejects.toThrow("a task is forgotten after its ttl");
    expect(await statuses(store)).toEqual(["forgotten"]);
  });

  test("whose result is collected has it with the id of the task", async () => {
    const { begin } = tasksOf();
    const { task, finish } = await begin();
    const ctx = { mcpReq: { signal: new AbortController().signal } } as unknown as ServerContext;
    const result = task.result(ctx);
    finish({ ...text("done"), _meta: { own: 1 } });
    const related = { "io.modelcontextprotocol/related-task": { taskId: task.id } };
    expect(await result).toEqual({ ...text("done"), _meta: { own: 1, ...related } });
  });

  test("that asks while its result is awaited asks on the stream of that request", async () => {
    const { begin } = tasksOf();
    const { task, call, finish } = await begin();
    const sent: unknown[] = [];
    const send = async (request: { method: string }) => (sent.push(request), `answer ${request.method}`);
    const ctx = { mcpReq: { signal: new AbortController().signal, send } } as unknown as ServerContext;
    const result = task.result(ctx);
    const answers = call.ask({
      a: { method: "elicitation/create", params: { message: "?" } },
      b: { method: "roots/list" },
    });
    expect(await answers).toEqual({ a: "answer elicitation/create", b: "answer roots/list" });
    const related = { "io.modelcontextprotocol/related-task": { taskId: task.id } };
    expect(sent).toEqual([
      { method: "elicitation/create", params: { message: "?", _meta: related } },
      { method: "roots/list", params: { _meta: related } },
    ]);
    finish(text("done"));
    expect(await result).toMatchObject(text("done"));
  });

  test("whose client leaves the request for the result keeps running", async () => {
    const { begin } = tasksOf();
    const { task, stopped } = await begin();
    const signal = AbortSignal.abort(new Error("it has left"));
    await expect(task.result({ mcpReq: { signal } } as unknown as ServerContext)).rejects.toThrow(
      "it has left",
    );
    expect([stopped, task.state.status]).toEqual([[], "working"]);
  });
});

test("a task is found by its own user, and the error of another one names it in 100 characters", async () => {
  const { begin, find } = tasksOf();
  const { task, id } = await begin({ userId: "ana" });
  expect(task.record.facts.userId).toBe("ana");
  expect(await find(id, "ana")).toBe(task);
  const words = (shown: string) =>
    `there is no task "${shown}" of this client; a task is forgotten after its ttl`;
  for (const user of [undefined, "bo"])
    await expect(find(id, user)).rejects.toMatchObject({ code: -32_602, message: words(id) });
  await expect(find("a".repeat(101))).rejects.toMatchObject({ message: words("a".repeat(100)) });
});

test("a session that ends takes its own running tasks with it", async () => {
  const { tasks, begin, find, store } = tasksOf();
  const [own, waits, foreign] = [await begin(), await begin(), await begin({ sessionId: "other" })];
  await waits.call.keepTicket("t");
  await tasks.end("session");

  expect([own.stopped, waits.stopped, foreign.stopped]).toEqual([
    ["the session has ended"],
    ["the session has ended"],
    [],
  ]);
  expect((await statuses(store)).toSorted()).toEqual(["ended", "running", "waiting"]);
  expect((await find(own.id)).state).toMatchObject({ status: "cancelled", message: "the session has ended" });
  expect(await find(foreign.id)).toBe(foreign.task);
});

test("tasks have settled when those that run here have ended, and not those that wait for a person", async () => {
  const { tasks, begin } = tasksOf();
  const [runs, waits] = [await begin(), await begin()];
  await waits.call.keepTicket("t");
  let isSettled = false;
  const settling = tasks.settled().then(() => (isSettled = true));
  await settled();
  expect(isSettled).toBe(false);
  runs.finish(text("done"));
  await settling;
  expect(runs.task.state.status).toBe("completed");
  await tasks.end("session");
});

test("the oldest of more than 1,000 tasks makes room", async () => {
  vi.useRealTimers();
  const { begin, find } = tasksOf();
  const first = await begin();
  const rest: ServedTask[] = [];
  for (let count = 0; count < 999; count++) rest.push((await begin()).task);
  expect(first.stopped).toEqual([]);
  await begin();
  expect(first.stopped).toEqual(["newer tasks took its place"]);
  await expect(find(first.id)).rejects.toThrow("there is no task");
  expect(await find(rest[0]!.id)).toBe(rest[0]);
});

test("a task that cannot be stored does not exist, and its call ends", async () => {
  const store = createMemoryStore();
  const work = { ...store.work!, save: () => Promise.reject(new Error("the store is full")) };
  const { tasks, find } = tasksOf({ ...store, work });
  const own = callOf();
  const made = { sessionId: "s", call: { name: "work" }, ttlMs: 1_000, render };
  await expect(tasks.start(own.call, made)).rejects.toThrow("the store is full");
  expect(own.stopped).toEqual(["the task could not be stored"]);
  await expect(find("x")).rejects.toThrow("there is no task");
});

test("a result that cannot be stored is read here, and the log says so", async () => {
  const store = createMemoryStore();
  let isFull = false;
  const save = async (record: WorkRecord) => {
    if (isFull) throw new Error("the store is full");
    return store.work!.save(record);
  };
  const { begin, lines } = tasksOf({ ...store, work: { ...store.work!, save } });
  const { task, finish } = await begin();
  isFull = true;
  finish(text("done"));
  await settled();
  expect(task.state).toMatchObject({ status: "completed", result: text("done") });
  expect(lines).toEqual([
    [
      "warn",
      { err: expect.objectContaining({ message: "the store is full" }) },
      "the result of a task could not be stored",
    ],
  ]);
});

import type { CallToolResult } from "@modelcontextprotocol/server";
import { createMemoryStore, type StateStore, type WorkStore } from "@toolmount/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { ServedTasks } from "../src/tasks/served-tasks.ts";
import { SuspendableCall } from "../src/tasks/suspended.ts";
import type { TaskRecord } from "../src/tasks/task-record.ts";
import { resultOf } from "../src/tasks/task-state.ts";
import { hostOf } from "./support.ts";

const text = (said: string): CallToolResult => ({ content: [{ type: "text", text: said }] });
const render = async (outcome: object) => outcome as CallToolResult;

function callOf(work: (signal: AbortSignal) => Promise<object>): SuspendableCall {
  const attached = { client: {}, capabilities: {}, logLevel: undefined, isHere: undefined, log() {} };
  return new SuspendableCall(
    { ...attached, signInPage: undefined },
    () => () => Promise.reject(new Error("no internal tool is here")),
    { isFollowed: true },
    ({ signal }) => work(signal),
  );
}

/** One of several processes with one store: it begins a call whose end the test decides, or follows one. */
function processWith(store: StateStore) {
  const tasks = new ServedTasks(hostOf([], { store }), "ana");
  const begin = async (args: Record<string, unknown> = {}) => {
    const { promise, resolve } = Promise.withResolvers<object>();
    const call = callOf((signal) => {
      signal.addEventListener("abort", () => resolve(text("stopped")), { once: true });
      return promise;
    });
    const made = { sessionId: "session", call: { name: "work", arguments: args }, ttlMs: 60_000, render };
    const task = await tasks.start(call, made);
    onTestFinished(() => task.leave(new Error("the test is over")));
    return { id: task.id, task, finish: (said: string) => resolve(text(said)) };
  };
  const continueTask = (record: TaskRecord) => ({
    call: callOf(async (signal) => {
      await record.takeOver(signal);
      return record.kept.end === undefined ? text("taken over") : resultOf(record.kept.end);
    }),
    render,
  });
  return { tasks, begin, find: (id: string) => tasks.find(id, {}, continueTask) };
}

/** A memory store of which a test changes the methods for work. */
function storeWith(change: (work: WorkStore) => Partial<WorkStore>): StateStore {
  const store = createMemoryStore();
  return { ...store, work: { ...store.work!, ...change(store.work!) } };
}

const stored = async (store: StateStore, id: string) => (await processWith(store).find(id)).state;

test("a cancellation while the result is being stored changes no end that is stored", async () => {
  const slow = Promise.withResolvers<void>();
  const store = storeWith((work) => ({
    save: async (record) => {
      if (record.status === "ended") await slow.promise;
      return work.save(record);
    },
  }));
  const { begin } = processWith(store);
  const { id, task, finish } = await begin();
  finish("done");
  await new Promise(setImmediate);
  const cancelled = task.cancel(new Error("the client cancelled the task"));
  slow.resolve();
  await cancelled;

  expect(task.state).toMatchObject({ status: "completed", result: text("done") });
  expect(await stored(store, id)).toMatchObject({ status: "completed", result: text("done") });
});

test("a task that one process cancelled stays cancelled where another one follows it", async () => {
  const store = createMemoryStore();
  const [one, other] = [processWith(store), processWith(store)];
  const { id, task } = await one.begin();
  const followed = await other.find(id);
  await task.cancel(new Error("the client cancelled the task"));

  await vi.waitUntil(() => followed.state.status !== "working", 5_000);

  const cancelled = { status: "cancelled", message: "the client cancelled the task" };
  expect(task.state).toMatchObject(cancelled);
  expect(followed.state).toMatchObject(cancelled);
  expect(await stored(store, id)).toMatchObject(cancelled);
});

test("a process shows the end that another one has stored before its own", async () => {
  const store = createMemoryStore();
  const [one, other] = [processWith(store), processWith(store)];
  const { id, task, finish } = await one.begin();
  await (await other.find(id)).cancel(new Error("the client cancelled the task"));
  finish("done");

  await vi.waitUntil(() => task.state.status !== "working");

  expect(task.state).toMatchObject({ status: "cancelled" });
});

test("a session that ends in a process that only follows a call does not end the call", async () => {
  const store = createMemoryStore();
  const [one, other] = [processWith(store), processWith(store)];
  const { id, task, finish } = await one.begin();
  await other.find(id);
  await other.tasks.end("session");
  finish("done");

  await vi.waitUntil(() => task.state.status !== "working");

  expect(await stored(store, id)).toMatchObject({ status: "completed", result: text("done") });
});

test("a process that cannot read the store for a moment does not end the call that it follows", async () => {
  let fails = false;
  const store = createMemoryStore();
  const failing = {
    ...store,
    work: {
      ...store.work!,
      async get(kind: string, id: string) {
        if (fails) throw new Error("the store is away");
        return store.work!.get(kind, id);
      },
    },
  };
  const { id, finish } = await processWith(store).begin();
  const followed = await processWith(failing).find(id);
  fails = true;
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  fails = false;
  finish("done");

  await vi.waitUntil(() => followed.state.status !== "working", 5_000);

  expect(followed.state).toMatchObject({ status: "completed", result: text("done") });
});

test("a process stops to ask for a task that was deleted", async () => {
  let asked = 0;
  const store = storeWith((work) => ({
    get: (kind, id) => {
      asked += 1;
      return work.get(kind, id);
    },
  }));
  const { id } = await processWith(store).begin();
  const followed = await processWith(store).find(id);
  await store.work!.remove("mcp-task", ["running"], Date.now() + 1);

  await vi.waitUntil(() => followed.state.status === "failed", 5_000);
  const before = asked;
  await new Promise((resolve) => setTimeout(resolve, 1_200));

  expect(asked).toBe(before);
});

test("arguments that are too large to keep take no place from a result", async () => {
  const store = createMemoryStore();
  const { begin } = processWith(store);
  const { id, task, finish } = await begin({ text: "a".repeat(9 * 1024 * 1024) });
  finish("done");
  await vi.waitUntil(() => task.state.status !== "working");

  expect(await stored(store, id)).toMatchObject({ status: "completed", result: text("done") });
});

test("a question under a name that each object has is not answered by a request without answers", async () => {
  const call = callOf(() => Promise.resolve({}));
  const answers = call.ask({ constructor: { method: "elicitation/create", params: {} } });
  call.answer({});
  expect(call.state.asked).toHaveProperty("constructor");

  call.answer({ constructor: { action: "decline" } });

  expect(await answers).toEqual({ constructor: { action: "decline" } });
});

import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WireReader } from "../src/reading/reader.ts";
import { followTask, startTask, taskOf } from "../src/tasks/follow.ts";
import type { Task } from "../src/tasks/task.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const content = [{ type: "text", text: "done" }];
const relatedKey = "io.modelcontextprotocol/related-task";
const working: Task = { taskId: "t", status: "working", pollInterval: 50 };

/** A server that answers each look at a task with the next state; what it is asked is noted. */
function world(era: "legacy" | "modern", states: readonly object[], result: object = { content }) {
  const asked: [string, unknown][] = [];
  const left = [...states];
  const client = {
    getProtocolEra: () => era,
    request: async ({ method, params }: { method: string; params: object }) => {
      asked.push([method, params]);
      return method === "tasks/get" ? left.shift() : method === "tasks/result" ? result : {};
    },
  } as unknown as Client;
  const seen: string[] = [];
  const questions: unknown[] = [];
  const follow = (first: Task, options: object = {}) =>
    followTask(
      client,
      first,
      { timeout: 1, onprogress: () => {}, ...options },
      {
        onState: ({ status }) => void seen.push(status),
        answer: async (requests) => (questions.push(requests), { q: { action: "accept" } }),
      },
    );
  return { client, asked, seen, questions, follow };
}

const real = async (work: Promise<unknown>) => {
  work.catch(() => {}); // it may fail while time passes, before anything waits for it
  for (let turn = 0; turn < 20; turn++) await vi.advanceTimersByTimeAsync(1_000);
  return work;
};

describe("a task of a server of 2026", () => {
  test("is looked at until it has its result, and its questions are answered once", async () => {
    const asks = { ...working, status: "input_required", inputRequests: { q: { method: "roots/list" } } };
    const done = { ...working, status: "completed", result: { structuredContent: { a: 1 } } };
    const { follow, asked, seen, questions } = world("modern", [asks, asks, done]);
    expect(await real(follow(working))).toEqual({ content: [], structuredContent: { a: 1 } });
    expect(seen).toEqual(["working", "input_required", "input_required", "completed"]);
    expect(questions).toEqual([{ q: { method: "roots/list" } }]);
    expect(asked).toEqual([
      ["tasks/get", { taskId: "t" }],
      ["tasks/update", { taskId: "t", inputResponses: { q: { action: "accept" } } }],
      ["tasks/get", { taskId: "t" }],
      ["tasks/get", { taskId: "t" }],
    ]);
  });

  test.each<[string, object, object]>([
    [
      "failed with an error",
      { status: "failed", error: { code: -32_000, message: "no paper", data: { a: 1 } } },
      { code: -32_000, message: "no paper", data: { a: 1 } },
    ],
    [
      "failed with a message",
      { status: "failed", statusMessage: "no paper" },
      { code: -32_603, message: "no paper" },
    ],
    [
      "was cancelled",
      { status: "cancelled" },
      { code: -32_603, message: "the server ended the task as cancelled" },
    ],
    [
      "completed without a result",
      { status: "completed" },
      { code: -32_603, message: "the server ended the task as completed" },
    ],
  ])("that %s is an error of the protocol", async (_, end, expected) => {
    await expect(world("modern", []).follow({ taskId: "t", ...end } as Task)).rejects.toMatchObject(expected);
  });
});

describe("a task of a server from before 2026", () => {
  test.each(["completed", "failed", "cancelled", "input_required"])(
    "that is %s has its result",
    async (status) => {
      const result = { content, _meta: { [relatedKey]: { taskId: "t" }, own: 1 } };
      const { follow, asked } = world("legacy", [{ ...working, status }], result);
      expect(await real(follow(working))).toEqual({ content, _meta: { own: 1 } });
      expect(asked.map(([method]) => method)).toEqual(["tasks/get", "tasks/result"]);
    },
  );

  test("has no member for itself in its result", async () => {
    const ended = { ...working, status: "completed" } as Task;
    const related = { content, _meta: { [relatedKey]: { taskId: "t" } } };
    expect(await world("legacy", [], related).follow(ended)).toEqual({ content });
    expect(await world("legacy", [], { content }).follow(ended)).toEqual({ content });
  });
});

test("a call that is cancelled cancels its task, and one that fails does not", async () => {
  const controller = new AbortController();
  const { follow, asked } = world("modern", [working]);
  const following = follow(working, { signal: controller.signal });
  following.catch(() => {});
  controller.abort(new Error("enough"));
  await expect(following).rejects.toThrow(/abort/i);
  expect(asked).toEqual([["tasks/cancel", { taskId: "t" }]]);

  const failing = world("modern", [{ no: "task" }]);
  await expect(real(failing.follow(working))).rejects.toThrow("taskId");
  expect(failing.asked.map(([method]) => method)).toEqual(["tasks/get"]);
});

test("a tool is called as a task of its own", async () => {
  const { client } = world("legacy", []);
  const asked: unknown[] = [];
  client.request = async (request: object) => (asked.push(request), { task: working }) as never;
  expect(await startTask(client, { name: "slow", arguments: { a: 1 } }, {})).toEqual(working);
  expect(asked).toEqual([{ method: "tools/call", params: { name: "slow", arguments: { a: 1 }, task: {} } }]);
});

test.each(["at once", "late", "with an error"])(
  "a call that is cancelled before its server has named the task, which it does %s",
  async (when) => {
    const { client } = world("legacy", []);
    const asked: [string, unknown][] = [];
    const answer = Promise.withResolvers<object>();
    client.request = (async (
      { method, params }: { method: string; params: object },
      _: unknown,
      options: object,
    ) => {
      asked.push([method, options ?? params]);
      return method === "tools/call" ? answer.promise : {};
    }) as never;
    const controller = new AbortController();
    const started = startTask(client, { name: "slow" }, { signal: controller.signal, timeout: 5 });
    if (when === "at once") answer.resolve({ task: working });
    controller.abort(new Error("enough"));
    await expect(started).rejects.toThrow("enough");
    if (when === "late") answer.resolve({ task: working });
    if (when === "with an error") answer.reject(new Error("no such tool"));
    await real(Promise.resolve());
    // The request itself is not cancelled: the revision forbids it.
    const cancel = ["tasks/cancel", { taskId: "t" }];
    expect(asked).toEqual([["tools/call", { timeout: 5 }], ...(when === "with an error" ? [] : [cancel])]);
    await expect(startTask(client, {}, { signal: controller.signal })).rejects.toThrow("enough");
  },
);

/** What a connection reads, and the tasks of answers that came too late. */
function wire() {
  const late: string[] = [];
  const reader = new WireReader(
    () => {},
    (taskId) => late.push(taskId),
  );
  const call = (id: number) => reader.sent({ jsonrpc: "2.0", id, method: "tools/call", params: {} });
  const cancel = (requestId: number) =>
    reader.sent({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  const take = (message: object) => reader.read(JSON.stringify({ jsonrpc: "2.0", ...message }))[0];
  const task = (id: number) => take({ id, result: { resultType: "task", ...working } });
  return { late, call, cancel, take, task };
}

test("the task of an answer that came after its call was cancelled is cancelled, once", () => {
  const { late, call, cancel, take, task } = wire();
  call(1);
  task(1);
  call(1);
  cancel(1);
  take({ id: 1, result: { resultType: "complete" } });
  expect(late).toEqual([]);
  call(1);
  cancel(1);
  for (const id of [2, 1, 1]) task(id);
  expect(late).toEqual(["t"]);

  // Of cancelled requests that no server answers, the newest thousand are remembered.
  for (let id = 10; id <= 1_010; id++) cancel(id);
  for (const id of [10, 11]) task(id);
  expect(late).toEqual(["t", "t"]);
});

test("the result of a call that became a task has the task beside it", () => {
  const { call, task } = wire();
  call(1);
  const admitted = task(1) as unknown as { result: CallToolResult };
  expect(admitted.result).toEqual({
    resultType: "complete",
    content: [],
    _meta: { "dev.toolmount/task": working },
  });
  expect(taskOf(admitted.result)).toEqual(working);
  for (const value of [{ content }, { content, _meta: {} }, { content, _meta: { "dev.toolmount/task": [] } }])
    expect(taskOf(value as CallToolResult)).toBeUndefined();
});

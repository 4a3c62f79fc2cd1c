import { ProtocolError } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { config } from "../src/mount/config.ts";
import { negotiationOf } from "../src/mount/client.ts";
import { failedBy, resultOf, toEarlier, toExtension, type TaskState } from "../src/tasks/task-state.ts";

const state: TaskState = { id: "t", status: "working", createdAt: 0, changedAt: 1_000, ttlMs: 60_000 };
const facts = {
  taskId: "t",
  createdAt: "1970-01-01T00:00:00.000Z",
  lastUpdatedAt: "1970-01-01T00:00:01.000Z",
};
const result = { content: [] };
const error = { code: -32_000, message: "no", data: undefined };

test.each<[string, Partial<TaskState>, object, object]>([
  ["that works", {}, { status: "working" }, { status: "working" }],
  [
    "with a message",
    { message: "soon" },
    { status: "working", statusMessage: "soon" },
    { status: "working", statusMessage: "soon" },
  ],
  [
    "that asks its client",
    { status: "input_required", asked: { q: 1 } },
    { status: "input_required", inputRequests: { q: 1 } },
    { status: "input_required" },
  ],
  [
    "that has its result",
    { status: "completed", result },
    { status: "completed", result },
    { status: "completed" },
  ],
  [
    "whose result is an error",
    { status: "completed", result: { ...result, isError: true } },
    { status: "completed", result: { ...result, isError: true } },
    { status: "failed" },
  ],
  ["that failed", { status: "failed", error }, { status: "failed", error }, { status: "failed" }],
  [
    "that was cancelled",
    { status: "cancelled", result, error },
    { status: "cancelled" },
    { status: "cancelled" },
  ],
])("a task %s is described in both revisions", (_, more, extension, earlier) => {
  expect(toExtension({ ...state, ...more })).toEqual({
    ...facts,
    ttlMs: 60_000,
    pollIntervalMs: 500,
    ...extension,
  });
  expect(toEarlier({ ...state, ...more })).toEqual({ ...facts, ttl: 60_000, pollInterval: 500, ...earlier });
});

test("work that threw ends with the error of the protocol, and any other error stays in the host", () => {
  const thrown = new ProtocolError(-32_602, "bad", { a: 1 });
  expect(failedBy(thrown)).toEqual({
    status: "failed",
    error: { code: -32_602, message: "bad", data: { a: 1 } },
  });
  expect(failedBy(new Error("secret"))).toEqual({
    status: "failed",
    error: { code: -32_603, message: "the call failed", data: undefined },
  });
});

test("the result of an ended task is what it returned, or its error, or why it has none", () => {
  expect(resultOf({ result, error })).toBe(result);
  const thrownBy = (end: Parameters<typeof resultOf>[0]) => {
    try {
      return resultOf(end);
    } catch (thrown) {
      const { code, message, data } = thrown as ProtocolError;
      return { code, message, data };
    }
  };
  expect(thrownBy({ error: { ...error, data: { a: 1 } }, message: "m" })).toEqual({
    code: -32_000,
    message: "no",
    data: { a: 1 },
  });
  expect(thrownBy({ message: "it was cancelled" })).toEqual({
    code: -32_602,
    message: "it was cancelled",
    data: undefined,
  });
  expect(thrownBy({})).toEqual({ code: -32_602, message: "the task has no result", data: undefined });
});

test.each([
  [{ command: "a", era: "legacy" }, { mode: "legacy" }],
  [{ command: "a", era: "modern" }, { mode: { pin: "2026-07-28" } }],
  [{ command: "a" }, { mode: "auto", probe: { timeoutMs: 10_000 } }],
  [
    { command: "a", startTimeoutMs: 3_000 },
    { mode: "auto", probe: { timeoutMs: 1_000 } },
  ],
  [
    { url: "https://a.example", startTimeoutMs: 3_000 },
    { mode: "auto", probe: { timeoutMs: 1_000 } },
  ],
])("a server of %j is asked for its revision by %j", (entry, expected) => {
  expect(negotiationOf(config.parse({ name: "files", ...entry }))).toEqual(expected);
});

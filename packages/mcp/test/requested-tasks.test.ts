import { createMemoryStore, data, defineTool, failure } from "@toolmount/core";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { taskCapabilities } from "../src/serve/tasks.ts";
import { add, connectHttp, connectStreams, hostOf, remove } from "./support.ts";

const loose = z.looseObject({});
const base = { category: "side_effect", consequenceLevel: "low", requiresConfirmation: false } as const;
const schema = z.strictObject({});

/** A tool of a server that ends its call with an error of the protocol, or with one of its own. */
const broken = (name: string, details: unknown) =>
  defineTool({
    ...base,
    name,
    description: "Fails. Use in tests.",
    schema,
    execute: () => failure("no paper", { code: "MCP_ERROR", details: details as never }),
  });
const quiet = defineTool({
  ...base,
  name: "quiet",
  description: "Says nothing. Use in tests.",
  schema,
  execute: () => data(null),
});
const tools = [
  add,
  remove,
  quiet,
  broken("broken", { code: -32_010, data: { a: 1 } }),
  broken("odd", { code: "x" }),
];

test("a server says that calls may be tasks as each revision says it", () => {
  const legacy = { tasks: { cancel: {}, requests: { tools: { call: {} } } } };
  expect(taskCapabilities("legacy", [])).toEqual(legacy);
  expect(taskCapabilities("legacy", ["own/skills"])).toEqual({ ...legacy, extensions: { "own/skills": {} } });
  expect(taskCapabilities("modern", ["own/skills"])).toEqual({
    extensions: { "io.modelcontextprotocol/tasks": {}, "own/skills": {} },
  });
});

describe("a client of 2025 that asks for a task", () => {
  const world = async () => {
    const host = hostOf(tools, { store: createMemoryStore() });
    const client = await connectStreams(host, "legacy");
    const ask = async (method: string, params: object) =>
      (await client.request({ method, params } as never, loose)) as Record<string, never>;
    const call = async (name: string, task: unknown, args: object = {}) =>
      ask("tools/call", { name, arguments: args, task });
    const start = async (name: string, args: object = {}, task: unknown = {}) =>
      (await call(name, task, args))["task"] as unknown as { taskId: string; status: string };
    const decide = async () => {
      const [question] = await host.approvals.list();
      await host.approvals.decide(question!.id, "approve", "olga");
    };
    return { host, ask, call, start, decide };
  };

  test("gets one, which it reads, and whose result it collects", async () => {
    const { ask, start } = await world();
    const task = await start("add", { a: 1, b: 2 }, { ttl: 5_000 });
    const facts = { taskId: task.taskId, ttl: 5_000, pollInterval: 500 };
    expect(task).toMatchObject({
      ...facts,
      createdAt: expect.any(String),
      lastUpdatedAt: expect.any(String),
    });
    const result = await ask("tasks/result", { taskId: task.taskId });
    expect(result).toMatchObject({
      structuredContent: { sum: 3 },
      _meta: { "io.modelcontextprotocol/related-task": { taskId: task.taskId } },
    });
    expect(await ask("tasks/get", { taskId: task.taskId })).toMatchObject({ ...facts, status: "completed" });
  });

  test("keeps it for an hour where it says no other time, and gets none where it asks for none", async () => {
    const { start, call } = await world();
    expect(await start("quiet")).toMatchObject({ ttl: 3_600_000 });
    expect(await call("quiet", undefined)).not.toHaveProperty("task");
  });

  test("reads that it waits for a person, and has its result afterwards", async () => {
    const { ask, start, decide } = await world();
    const { taskId } = await start("remove", { path: "a" });
    await vi.waitUntil(async () => "statusMessage" in (await ask("tasks/get", { taskId })), 60_000);
    expect(await ask("tasks/get", { taskId })).toMatchObject({
      status: "working",
      statusMessage: "waiting for a person to approve",
    });
    await decide();
    expect(await ask("tasks/result", { taskId })).toMatchObject({ structuredContent: { gone: "a" } });
  });

  test("cancels it, which takes its question back", async () => {
    const { ask, start, host } = await world();
    const { taskId } = await start("remove", { path: "a" });
    await vi.waitUntil(async () => (await host.approvals.list()).length > 0, 60_000);
    const cancelled = { taskId, status: "cancelled", statusMessage: "the client cancelled the task" };
    expect(await ask("tasks/cancel", { taskId })).toMatchObject(cancelled);
    expect(await ask("tasks/get", { taskId })).toMatchObject(cancelled);
    await vi.waitUntil(async () => (await host.approvals.list()).length === 0, 60_000);
  });

  test("reads the error of the protocol with which a mounted server ended it", async () => {
    const { ask, start } = await world();
    const { taskId } = await start("broken");
    await expect(ask("tasks/result", { taskId })).rejects.toMatchObject({
      code: -32_010,
      message: expect.stringContaining("no paper"),
      data: { a: 1 },
    });
    expect(await ask("tasks/get", { taskId })).toMatchObject({ status: "failed" });
    const odd = await start("odd");
    expect(await ask("tasks/result", { taskId: odd.taskId })).toMatchObject({ isError: true });
    await expect(ask("tasks/get", { taskId: "none" })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('there is no task "none" of this client'),
    });
  });
});

describe("a client of 2026", () => {
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  const world = async (capabilities: object) => {
    const host = hostOf(tools, { store: createMemoryStore() });
    const client = await connectHttp(host, "modern", {}, { capabilities });
    const ask = async (method: string, params: object) =>
      (await client.request({ method, params } as never, loose)) as Record<string, unknown>;
    return { host, ask, client };
  };

  test("that knows no tasks may not ask for one", async () => {
    const { ask } = await world({});
    for (const method of ["tasks/get", "tasks/cancel"])
      await expect(ask(method, { taskId: "t" })).rejects.toMatchObject({
        data: { requiredCapabilities: { extensions } },
      });
  });

  test("that knows tasks has none that it does not know", async () => {
    const { ask } = await world({ extensions });
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
      await expect(ask(method, { taskId: "t" })).rejects.toMatchObject({ code: -32_602 });
  });

  test("has the result of a call that does not wait at once", async () => {
    const { client } = await world({ extensions });
    expect(await client.callTool({ name: "add", arguments: { a: 1, b: 2 } })).toMatchObject({
      structuredContent: { sum: 3 },
    });
  });
});

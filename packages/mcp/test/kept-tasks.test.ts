import { createMemoryStore, data, defineTool, type StateStore } from "@toolmount/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { serveHttp } from "../src/index.ts";
import { hostOf, remove } from "./support.ts";

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};

/** A tool whose result is as long as wanted, after an approval. */
const write = defineTool({
  name: "write",
  description: "Writes a text. Use when the user asks for it.",
  schema: z.strictObject({ size: z.int() }),
  category: "write",
  consequenceLevel: "high",
  requiresConfirmation: true,
  execute: ({ size }) => data({ text: "a".repeat(size) }),
});

/** One of several servers with one store. */
function server(store: StateStore) {
  const host = hostOf([remove, write], { store, limits: { outputBytes: 32 * 1024 * 1024 } });
  const caller = () => ({ sessionId: "mcp-ana", userId: "ana" });
  const served = serveHttp(host, { caller });
  onTestFinished(() => served.close());
  const ask = async (method: string, params: Record<string, unknown>) => {
    const response = await served.fetch(
      new Request("http://127.0.0.1/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
          "mcp-name": String(params["taskId"] ?? params["name"]),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
      }),
    );
    const text = await response.text();
    const { result, error } = JSON.parse(
      text.startsWith("{") ? text : (/^data: (\{.*\})$/m.exec(text)?.[1] ?? ""),
    ) as {
      readonly result?: Record<string, unknown>;
      readonly error?: object;
    };
    return { ...result, ...(error !== undefined && { error }) } as Record<string, unknown>;
  };
  const become = (taskId: unknown, status: string) =>
    vi.waitUntil(async () => {
      const state = await ask("tasks/get", { taskId });
      return state["status"] === status && state;
    });
  return { host, ask, become, close: () => served.close() };
}

const call = { name: "remove", arguments: { path: "a.txt" } };

test("a task is followed at one server and cancelled at another; both know it", async () => {
  const store = createMemoryStore();
  const [one, other] = [server(store), server(store)];
  const { taskId } = await one.ask("tools/call", call);

  expect(await other.ask("tasks/get", { taskId })).toMatchObject({ status: "working" });
  await other.ask("tasks/cancel", { taskId });

  expect(await other.ask("tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
  expect(await one.become(taskId, "cancelled")).not.toHaveProperty("result");
  expect(await one.host.approvals.list({ states: ["pending"] })).toEqual([]);
  expect(await server(store).ask("tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
});

test("a session that ends leaves what waits in the store, and the next server resumes it", async () => {
  const store = createMemoryStore();
  const one = server(store);
  const { taskId } = await one.ask("tools/call", call);
  await one.close();
  const next = server(store);
  const [question] = await next.host.approvals.list();
  await next.host.approvals.decide(question!.id, "approve", "olga");

  const { result } = await next.become(taskId, "completed");

  expect(result).toMatchObject({ structuredContent: { gone: "a.txt" } });
});

test("the store holds neither the id of a task, nor its arguments, ticket or result in plain text", async () => {
  const store = createMemoryStore();
  const { ask } = server(store);
  const { taskId } = await ask("tools/call", call);

  const kept = JSON.stringify(await store.work!.list({ kind: "mcp-task" }));

  expect(kept).toContain('"status":"waiting"');
  for (const secret of [String(taskId), "a.txt", "ticket"]) expect(kept).not.toContain(secret);
});

test("a result of more than 8 MiB is not kept after its server, and the task says so", async () => {
  const store = createMemoryStore();
  const one = server(store);
  const { taskId } = await one.ask("tools/call", { name: "write", arguments: { size: 9 * 1024 * 1024 } });
  const [question] = await one.host.approvals.list();
  await one.host.approvals.decide(question!.id, "approve", "olga");
  await one.become(taskId, "completed");

  const { result } = await server(store).ask("tasks/get", { taskId });

  const text =
    "the result of write is larger than 8388608 characters, so it was not kept when its server ended";
  expect(result).toMatchObject({ isError: true, content: [{ type: "text", text }] });
});

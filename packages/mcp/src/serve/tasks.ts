import type {
  CallToolRequest,
  CallToolResult,
  ClientCapabilities,
  Server,
  ServerCapabilities,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { isRecord } from "../wire/guards.ts";
import { defaultTtlMs } from "../tasks/served-tasks.ts";
import type { SuspendableCall } from "../tasks/suspended.ts";
import { tasksExtension } from "../tasks/task.ts";
import type { ServedSession } from "./served-session.ts";
import type { Era } from "./tool-list.ts";

/** How a call becomes a task. */
export interface AsTask {
  /** The client asked for one. In 2026 the server decides: only a call that takes long is one. */
  readonly isWanted: boolean;
  /** Keeps the call as a task, and returns the answer that says so. */
  create(call: SuspendableCall): object;
}

/** The capabilities that say that calls may be tasks, with `others`, the names of further extensions. */
export function taskCapabilities(era: Era, others: readonly string[]): ServerCapabilities {
  const names = era === "modern" ? [tasksExtension, ...others] : others;
  return {
    ...(names.length > 0 && { extensions: Object.fromEntries(names.map((name) => [name, {}])) }),
    ...(era === "legacy" && { tasks: { cancel: {}, requests: { tools: { call: {} } } } }),
  };
}

/** Returns how a call can become a task; undefined where its client knows no tasks. */
export function taskFor(
  { task }: CallToolRequest["params"],
  capabilities: ClientCapabilities | undefined,
  served: ServedSession,
  era: Era,
  render: (outcome: object) => Promise<CallToolResult>,
): AsTask | undefined {
  if (era === "modern") {
    if (capabilities?.extensions?.[tasksExtension] === undefined) return undefined;
    const create = (call: SuspendableCall) => ({
      resultType: "task",
      ...served.tasks.start(call, render, defaultTtlMs).current,
    });
    return { isWanted: false, create };
  }
  if (!isRecord(task)) return undefined;
  const ttlMs = typeof task["ttl"] === "number" ? task["ttl"] : defaultTtlMs;
  // The SDK refuses the result of a call that has no content.
  const create = (call: SuspendableCall) => ({
    content: [],
    task: served.tasks.start(call, render, ttlMs).earlier,
  });
  return { isWanted: true, create };
}

const byId = z.looseObject({ taskId: z.string() });

/** Answers what clients ask about their tasks, in the form of their revision. */
export function serveTasks(server: Server, { tasks }: ServedSession, era: Era): void {
  const params = byId;
  if (era === "modern") {
    server.setRequestHandler("tasks/get", { params }, ({ taskId }) => ({ ...tasks.find(taskId).current }));
    server.setRequestHandler("tasks/update", { params }, ({ taskId }, { mcpReq }) => {
      tasks.find(taskId).answer(mcpReq.inputResponses ?? {});
      return {};
    });
    server.setRequestHandler("tasks/cancel", { params }, ({ taskId }) => {
      tasks.cancel(taskId);
      return {};
    });
    return;
  }
  server.setRequestHandler("tasks/get", { params }, ({ taskId }) => ({ ...tasks.find(taskId).earlier }));
  server.setRequestHandler("tasks/cancel", { params }, ({ taskId }) => ({ ...tasks.cancel(taskId).earlier }));
  server.setRequestHandler("tasks/result", { params }, ({ taskId }, ctx) => tasks.find(taskId).result(ctx));
}

import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  type Server,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ToolOutcome } from "@toolmount/core";
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
  finish: (outcome: object) => Promise<CallToolResult> | CallToolResult,
): AsTask | undefined {
  const render = async (outcome: object) => {
    throwServerError(outcome);
    return finish(outcome);
  };
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

/**
 * Throws the error of the protocol with which a mounted server ended a call: a task shows it as one. A call that is no task
 * has it as its result, which a model reads.
 */
function throwServerError(outcome: object): void {
  const { code, error = "", details } = (outcome as Partial<ToolOutcome>).result ?? {};
  if (code !== "MCP_ERROR" || !isRecord(details) || typeof details["code"] !== "number") return;
  throw new ProtocolError(details["code"], error, details["data"]);
}

/** Answers what clients ask about their tasks, in the form of their revision. */
export function serveTasks(
  server: Server,
  { tasks }: ServedSession,
  era: Era,
  capabilitiesOf: (ctx: ServerContext) => ClientCapabilities | undefined,
): void {
  const params = byId;
  if (era === "modern") {
    const find = (taskId: string, ctx: ServerContext) => {
      requireTasks(capabilitiesOf(ctx));
      return tasks.find(taskId);
    };
    server.setRequestHandler("tasks/get", { params }, ({ taskId }, ctx) => ({
      ...find(taskId, ctx).current,
    }));
    server.setRequestHandler("tasks/update", { params }, ({ taskId }, ctx) => {
      find(taskId, ctx).answer(ctx.mcpReq.inputResponses ?? {});
      return {};
    });
    server.setRequestHandler("tasks/cancel", { params }, ({ taskId }, ctx) => {
      find(taskId, ctx);
      tasks.cancel(taskId);
      return {};
    });
    return;
  }
  server.setRequestHandler("tasks/get", { params }, ({ taskId }) => ({ ...tasks.find(taskId).earlier }));
  server.setRequestHandler("tasks/cancel", { params }, ({ taskId }) => ({ ...tasks.cancel(taskId).earlier }));
  server.setRequestHandler("tasks/result", { params }, ({ taskId }, ctx) => tasks.find(taskId).result(ctx));
}

/** A client states with each request that it speaks the extension. */
function requireTasks(capabilities: ClientCapabilities | undefined): void {
  if (capabilities?.extensions?.[tasksExtension] !== undefined) return;
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
}

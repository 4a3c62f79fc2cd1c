import {
  MissingRequiredClientCapabilityError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  type Server,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ToolInfo } from "@toolmount/core";
import { z } from "zod";
import { isRecord } from "@toolmount/core/json";
import { waitForStarting } from "../wire/published.ts";
import { defaultTtlMs, type ContinueTask } from "../tasks/served-tasks.ts";
import { CancelledByClient, type SuspendableCall } from "../tasks/suspended.ts";
import type { TaskRecord } from "../tasks/task-record.ts";
import { resultOf, toEarlier, toExtension } from "../tasks/task-state.ts";
import { tasksExtension } from "../tasks/task.ts";
import { asProtocolError, waitAsTask, type Waiting } from "./approvals.ts";
import { beginCall, type AsTask } from "./in-front.ts";
import { isOutcome, render, serverError } from "./render.ts";
import { answerCall, inFrontOf, type Requested, type Serving } from "./requests.ts";
import { bareOutcome, type ServedCall } from "./served-session.ts";
import type { Era } from "./tool-list.ts";

/** Returns the capabilities that announce tasks; `others` are the names of further extensions. */
export function taskCapabilities(era: Era, others: readonly string[]): ServerCapabilities {
  const names = era === "modern" ? [tasksExtension, ...others] : others;
  return {
    ...(names.length > 0 && { extensions: Object.fromEntries(names.map((name) => [name, {}])) }),
    ...(era === "legacy" && { tasks: { cancel: {}, requests: { tools: { call: {} } } } }),
  };
}

/** Returns how a call can become a task; undefined if its client does not support tasks. */
export function taskFor(
  { task }: CallToolRequest["params"],
  call: ServedCall,
  serving: Requested,
): AsTask | undefined {
  const { served, era, capabilities, userId } = serving;
  const start = async (running: SuspendableCall, ttlMs: number) => {
    const made = { sessionId: served.id, userId, call, ttlMs, render: renderTask(serving) };
    return (await served.tasks.start(running, made)).state;
  };
  if (era === "modern") {
    if (capabilities?.extensions?.[tasksExtension] === undefined) return undefined;
    const create = async (running: SuspendableCall) => ({
      resultType: "task",
      ...toExtension(await start(running, defaultTtlMs)),
    });
    return { isWanted: false, create };
  }
  if (!isRecord(task)) return undefined;
  const ttlMs = typeof task["ttl"] === "number" ? task["ttl"] : defaultTtlMs;
  // The SDK refuses the result of a call that has no content.
  const create = async (running: SuspendableCall) => ({
    content: [],
    task: toEarlier(await start(running, ttlMs)),
  });
  return { isWanted: true, create };
}

const byId = z.looseObject({ taskId: z.string() });

/** Answers clients' requests about their tasks, in the form of their revision. */
export function serveTasks(
  server: Server,
  { served: { tasks }, era, userId }: Serving,
  requested: (ctx: ServerContext) => Requested,
): void {
  const params = byId;
  const isModern = era === "modern";
  const form = isModern ? toExtension : toEarlier;
  const find = (taskId: string, ctx: ServerContext) => {
    const own = requested(ctx);
    if (isModern) requireTasks(own.capabilities);
    return tasks.find(taskId, { userId }, continueTasks(ctx, own));
  };
  server.setRequestHandler("tasks/get", { params }, async ({ taskId }, ctx) => ({
    ...form((await find(taskId, ctx)).state),
  }));
  server.setRequestHandler("tasks/cancel", { params }, async ({ taskId }, ctx) => {
    const task = await find(taskId, ctx);
    await task.cancel(new CancelledByClient("the client cancelled the task"));
    return isModern ? {} : { ...form(task.state) };
  });
  if (isModern)
    server.setRequestHandler("tasks/update", { params }, async ({ taskId }, ctx) => {
      (await find(taskId, ctx)).answer(ctx.mcpReq.inputResponses ?? {});
      return {};
    });
  else
    server.setRequestHandler("tasks/result", { params }, async ({ taskId }, ctx) =>
      (await find(taskId, ctx)).result(ctx),
    );
}

/** Throws if a request of 2026 does not state that its client supports the extension. */
function requireTasks(capabilities: ClientCapabilities | undefined): void {
  if (capabilities?.extensions?.[tasksExtension] !== undefined) return;
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
}

/** Returns a function that continues the call of a task whose process has gone, for the request that asks for the task. */
function continueTasks(ctx: ServerContext, serving: Requested): ContinueTask {
  return (record) => {
    const { sessionId } = record.facts;
    const isOwn = sessionId === null || sessionId === serving.served.id;
    const served = isOwn ? serving.served : serving.served.sibling(sessionId);
    const there = { ...serving, served };
    const { name, arguments: args = {} } = record.kept.call;
    const call: ServedCall = { name, arguments: args };
    const started = beginCall(inFrontOf(call, ctx, there), { isFollowed: true }, async (context) => {
      // The request that made the task is answered already, so no form can reach the user.
      return continueCall(record, { ...there, capabilities: undefined, ctx, call, context });
    });
    return { call: started, render: renderTask(there) };
  };
}

async function continueCall(record: TaskRecord, waiting: Waiting): Promise<object> {
  const { served, context, call } = waiting;
  await record.takeOver(context.abortSignal!);
  const { ticket, end } = record.kept;
  if (end !== undefined) return resultOf(end);
  const { coordinator } = served.host;
  if (coordinator.get("tools", call.name) === null) await waitForStarting(served.host);
  if (ticket !== undefined) {
    const resumed = served.resume(ticket, call, context);
    return waitAsTask(await resumed.catch(asProtocolError(ProtocolErrorCode.InternalError)), waiting);
  }
  const info = coordinator.get("tools", call.name) as Pick<ToolInfo, "idempotent" | "category"> | null;
  // The call was begun and may have run, so it runs again only if that does no harm.
  if (record.kept.call.arguments === undefined || !(info?.idempotent === true || info?.category === "read"))
    return bareOutcome("unknown", "OUTCOME_UNKNOWN", call.name);
  return answerCall(await served.call(call, context), waiting);
}

/**
 * Returns a function that renders the end of a task. If a mounted server ended the call with a protocol error, the function
 * throws this error, so that the task shows it as such. For a call that is no task, it would become a result, which a model
 * reads.
 */
function renderTask(serving: Serving): (outcome: object) => Promise<CallToolResult> {
  return async (outcome) => {
    const own = isOutcome(outcome) ? serverError(outcome.result) : undefined;
    if (own !== undefined) throw own;
    return render(outcome, serving);
  };
}

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
import { render, serverError } from "./render.ts";
import { answerCall, inFrontOf, isOutcome, type Requested, type Serving } from "./requests.ts";
import { bareOutcome, type ServedCall } from "./served-session.ts";
import type { Era } from "./tool-list.ts";

/** Returns the capabilities that say that calls may be tasks, with `others`, the names of further extensions. */
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
  call: ServedCall,
  serving: Requested,
  finish: Finish,
): AsTask | undefined {
  const { served, era, capabilities, userId } = serving;
  const renderResult = renderTask(finish);
  const start = async (running: SuspendableCall, ttlMs: number) => {
    const made = { sessionId: served.id, userId, call, ttlMs, render: renderResult };
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

/** Answers what clients ask about their tasks, in the form of their revision. */
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

/** A client states with each request that it speaks the extension. */
function requireTasks(capabilities: ClientCapabilities | undefined): void {
  if (capabilities?.extensions?.[tasksExtension] !== undefined) return;
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
}

/** Continues the calls of tasks whose process has gone, for the request that asks for one. */
function continueTasks(ctx: ServerContext, serving: Requested): ContinueTask {
  return (record) => {
    const { sessionId } = record.facts;
    const isOwn = sessionId === null || sessionId === serving.served.id;
    const served = isOwn ? serving.served : serving.served.sibling(sessionId);
    const there = { ...serving, served };
    const { name, arguments: args = {} } = record.kept.call;
    const call: ServedCall = { name, arguments: args };
    const started = beginCall(inFrontOf(call, ctx, there), { isFollowed: true }, async (context) => {
      // Its request is answered already, so no form reaches the user.
      const waiting = { ...there, capabilities: undefined, approvals: serving.options.approvals ?? {} };
      return continueCall(record, { ...waiting, ctx, call, context });
    });
    const finish: Finish = (answer) =>
      isOutcome(answer) ? render(answer, there) : (answer as CallToolResult);
    return { call: started, render: renderTask(finish) };
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
  // It was begun, and may have run: only what may run twice runs again.
  if (record.kept.call.arguments === undefined || !(info?.idempotent === true || info?.category === "read"))
    return bareOutcome("unknown", "OUTCOME_UNKNOWN", call.name);
  return answerCall(await served.call(call, context), waiting);
}

type Finish = (outcome: object) => Promise<CallToolResult> | CallToolResult;

/**
 * Renders what a call has that is a task. The error of the protocol with which a mounted server ended it is thrown: a task shows
 * it as one. A call that is no task has it as its result, which a model reads.
 */
function renderTask(finish: Finish): (outcome: object) => Promise<CallToolResult> {
  return async (outcome) => {
    const own = isOutcome(outcome) ? serverError(outcome.result) : undefined;
    if (own !== undefined) throw own;
    return finish(outcome);
  };
}

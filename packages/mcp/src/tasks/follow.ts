import { setTimeout as delay } from "node:timers/promises";
import {
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
  type CallToolResult,
  type Client,
  type RequestOptions,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { isRecord } from "@toolmount/core/json";
import { taskKey } from "../reading/reader.ts";
import type { Answers } from "../wire/front.ts";
import { raceSignal } from "../wire/race-signal.ts";
import { isEnded, task as taskSchema, type Task } from "./task.ts";

/** Milliseconds between two looks at a task if its server does not say, and the limits for what the server may say. */
const usualPauseMs = 1_000;
const leastPauseMs = 50;
const longestPauseMs = 30_000;

/** Cancels a task that no call waits for. */
export function cancelTask(client: Client, taskId: string): void {
  void client.request({ method: "tasks/cancel", params: { taskId } }, z.looseObject({})).catch(() => {}); // it may have ended
}

/** Returns the task in a result; undefined if the result names none. */
export function taskOf({ _meta }: CallToolResult): Task | undefined {
  const given = _meta?.[taskKey];
  return isRecord(given) ? taskSchema.parse(given) : undefined;
}

/**
 * Calls a tool of a server from before 2026 as a task. If the call is cancelled before the server has named the task, the task
 * is cancelled later, because the revision 2025-11-25 forbids `notifications/cancelled` for such a request.
 */
export async function startTask(
  client: Client,
  params: Readonly<Record<string, unknown>>,
  { signal, ...options }: RequestOptions,
): Promise<Task> {
  signal?.throwIfAborted();
  const request = { method: "tools/call", params: { ...params, task: {} } };
  const started = client.request(request, z.looseObject({ task: taskSchema }), options);
  if (signal === undefined) return (await started).task;
  try {
    return (await raceSignal(started, signal)).task;
  } catch (error) {
    if (signal.aborted) started.then(({ task }) => cancelTask(client, task.taskId)).catch(() => {}); // no task was made
    throw error;
  }
}

interface Following {
  readonly onState: (state: Task) => void;
  /** Answers what a server of 2026 asks. */
  readonly answer: (requests: Readonly<Record<string, unknown>>) => Promise<Answers>;
}

/** Waits for a task of a server, and resolves to its result. If the call is cancelled, the task is cancelled, too. */
export async function followTask(
  client: Client,
  first: Task,
  { onprogress: _, ...options }: RequestOptions,
  { onState, answer }: Following,
): Promise<CallToolResult> {
  const { taskId } = first;
  const ask = (method: string, more: object = {}) =>
    client.request({ method, params: { taskId, ...more } }, z.looseObject({}), options);
  const answered = new Set<string>();
  try {
    for (let state = first; ; state = taskSchema.parse(await ask("tasks/get"))) {
      onState(state);
      if (client.getProtocolEra() === "legacy") {
        // A server from before 2026 asks while this request waits for the result.
        if (isEnded(state) || state.status === "input_required")
          return withoutTask((await ask("tasks/result")) as CallToolResult);
      } else {
        if (isEnded(state)) return resultOf(state);
        const open = Object.entries(state.inputRequests ?? {}).filter(([key]) => !answered.has(key));
        for (const [key] of open) answered.add(key);
        if (open.length > 0)
          await ask("tasks/update", { inputResponses: await answer(Object.fromEntries(open)) });
      }
      await delay(pauseOf(state), undefined, options.signal === undefined ? {} : { signal: options.signal });
    }
  } catch (error) {
    if (options.signal?.aborted === true) cancelTask(client, taskId);
    throw error;
  }
}

/** Returns a result without the server's task, which the client in front does not know. */
function withoutTask({ _meta: meta = {}, ...result }: CallToolResult): CallToolResult {
  const { [RELATED_TASK_META_KEY]: _, ...others } = meta;
  return { ...result, ...(Object.keys(others).length > 0 && { _meta: others }) };
}

function pauseOf({ pollInterval, pollIntervalMs }: Task): number {
  return Math.min(Math.max(pollInterval ?? pollIntervalMs ?? usualPauseMs, leastPauseMs), longestPauseMs);
}

function resultOf({ status, result, error, statusMessage }: Task): CallToolResult {
  if (status === "completed" && result !== undefined) return { content: [], ...result };
  const message = error?.message ?? statusMessage ?? `the server ended the task as ${status}`;
  throw new ProtocolError(error?.code ?? ProtocolErrorCode.InternalError, message, error?.data);
}

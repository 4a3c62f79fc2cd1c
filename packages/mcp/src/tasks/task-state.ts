import { ProtocolError, ProtocolErrorCode, type CallToolResult } from "@modelcontextprotocol/server";
import type { Task } from "./task.ts";

/** Milliseconds that a client shall wait between two looks at a task. */
const pauseMs = 500;

/** How a task ended, as plain JSON. */
export interface TaskEnd {
  readonly status: "completed" | "failed" | "cancelled";
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly message?: string | undefined;
  readonly result?: CallToolResult | undefined;
  readonly error?: NonNullable<Task["error"]> | undefined;
}

/** What a client may read of a task, before it is written in the form of a revision. */
export interface TaskState extends Omit<TaskEnd, "status" | "at"> {
  readonly id: string;
  readonly status: Task["status"];
  readonly createdAt: number;
  readonly changedAt: number;
  readonly ttlMs: number;
  readonly asked?: Readonly<Record<string, unknown>> | undefined;
}

function factsOf({ id, message, createdAt, changedAt }: TaskState) {
  return {
    taskId: id,
    ...(message !== undefined && { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(changedAt).toISOString(),
  };
}

/** Writes a task in the form of the extension of 2026. */
export function toExtension(state: TaskState): Task {
  const { status, ttlMs, asked, result, error } = state;
  return {
    ...factsOf(state),
    status,
    ttlMs,
    pollIntervalMs: pauseMs,
    ...(status === "input_required" && { inputRequests: asked }),
    ...(status === "completed" && { result }),
    ...(status === "failed" && { error }),
  };
}

/** Writes a task in the form of 2025-11-25, where a result that is an error makes the task a failed one. */
export function toEarlier(state: TaskState): Task {
  const { status, result, ttlMs } = state;
  const isFailure = status === "completed" && result?.isError === true;
  return { ...factsOf(state), status: isFailure ? "failed" : status, ttl: ttlMs, pollInterval: pauseMs };
}

/** Returns the end of a task whose work threw an error. */
export function failedBy(error: unknown): Pick<TaskEnd, "status" | "error"> {
  if (error instanceof ProtocolError) {
    const { code, message, data } = error;
    return { status: "failed", error: { code, message, data } };
  }
  const code = ProtocolErrorCode.InternalError;
  return { status: "failed", error: { code, message: "the call failed", data: undefined } };
}

/** Returns the result of a task that has ended, or throws its error. */
export function resultOf({ result, error, message }: Omit<TaskEnd, "status" | "at">): CallToolResult {
  if (result !== undefined) return result;
  const code = error?.code ?? ProtocolErrorCode.InvalidParams;
  throw new ProtocolError(code, error?.message ?? message ?? "the task has no result", error?.data);
}

import { randomUUID } from "node:crypto";
import {
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
  type CallToolResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { systemClock } from "@toolmount/core";
import { raceSignal } from "../wire/race-signal.ts";
import { CancelledByClient, type SuspendableCall } from "./suspended.ts";
import type { Task } from "./task.ts";

/** How long a task is kept from its creation, in milliseconds, unless the client wants another time. */
export const defaultTtlMs = 3_600_000;
const leastTtlMs = 1_000;
const longestTtlMs = 86_400_000;

/** Milliseconds between two looks of a client. */
const pauseMs = 500;

/** Tasks of one session that run. */
const maxTasks = 1_000;

/** How the work of a task ended: with a result, or with an error of the protocol. */
interface Ended {
  readonly result?: CallToolResult;
  readonly error?: unknown;
}

/** One call that its client follows. */
class ServedTask {
  readonly id = randomUUID();
  readonly ttlMs: number;
  readonly #call: SuspendableCall;
  readonly #createdAt = systemClock.now();
  readonly #result: Promise<CallToolResult>;
  #ended: Ended | undefined;
  #answers: Readonly<Record<string, unknown>> = {};
  #isCancelled = false;

  constructor(call: SuspendableCall, render: (outcome: object) => Promise<CallToolResult>, ttlMs: number) {
    this.#call = call;
    this.ttlMs = Math.min(Math.max(ttlMs, leastTtlMs), longestTtlMs);
    this.#result = call.outcome.then(render);
    this.#result.then(
      (result) => this.#end({ result }),
      (error: unknown) => this.#end({ error }),
    );
  }

  #end(ended: Ended): void {
    this.#ended = ended;
    this.#call.note();
  }

  get #facts() {
    const { message, changedAt } = this.#call.state;
    return {
      taskId: this.id,
      ...(message !== undefined && { statusMessage: message }),
      createdAt: new Date(this.#createdAt).toISOString(),
      lastUpdatedAt: new Date(changedAt).toISOString(),
    };
  }

  get #status(): Task["status"] {
    if (this.#isCancelled) return "cancelled";
    if (this.#ended !== undefined) return this.#ended.result === undefined ? "failed" : "completed";
    return this.#call.state.asked === undefined ? "working" : "input_required";
  }

  /** As the extension describes it. */
  get current(): Task {
    const status = this.#status;
    const { asked = {}, round } = this.#call.state;
    // A key is used for one question only, and a server may use its own again. What was answered is not asked any more.
    const open = Object.entries(asked).filter(([key]) => !Object.hasOwn(this.#answers, key));
    const inputRequests = Object.fromEntries(open.map(([key, one]) => [`${round}.${key}`, one]));
    return {
      ...this.#facts,
      status,
      ttlMs: this.ttlMs,
      pollIntervalMs: pauseMs,
      ...(status === "input_required" && { inputRequests }),
      ...(status === "completed" && { result: this.#ended?.result }),
      ...(status === "failed" && { error: errorOf(this.#ended?.error) }),
    };
  }

  /** As 2025-11-25 describes it: there, a result that is an error is a failure. */
  get earlier(): Task {
    const isError =
      this.#ended !== undefined && "result" in this.#ended && this.#ended.result.isError === true;
    const status = this.#status === "completed" && isError ? "failed" : this.#status;
    return { ...this.#facts, status, ttl: this.ttlMs, pollInterval: pauseMs };
  }

  /** Answers of a client of 2026; those that are missing may come later. */
  answer(given: Readonly<Record<string, unknown>>): void {
    const { asked = {}, round } = this.#call.state;
    const known = Object.keys(asked).filter((key) => Object.hasOwn(given, `${round}.${key}`));
    this.#answers = {
      ...this.#answers,
      ...Object.fromEntries(known.map((key) => [key, given[`${round}.${key}`]])),
    };
    if (!Object.keys(asked).every((key) => Object.hasOwn(this.#answers, key))) return;
    this.#call.answer(this.#answers);
    this.#answers = {};
  }

  cancel(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#isCancelled = true;
    this.#call.cancel(reason);
    this.#call.note();
  }

  /** Waits for the result. Meanwhile a client from before 2026 is asked, on the stream of its request. */
  async result({ mcpReq }: ServerContext): Promise<CallToolResult> {
    const related = { [RELATED_TASK_META_KEY]: { taskId: this.id } };
    while ((await raceSignal(this.#call.next(), mcpReq.signal)) === undefined) {
      const asked = Object.entries(this.#call.state.asked ?? {}).map(async ([key, { method, params }]) => {
        const request = { method: method as "elicitation/create", params: { ...params, _meta: related } };
        return [key, await mcpReq.send(request as never)] as const;
      });
      this.#call.answer(Object.fromEntries(await Promise.all(asked)));
    }
    const { _meta: own, ...result } = await this.#result;
    return { ...result, _meta: { ...own, ...related } };
  }
}

function errorOf(error: unknown): NonNullable<Task["error"]> {
  if (error instanceof ProtocolError) return { code: error.code, message: error.message, data: error.data };
  return { code: ProtocolErrorCode.InternalError, message: "the call failed", data: undefined };
}

/** The calls of one session that its client follows as tasks. */
export class ServedTasks {
  readonly #tasks = new Map<string, ServedTask>();

  start(
    call: SuspendableCall,
    render: (outcome: object) => Promise<CallToolResult>,
    ttlMs: number,
  ): ServedTask {
    const task = new ServedTask(call, render, ttlMs);
    this.#tasks.set(task.id, task);
    const [oldest] = this.#tasks.values();
    if (this.#tasks.size > maxTasks && oldest !== undefined)
      this.#forget(oldest, "newer tasks took its place");
    const expire = () => this.#forget(task, "the time of the task is over");
    systemClock.setTimer(expire, task.ttlMs).keepAlive(false);
    return task;
  }

  #forget(task: ServedTask, why: string): void {
    task.cancel(new Error(why));
    this.#tasks.delete(task.id);
  }

  /** Throws an error of the protocol for a task that there is not, or is not any more. */
  find(id: string): ServedTask {
    const task = this.#tasks.get(id);
    if (task !== undefined) return task;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `there is no task "${id.slice(0, 100)}" in this session; a task is forgotten after its ttl, and when its server ends`,
    );
  }

  cancel(id: string): ServedTask {
    const task = this.find(id);
    task.cancel(new CancelledByClient("the client cancelled the task"));
    return task;
  }

  end(): void {
    for (const task of this.#tasks.values()) task.cancel(new Error("the session has ended"));
    this.#tasks.clear();
  }
}

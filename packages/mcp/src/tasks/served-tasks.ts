import { randomUUID } from "node:crypto";
import { ProtocolError, ProtocolErrorCode, type CallToolResult } from "@modelcontextprotocol/server";
import { systemClock, type Host } from "@toolmount/core";
import { endedTask, ServedTask, type FollowedTask } from "./served-task.ts";
import type { SuspendableCall } from "./suspended.ts";
import { longestTtlMs, TaskRecords, type KeptTask, type TaskRecord } from "./task-record.ts";

/** Default time for which a task is kept after its creation, in milliseconds. */
export const defaultTtlMs = 3_600_000;
const leastTtlMs = 1_000;

/** Maximum number of tasks of one owner that a process follows. */
const maxTasks = 1_000;

interface TaskUser {
  readonly userId?: string | undefined;
}

interface NewTask extends TaskUser {
  readonly sessionId: string;
  readonly call: KeptTask["call"];
  readonly ttlMs: number;
  readonly render: (outcome: object) => Promise<CallToolResult>;
}

/** Continues the call of a task that another process, or this one before a restart, has left. */
export type ContinueTask = (record: TaskRecord) => {
  readonly call: SuspendableCall;
  readonly render: (outcome: object) => Promise<CallToolResult>;
};

/**
 * The calls that clients of one owner follow as tasks: those that run here, and those in the plan's store, which also has the
 * tasks of other processes and of processes that were killed.
 */
export class ServedTasks {
  readonly #host: Host;
  readonly #records: TaskRecords;
  readonly #tasks = new Map<string, ServedTask>();

  /** `owner` names who may see the tasks, also after a restart. */
  constructor(host: Host, owner: string) {
    this.#host = host;
    this.#records = new TaskRecords(host, owner);
  }

  /** Makes a running call a task. Resolves when the task is stored; if it cannot be, cancels the call and rejects. */
  async start(call: SuspendableCall, made: NewTask): Promise<ServedTask> {
    const { sessionId, userId = null, render, ttlMs } = made;
    const facts = { sessionId, userId, at: systemClock.now() };
    const kept = {
      ttlMs: Math.min(Math.max(ttlMs, leastTtlMs), longestTtlMs),
      call: made.call,
      ticket: call.ticket,
      message: call.state.message,
    };
    const record = this.#records.make(randomUUID(), facts, kept);
    const stored = record.add();
    const task = this.#follow(record, call, render);
    try {
      await stored;
    } catch (error) {
      this.#tasks.delete(task.id);
      call.cancel(new Error("the task could not be stored"));
      throw error;
    }
    return task;
  }

  #follow(record: TaskRecord, call: SuspendableCall, render: NewTask["render"]): ServedTask {
    const onFailure = (err: unknown) =>
      this.#host.coordinator.logger.warn({ err }, "the result of a task could not be stored");
    call.onTicket = async (ticket, message) => void (await record.change({ ticket, message }));
    const task = new ServedTask(record, call, render, onFailure);
    this.#tasks.set(task.id, task);
    const [oldest] = this.#tasks.values();
    if (this.#tasks.size > maxTasks && oldest !== undefined)
      this.#forget(oldest, "newer tasks took its place");
    const leftMs = record.facts.at + record.kept.ttlMs - systemClock.now();
    const expire = () => this.#forget(task, "the time of the task is over");
    systemClock.setTimer(expire, Math.max(leftMs, 1)).keepAlive(false);
    return task;
  }

  #forget(task: ServedTask, why: string): void {
    if (!this.#tasks.delete(task.id)) return;
    task.forget(new Error(why)).catch(() => {}); // its time is over in the store, too
  }

  /** Returns a task. Rejects with an error of the protocol if there is none, or none any more. */
  async find(id: string, user: TaskUser, continueTask: ContinueTask): Promise<FollowedTask> {
    const task = this.#tasks.get(id);
    if (task !== undefined && task.record.facts.userId === (user.userId ?? null)) return task;
    const record = task === undefined ? await this.#records.find(id, user.userId) : undefined;
    if (record === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `there is no task "${id.slice(0, 100)}" of this client; a task is forgotten after its ttl`,
      );
    if (record.kept.end !== undefined) return endedTask(record, record.kept.end);
    // Another request may have found the same task meanwhile.
    const known = this.#tasks.get(id);
    if (known !== undefined) return known;
    const { call, render } = continueTask(record);
    return this.#follow(record, call, render);
  }

  /** Whether the call of a task of this session runs here. */
  isBusy(sessionId: string): boolean {
    return [...this.#tasks.values()].some(
      (task) => task.record.facts.sessionId === sessionId && task.isRunning,
    );
  }

  /** Resolves when the calls of tasks that run here now have ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.#tasks.values()].map((task) => task.settled()));
  }

  /** Ends the tasks of a session whose calls run here. Those that wait for a person stay in the store. */
  async end(sessionId: string): Promise<void> {
    const own = [...this.#tasks.values()].filter((task) => task.record.facts.sessionId === sessionId);
    for (const { id } of own) this.#tasks.delete(id);
    const reason = new Error("the session has ended");
    await Promise.allSettled(own.map((task) => task.leave(reason)));
  }
}

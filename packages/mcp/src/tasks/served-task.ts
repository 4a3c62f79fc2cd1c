import { RELATED_TASK_META_KEY, type CallToolResult, type ServerContext } from "@modelcontextprotocol/server";
import { systemClock } from "@toolmount/core";
import { askEarlier, type Answers } from "../wire/front.ts";
import { raceSignal } from "../wire/race-signal.ts";
import type { SuspendableCall } from "./suspended.ts";
import type { TaskRecord } from "./task-record.ts";
import { failedBy, resultOf, type TaskEnd, type TaskState } from "./task-state.ts";

/** What a client may do with a task. */
export type FollowedTask = Pick<ServedTask, "state" | "answer" | "cancel" | "result">;

/** A task: one call that its client follows. */
export class ServedTask {
  readonly record: TaskRecord;
  readonly #call: SuspendableCall;
  readonly #result: Promise<CallToolResult>;
  readonly #ended: Promise<void>;
  #end: TaskEnd | undefined;
  #isLeft = false;

  /** `onFailure` gets errors of the store. */
  constructor(
    record: TaskRecord,
    call: SuspendableCall,
    render: (outcome: object) => Promise<CallToolResult>,
    onFailure: (error: unknown) => void,
  ) {
    this.record = record;
    this.#call = call;
    this.#result = call.outcome.then(render);
    const keep = (end: Pick<TaskEnd, "status" | "result" | "error">) =>
      this.#isLeft ? undefined : this.#endWith(end).catch(onFailure);
    this.#ended = this.#result.then(
      (result) => keep({ status: "completed", result }),
      (error: unknown) => keep(failedBy(error)),
    );
    record.onEnd = (end) => {
      this.#end = end;
      call.cancel(new Error("another process ended the task"));
    };
  }

  /** Stores the end before the client can read it, so that a kill does not undo what was read. The first stored end counts. */
  async #endWith(given: Pick<TaskEnd, "status" | "result" | "error" | "message">): Promise<void> {
    const { message } = this.#call.state;
    let end: TaskEnd = this.#end ?? { message, at: systemClock.now(), ...given };
    try {
      end = await this.record.end(end);
    } finally {
      this.#end ??= end;
      this.#call.note();
    }
  }

  get id(): string {
    return this.record.id;
  }

  /** Whether the call runs here. A call that waits for a person, or runs in another process, does not. */
  get isRunning(): boolean {
    const { isOurs, kept } = this.record;
    return isOurs && this.#end === undefined && (kept.ticket ?? this.#call.ticket) === undefined;
  }

  /** Resolves when the call does not run here any more. */
  async settled(): Promise<void> {
    if (this.isRunning) await this.#ended;
  }

  get state(): TaskState {
    const { message = this.record.kept.message, changedAt, asked } = this.#call.state;
    return {
      message,
      ...this.#end,
      id: this.id,
      ttlMs: this.record.kept.ttlMs,
      createdAt: this.record.facts.at,
      changedAt: this.#end?.at ?? changedAt,
      status: this.#end?.status ?? (asked === undefined ? "working" : "input_required"),
      asked: asked ?? {},
    };
  }

  /** Takes answers of a client of 2026; missing ones may come later. */
  answer(given: Answers): void {
    this.#call.answer(given);
  }

  /** Cancels the task, unless it has ended before. Resolves when its end is stored. */
  async cancel(reason: Error): Promise<void> {
    if (this.#end !== undefined) return;
    const stored = this.#endWith({ status: "cancelled", message: reason.message });
    this.#call.cancel(reason);
    await stored;
  }

  /**
   * Stops following the task here. If its call runs here, the task is cancelled; one that waits for a person, or runs in
   * another process, stays in the store.
   */
  async leave(reason: Error): Promise<void> {
    if (this.isRunning) return this.cancel(reason);
    this.#isLeft = true;
    this.record.release();
    this.#call.cancel(reason);
  }

  /** Removes the task, unless another process runs it. */
  async forget(reason: Error): Promise<void> {
    this.#isLeft = true;
    this.#call.cancel(reason);
    if (this.record.isOurs) await this.record.forget();
  }

  /** Waits for the result. Meanwhile a client from before 2026 is asked on the stream of this request. */
  async result(ctx: ServerContext): Promise<CallToolResult> {
    const related = { _meta: { [RELATED_TASK_META_KEY]: { taskId: this.id } } };
    while ((await raceSignal(this.#call.next(), ctx.mcpReq.signal)) === undefined)
      this.#call.answer(await askEarlier(ctx, this.#call.state.asked ?? {}, { more: related }));
    await this.#ended;
    return withTask(this.id, await this.#result);
  }
}

/** Returns a task that has ended, perhaps in another process; it asks its client nothing any more. */
export function endedTask({ id, kept, facts }: TaskRecord, end: TaskEnd): FollowedTask {
  const state = { ...end, id, ttlMs: kept.ttlMs, createdAt: facts.at, changedAt: end.at };
  return {
    state,
    answer: () => {},
    cancel: async () => {},
    result: async () => withTask(id, resultOf(end)),
  };
}

function withTask(taskId: string, { _meta: own, ...result }: CallToolResult): CallToolResult {
  return { ...result, _meta: { ...own, [RELATED_TASK_META_KEY]: { taskId } } };
}

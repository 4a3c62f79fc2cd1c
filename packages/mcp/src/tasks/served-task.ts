import { RELATED_TASK_META_KEY, type CallToolResult, type ServerContext } from "@modelcontextprotocol/server";
import { systemClock } from "@toolmount/core";
import { askEarlier, type Answers } from "../wire/front.ts";
import { raceSignal } from "../wire/race-signal.ts";
import type { SuspendableCall } from "./suspended.ts";
import type { TaskRecord } from "./task-record.ts";
import { failedBy, resultOf, type TaskEnd, type TaskState } from "./task-state.ts";

/** What a client may do with a task. */
export type FollowedTask = Pick<ServedTask, "state" | "answer" | "cancel" | "result">;

/** One call that its client follows. */
export class ServedTask {
  readonly record: TaskRecord;
  readonly #call: SuspendableCall;
  readonly #result: Promise<CallToolResult>;
  readonly #ended: Promise<void>;
  #end: TaskEnd | undefined;
  #answers: Answers = {};
  #isLeft = false;

  /** `onFailure` gets what a store could not do. */
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

  /** Its client reads the end when it is stored: a kill takes nothing back that was read, and the first end stays. */
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

  /** Whether its call runs here. One that waits for a person, or runs in another process, does not. */
  get isRunning(): boolean {
    const { isOurs, kept } = this.record;
    return isOurs && this.#end === undefined && (kept.ticket ?? this.#call.ticket) === undefined;
  }

  /** Resolves when its call does not run here any more. */
  async settled(): Promise<void> {
    if (this.isRunning) await this.#ended;
  }

  get state(): TaskState {
    const { message = this.record.kept.message, changedAt, asked = {}, round } = this.#call.state;
    // A key is used for one question only, and a server may use its own again. What was answered is not asked any more.
    const open = Object.entries(asked).filter(([key]) => !Object.hasOwn(this.#answers, key));
    const isAsked = this.#call.state.asked !== undefined;
    return {
      message,
      ...this.#end,
      id: this.id,
      ttlMs: this.record.kept.ttlMs,
      createdAt: this.record.facts.at,
      changedAt: this.#end?.at ?? changedAt,
      status: this.#end?.status ?? (isAsked ? "input_required" : "working"),
      asked: Object.fromEntries(open.map(([key, one]) => [`${round}.${key}`, one])),
    };
  }

  /** Answers of a client of 2026; those that are missing may come later. */
  answer(given: Answers): void {
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

  /** Resolves when it is stored how the task ended: it is cancelled, unless it has ended before. */
  async cancel(reason: Error): Promise<void> {
    if (this.#end !== undefined) return;
    const stored = this.#endWith({ status: "cancelled", message: reason.message });
    this.#call.cancel(reason);
    await stored;
  }

  /** Stops following here. What waits for a person, or runs in another process, stays in the store, and its task with it. */
  async leave(reason: Error): Promise<void> {
    if (this.isRunning) return this.cancel(reason);
    this.#isLeft = true;
    this.record.release();
    this.#call.cancel(reason);
  }

  /** Nothing is kept of it, unless another process runs it. */
  async forget(reason: Error): Promise<void> {
    this.#isLeft = true;
    this.#call.cancel(reason);
    if (this.record.isOurs) await this.record.forget();
  }

  /** Waits for the result. Meanwhile a client from before 2026 is asked, on the stream of its request. */
  async result(ctx: ServerContext): Promise<CallToolResult> {
    const related = { _meta: { [RELATED_TASK_META_KEY]: { taskId: this.id } } };
    while ((await raceSignal(this.#call.next(), ctx.mcpReq.signal)) === undefined)
      this.#call.answer(await askEarlier(ctx, this.#call.state.asked ?? {}, related));
    await this.#ended;
    return withTask(this.id, await this.#result);
  }
}

/** A task that ended, maybe in another process: nothing is asked of its client any more. */
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

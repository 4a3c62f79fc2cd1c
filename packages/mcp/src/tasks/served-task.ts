import { RELATED_TASK_META_KEY, type CallToolResult, type ServerContext } from "@modelcontextprotocol/server";
import { systemClock } from "@toolmount/core";
import { raceSignal } from "../wire/race-signal.ts";
import type { SuspendableCall } from "./suspended.ts";
import type { TaskRecord } from "./task-record.ts";
import { failedBy, resultOf, type TaskEnd, type TaskState } from "./task-state.ts";

/** One call that its client follows. */
export class ServedTask {
  readonly #record: TaskRecord;
  readonly #call: SuspendableCall;
  readonly #result: Promise<CallToolResult>;
  #end: TaskEnd | undefined;
  #answers: Readonly<Record<string, unknown>> = {};
  #isLeft = false;

  /** `onFailure` gets what a store could not do. */
  constructor(
    record: TaskRecord,
    call: SuspendableCall,
    render: (outcome: object) => Promise<CallToolResult>,
    onFailure: (error: unknown) => void,
  ) {
    this.#record = record;
    this.#call = call;
    this.#result = call.outcome.then(render);
    const keep = (end: Pick<TaskEnd, "status" | "result" | "error">) => this.#keep(end).catch(onFailure);
    this.#result.then(
      (result) => keep({ status: "completed", result }),
      (error: unknown) => keep(failedBy(error)),
    );
    record.onEnd = (end) => {
      this.#end = end;
      call.cancel(new Error("another process ended the task"));
    };
  }

  /** Its client reads the end when it is stored: a kill takes nothing back that was read. */
  async #keep(end: Pick<TaskEnd, "status" | "result" | "error">): Promise<void> {
    if (this.#isLeft) return;
    const { message } = this.#call.state;
    const whole = { message, at: systemClock.now(), ...end, ...this.#end };
    try {
      await this.#record.end(whole);
    } finally {
      this.#end = whole;
      this.#call.note();
    }
  }

  get id(): string {
    return this.#record.id;
  }

  get sessionId(): string | null {
    return this.#record.facts.sessionId;
  }

  get userId(): string | null {
    return this.#record.facts.userId;
  }

  get ttlMs(): number {
    return this.#record.kept.ttlMs;
  }

  get state(): TaskState {
    const { message = this.#record.kept.message, changedAt, asked = {}, round } = this.#call.state;
    // A key is used for one question only, and a server may use its own again. What was answered is not asked any more.
    const open = Object.entries(asked).filter(([key]) => !Object.hasOwn(this.#answers, key));
    const isAsked = this.#call.state.asked !== undefined;
    return {
      message,
      ...this.#end,
      id: this.id,
      ttlMs: this.ttlMs,
      createdAt: this.#record.facts.at,
      changedAt: this.#end?.at ?? changedAt,
      status: this.#end?.status ?? (isAsked ? "input_required" : "working"),
      asked: Object.fromEntries(open.map(([key, one]) => [`${round}.${key}`, one])),
    };
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

  /** Resolves when it is stored that the task was cancelled. */
  async cancel(reason: Error): Promise<void> {
    if (this.#end !== undefined) return;
    this.#end = { status: "cancelled", at: systemClock.now(), message: reason.message };
    this.#call.cancel(reason);
    await this.#record.end(this.#end);
  }

  /** Stops following here. A call that waits for a person stays in the store, and its task with it. */
  async leave(reason: Error): Promise<void> {
    if (this.#record.kept.ticket === undefined) return this.cancel(reason);
    this.#isLeft = true;
    this.#record.release();
    this.#call.cancel(reason);
  }

  /** Nothing is kept of it. */
  async forget(reason: Error): Promise<void> {
    this.#isLeft = true;
    this.#call.cancel(reason);
    await this.#record.forget();
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
    return withTask(this.id, await this.#result);
  }
}

/** A task that ended, maybe in another process. */
export class EndedTask {
  readonly #record: TaskRecord;
  readonly #end: TaskEnd;

  constructor(record: TaskRecord, end: TaskEnd) {
    this.#record = record;
    this.#end = end;
  }

  get state(): TaskState {
    const { id, kept, facts } = this.#record;
    return { ...this.#end, id, ttlMs: kept.ttlMs, createdAt: facts.at, changedAt: this.#end.at };
  }

  /** Nothing is asked any more. */
  answer(): void {}

  /** It has ended before. */
  async cancel(): Promise<void> {}

  async result(): Promise<CallToolResult> {
    return withTask(this.#record.id, resultOf(this.#end));
  }
}

function withTask(taskId: string, { _meta: own, ...result }: CallToolResult): CallToolResult {
  return { ...result, _meta: { ...own, [RELATED_TASK_META_KEY]: { taskId } } };
}

import type { CallContext } from "@toolmount/core";
import type { AgentCall, AgentCalls } from "./agent-calls.ts";
import type { Asked } from "./call-log.ts";

/** The task of a graph that makes a call. LangGraph finds the task for an interrupt by the asynchronous context. */
export interface GraphTask {
  readonly task: string;
  readonly given: CallContext;
  readonly interrupt: (value: unknown) => unknown;
  /** Returns how many values LangGraph has for this task. */
  readonly valueCount: () => number;
}

/** Recorded in place of a call's id if the call has ended and its id is not known any more. */
const endedCall = "";

/**
 * One run of a task. LangGraph stores the values with which a task was resumed as one list, and each `interrupt()` returns the
 * next one, whatever it asks. So the log records who asked for each value. When the task runs again, the values of ended calls
 * are skipped, the call that asked last runs alone, and all others wait until no value is left.
 */
export class ResumedTask {
  readonly #calls: AgentCalls;
  readonly #task: GraphTask;
  readonly #begun: Promise<string | null>;
  readonly #ready = Promise.withResolvers<void>();
  #asked: Asked = [];
  #isStopped = false;
  /** Whether an answer to the host's questions was read. */
  isAnswered = false;
  /** Why the last answer has decided nothing; null if it has decided something. */
  problem: string | null = null;

  constructor(calls: AgentCalls, task: GraphTask) {
    [this.#calls, this.#task] = [calls, task];
    this.#ready.promise.catch(() => {}); // no call may be waiting for it
    this.#begun = this.#begin();
  }

  /**
   * Runs a call as soon as it can no longer get a value that is for another call. `onWait` is called when it begins to wait and
   * when it continues.
   */
  async run<Value>(
    call: AgentCall,
    make: () => Promise<Value>,
    onWait: (isWaiting: boolean) => void,
  ): Promise<Value> {
    const last = await this.#begun;
    if (call.id !== last) {
      onWait(true);
      await this.#ready.promise.finally(() => onWait(false));
      return make();
    }
    if (await this.#calls.hasEnded(call, this.#task.given)) this.#release();
    return make().finally(() => this.#release());
  }

  /** Records who asks for the next value, before LangGraph gets the interrupt. */
  async ask(by: string | null): Promise<void> {
    const before = Array.from({ length: this.#task.valueCount() }, (_, at) =>
      this.#asked.at(at) === undefined ? endedCall : this.#asked[at]!,
    );
    const asked = [...before, by];
    await this.#calls.noteAsked(this.#task.task, asked, this.#task.given);
    this.#asked = asked;
  }

  /** Reads an answer to the host's questions. */
  async answer(value: unknown): Promise<void> {
    this.isAnswered = true;
    this.problem = await this.#calls.questions.answerNamed(value, this.#task.given);
  }

  /** Ends the waiting calls, because the task is interrupted. */
  stop(thrown: unknown): void {
    this.#isStopped = true;
    this.#ready.reject(thrown);
  }

  /** Removes the record of who asked, unless the task is interrupted, because all its calls have ended. */
  async end(): Promise<void> {
    if (this.#asked.length > 0 && !this.#isStopped)
      await this.#calls.noteAsked(this.#task.task, [], this.#task.given);
  }

  /**
   * Skips the values of ended calls. Resolves to the call that has to run alone, because it asked last; null if there is none.
   */
  async #begin(): Promise<string | null> {
    this.#asked = await this.#calls.asked(this.#task.task, this.#task.given);
    const last = this.#asked.at(-1) ?? null;
    const before = this.#asked.slice(0, last === null ? undefined : this.#asked.indexOf(last));
    for (const by of before) {
      const read = this.#next();
      if (read === null) break;
      if (by === null) await this.answer(read.value);
    }
    if (last === null) this.#release();
    return last;
  }

  /** Lets all other calls run. Values that the first call did not take are dropped, so that they reach no other call. */
  #release(): void {
    if (this.#asked.length > 0) while (this.#next() !== null);
    this.#ready.resolve();
  }

  #next(): { readonly value: unknown } | null {
    try {
      return { value: this.#task.interrupt(null) };
    } catch {
      return null; // LangGraph has no more values
    }
  }
}

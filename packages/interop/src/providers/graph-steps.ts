import { AsyncLocalStorage } from "node:async_hooks";
import type { ToolOutcome } from "@toolmount/core";
import type { AgentCall, AgentCalls } from "./agent-calls.ts";
import { ResumedTask, type GraphTask } from "./resumed-task.ts";

/** Data that LangChain passes to a tool in addition to its input. */
export interface LangChainConfig {
  readonly signal?: AbortSignal | undefined;
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  /** LangGraph's `interrupt` for the step that runs. */
  readonly interrupt?: ((question: unknown) => unknown) | undefined;
}

/**
 * Runs the calls of LangGraph's steps. LangGraph's tool step makes all calls of an answer in one task, ends with the first
 * interrupt, and makes all of the calls again when the graph resumes. So a step interrupts only when each of its calls has
 * ended or waits, and no call continues after its step has ended. A task interrupts once for all its questions.
 */
export class GraphSteps {
  readonly #calls: AgentCalls;
  readonly #steps = new Map<string, GraphStep>();

  constructor(calls: AgentCalls) {
    this.#calls = calls;
  }

  /** Makes a call. Outside of a graph, or in a graph without a checkpointer, the result of a call that waits says so. */
  run(call: AgentCall, canRepeat: boolean, config: LangChainConfig): Promise<ToolOutcome> {
    const { signal, configurable = {}, interrupt } = config;
    const { thread_id: thread, __pregel_task_id: task, checkpoint_map: checkpoints } = configurable;
    const { resume: values } = (configurable["__pregel_scratchpad"] ?? {}) as { resume?: readonly unknown[] };
    const given = { abortSignal: signal, ...(typeof thread === "string" && { sessionId: thread }) };
    if (interrupt === undefined || typeof task !== "string" || typeof thread !== "string")
      return this.#calls.run(call, given);
    // All tasks of a step have the same checkpoints, so these identify the step.
    const key = JSON.stringify([thread, checkpoints ?? task]);
    const step = this.#steps.get(key) ?? new GraphStep(this.#calls, () => this.#steps.delete(key));
    this.#steps.set(key, step);
    const made = { ...call, step: { id: task, canRepeat } };
    const valueCount = () => values?.length ?? 0;
    return step.run(made, { task, given, interrupt: AsyncLocalStorage.bind(interrupt), valueCount });
  }
}

/** A call that waits until every other call of its step has ended or waits, too. */
interface Waiter extends GraphTask {
  readonly callId: string;
  /** The interrupt with which the tool itself stopped the graph. */
  readonly thrown?: unknown;
  readonly resume: () => void;
  readonly stop: (thrown: unknown) => void;
}

/** One run of a step: its calls that run or wait, and the tasks of LangGraph that make them. */
class GraphStep {
  readonly #calls: AgentCalls;
  readonly #onEnd: () => void;
  #waiters: Waiter[] = [];
  #members = 0;
  #busy = 0;
  readonly #tasks = new Map<string, ResumedTask>();

  constructor(calls: AgentCalls, onEnd: () => void) {
    [this.#calls, this.#onEnd] = [calls, onEnd];
  }

  /** Makes a call repeatedly, until it has ended or the graph is interrupted. */
  async run(call: AgentCall, task: GraphTask): Promise<ToolOutcome> {
    this.#members++;
    this.#busy++;
    const resumed = this.#tasks.get(task.task) ?? new ResumedTask(this.#calls, task);
    this.#tasks.set(task.task, resumed);
    const onWait = (isWaiting: boolean) => (isWaiting ? this.#pause() : void this.#busy++);
    try {
      return await resumed.run(call, () => this.#untilEnded(call, task), onWait);
    } finally {
      this.#pause();
      if (--this.#members === 0) await this.#end();
    }
  }

  async #end(): Promise<void> {
    this.#onEnd();
    for (const task of this.#tasks.values()) await task.end();
  }

  async #untilEnded(call: AgentCall, task: GraphTask): Promise<ToolOutcome> {
    for (;;) {
      const outcome = await this.#outcomeOf(call, task);
      if (outcome.status !== "pending") return outcome;
      await this.#wait({ ...task, callId: call.id });
    }
  }

  async #outcomeOf(call: AgentCall, task: GraphTask): Promise<ToolOutcome> {
    try {
      return await this.#calls.run(call, task.given);
    } catch (thrown) {
      if (isLangGraphInterrupt(thrown)) await this.#wait({ ...task, callId: call.id, thrown });
      throw thrown;
    }
  }

  #wait(waiter: Omit<Waiter, "resume" | "stop">): Promise<void> {
    return new Promise((resume, stop) => {
      this.#waiters.push({ ...waiter, resume, stop });
      this.#pause();
    });
  }

  #pause(): void {
    this.#busy--;
    if (this.#busy === 0 && this.#waiters.length > 0) void this.#settle();
  }

  /** Lets the tasks ask one after the other, because the answer of one may decide a question of another. */
  async #settle(): Promise<void> {
    const waiters = this.#waiters;
    this.#waiters = [];
    this.#busy = waiters.length;
    const tasks = [...this.#tasks.values()];
    let isDecided = tasks.some(({ isAnswered }) => isAnswered);
    for (const task of tasks) task.isAnswered = false;
    for (const [id, task] of this.#tasks) {
      const group = waiters.filter((waiter) => waiter.task === id);
      if (group.length === 0) continue;
      try {
        isDecided = (await this.#ask(task, group, isDecided)) || isDecided;
        for (const { resume } of group) resume();
      } catch (thrown) {
        task.stop(thrown);
        for (const { stop } of group) stop(thrown);
      }
    }
  }

  /**
   * Asks the questions of a task, and resolves to true. Resolves to false without asking if an earlier answer decided some. A
   * tool that stopped the graph itself comes first, because the value for it names no question.
   */
  async #ask(task: ResumedTask, group: readonly Waiter[], isDecided: boolean): Promise<boolean> {
    const own = group.find(({ thrown }) => thrown !== undefined);
    if (own !== undefined) {
      await task.ask(own.callId);
      throw own.thrown;
    }
    const { given, interrupt } = group[0]!;
    const callIds = group.map(({ callId }) => callId);
    const questions = await this.#calls.questions.openQuestions(callIds, given);
    if (isDecided && questions.length < group.length) return false;
    await task.ask(null);
    await task.answer(interrupt({ questions, ...(task.problem !== null && { problem: task.problem }) }));
    task.isAnswered = false;
    return true;
  }
}

/** Whether a value is an interrupt of LangGraph, which a tool throws to stop the graph. A host passes it on: the call rejects. */
export function isLangGraphInterrupt(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown as { is_bubble_up?: unknown }).is_bubble_up === true;
}

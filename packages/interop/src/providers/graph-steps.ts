import { AsyncLocalStorage } from "node:async_hooks";
import type { CallContext, ToolOutcome } from "@toolmount/core";
import type { AgentCall, AgentCalls } from "./agent-calls.ts";

/** What LangChain gives a tool beside its input. */
export interface LangChainConfig {
  readonly signal?: AbortSignal | undefined;
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  /** LangGraph's `interrupt` of the step that runs. */
  readonly interrupt?: ((question: unknown) => unknown) | undefined;
}

/**
 * The steps of LangGraph in which calls are made. LangGraph's own tool step makes all calls of an answer in one task, ends with its
 * first interrupt, and makes all of them again when the graph resumes. So a step interrupts when each of its calls has ended or
 * waits, and no call runs behind an ended step. A task interrupts once for all its questions.
 */
export class GraphSteps {
  readonly #calls: AgentCalls;
  readonly #steps = new Map<string, GraphStep>();

  constructor(calls: AgentCalls) {
    this.#calls = calls;
  }

  /** Makes a call. Outside a graph, or in one without a checkpointer, a call that waits says so. */
  run(call: AgentCall, canRepeat: boolean, config: LangChainConfig): Promise<ToolOutcome> {
    const { signal, configurable = {}, interrupt } = config;
    const { thread_id: thread, __pregel_task_id: task, checkpoint_map: checkpoints } = configurable;
    const given = { abortSignal: signal, ...(typeof thread === "string" && { sessionId: thread }) };
    if (interrupt === undefined || typeof task !== "string" || typeof thread !== "string")
      return this.#calls.run(call, given);
    // The tasks of a step begin at the same checkpoints.
    const key = JSON.stringify([thread, checkpoints ?? task]);
    const step = this.#steps.get(key) ?? new GraphStep(this.#calls, () => this.#steps.delete(key));
    this.#steps.set(key, step);
    const made = { ...call, step: { id: task, canRepeat } };
    return step.run(made, { task, given, interrupt: AsyncLocalStorage.bind(interrupt) });
  }
}

/** The task that makes a call. LangGraph finds the task of an interrupt by its asynchronous context. */
interface GraphTask {
  readonly task: string;
  readonly given: CallContext;
  readonly interrupt: (value: unknown) => unknown;
}

/** A call that waits until all others of its step have ended or wait, too. */
interface Waiter extends GraphTask {
  readonly callId: string;
  /** The interrupt with which its tool stopped the graph by itself. */
  readonly thrown?: unknown;
  readonly resume: () => void;
  readonly stop: (thrown: unknown) => void;
}

/** One run of a step. */
class GraphStep {
  readonly #calls: AgentCalls;
  readonly #onEnd: () => void;
  #waiters: Waiter[] = [];
  #members = 0;
  #busy = 0;
  /** Why the last resume value decided nothing, by task. */
  readonly #problems = new Map<string, string | null>();

  constructor(calls: AgentCalls, onEnd: () => void) {
    [this.#calls, this.#onEnd] = [calls, onEnd];
  }

  /** Makes a call again until it has ended, or the graph is interrupted. */
  async run(call: AgentCall, task: GraphTask): Promise<ToolOutcome> {
    this.#members++;
    this.#busy++;
    try {
      for (;;) {
        const outcome = await this.#outcomeOf(call, task);
        if (outcome.status !== "pending") return outcome;
        await this.#wait({ ...task, callId: call.id });
      }
    } finally {
      this.#pause();
      if (--this.#members === 0) this.#onEnd();
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

  /** The tasks ask one after the other: an answer of one may decide a question of another. */
  async #settle(): Promise<void> {
    const waiters = this.#waiters;
    this.#waiters = [];
    this.#busy = waiters.length;
    let isDecided = false;
    for (const task of new Set(waiters.map((waiter) => waiter.task))) {
      const group = waiters.filter((waiter) => waiter.task === task);
      try {
        isDecided = (await this.#ask(group, isDecided)) || isDecided;
        for (const { resume } of group) resume();
      } catch (thrown) {
        for (const { stop } of group) stop(thrown);
      }
    }
  }

  /**
   * Resolves to whether an answer decided something. LangGraph gives the values of earlier resumes first. Each names its question,
   * so that their order does not matter.
   */
  async #ask(group: readonly Waiter[], isDecided: boolean): Promise<boolean> {
    const own = group.find(({ thrown }) => thrown !== undefined);
    if (own !== undefined) throw own.thrown;
    const { task, given, interrupt } = group[0]!;
    const callIds = group.map(({ callId }) => callId);
    const questions = await this.#calls.questions.openQuestions(callIds, given);
    if (isDecided && questions.length < group.length) return false;
    const problem = this.#problems.get(task) ?? null;
    const value = interrupt({ questions, ...(problem !== null && { problem }) });
    this.#problems.set(task, await this.#calls.questions.answerNamed(value, given));
    return true;
  }
}

/** Whether a value is an interrupt of LangGraph. A host lets them pass by itself: they reject the call. */
export function isLangGraphInterrupt(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown as { is_bubble_up?: unknown }).is_bubble_up === true;
}

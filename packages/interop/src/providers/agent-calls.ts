import {
  errorMessage,
  isToolmountError,
  ownSession,
  ToolmountError,
  type CallContext,
  type CallRequest,
  type Host,
  type SessionStore,
  type ToolOutcome,
} from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import { parseJson } from "../schema/guards.ts";
import { AgentQuestions } from "./agent-questions.ts";
import { CallLog, type Asked, type LoggedCall, type WaitingCall } from "./call-log.ts";
import { HeldCalls } from "./held-calls.ts";

/** Those parts of a host that a library's agents need. */
export type AgentHost = Pick<Host, "call" | "resume" | "approvals" | "coordinator">;

/** The user and session for which a library's agent makes calls. */
export interface AgentContext extends CallContext {
  /**
   * Name under which the host records decisions that people make in the library's own interface. If the library runs a call
   * whose question is still open, they have approved it. Without this name, only approvers of the host decide.
   */
  readonly answersAs?: string | undefined;
}

/** A call of a library's agent, which the library identifies by its id. */
export interface AgentCall extends CallRequest {
  readonly id: string;
  /**
   * The step of the library's run that makes the call, if the library may run that step again. The call then runs at most once
   * in the step; if the step makes it again, it gets the recorded outcome. With `canRepeat`, the call may run a second time if
   * its process died during the first.
   */
  readonly step?: { readonly id: string; readonly canRepeat: boolean } | undefined;
}

/**
 * Makes the calls of one library's agent. A call that waits for a person is resumed when the library makes it again, even in
 * another process, because its ticket is in the session store, together with the session.
 */
export class AgentCalls {
  readonly #host: AgentHost;
  readonly #context: CallContext;
  readonly questions: AgentQuestions;
  readonly #log: CallLog;
  readonly #held = new HeldCalls();

  constructor(host: AgentHost, { answersAs, ...context }: AgentContext) {
    this.#host = host;
    this.#context = context;
    this.questions = new AgentQuestions(host.approvals, answersAs, (given) => this.#contextOf(given));
    this.#log = new CallLog(() => host.coordinator.get("session-store") as SessionStore | null);
  }

  /**
   * Makes a call, and holds it before its tool begins. Resolves to whether a person has to be asked, in which case the host has
   * stored the question. `run` continues the call.
   */
  async waits(call: AgentCall, given: CallContext = {}): Promise<boolean> {
    const context = this.#contextOf(given);
    const key = keyOf(call, context);
    if (this.#held.has(key)) return false;
    if ((await this.#log.find(key, sessionOf(context))) !== null)
      return this.questions.isOpen(call.id, given);
    return this.#hold(key, call, context);
  }

  /**
   * Makes a call, continues one that is held, or resumes one that waits. With `isApproved`, the library runs a call with a
   * question only after people have approved it in the library's own interface.
   */
  async run(call: AgentCall, given: CallContext = {}, isApproved = false): Promise<ToolOutcome> {
    const context = this.#contextOf(given);
    const key = keyOf(call, context);
    const held = this.#held.release(key, given.abortSignal);
    if (held !== null) return held;
    const known = await this.#log.find(key, sessionOf(context));
    if (known?.outcome !== undefined) return known.outcome;
    if (known?.ticket === undefined) return this.#make(loggedCall(key, call), call, context);
    if (isApproved) await this.questions.decide(call.id, "approve", given);
    return this.#resumeOrMake({ ...known, ticket: known.ticket }, call, context);
  }

  /** Whether a call of a step has an outcome already. */
  async hasEnded(call: AgentCall, given: CallContext = {}): Promise<boolean> {
    const context = this.#contextOf(given);
    return (await this.#log.find(keyOf(call, context), sessionOf(context)))?.outcome !== undefined;
  }

  /** Returns for each value of a step, including the next one, the id of the call that asked for it, or null for the host. */
  asked(step: string, given: CallContext): Promise<Asked> {
    return this.#log.asked(step, sessionOf(this.#contextOf(given)));
  }

  /** Stores who has asked for each value of a step, see {@link Asked}; an empty list means that the step has ended. */
  noteAsked(step: string, asked: Asked, given: CallContext): Promise<void> {
    return this.#log.noteAsked(step, asked, sessionOf(this.#contextOf(given)));
  }

  /** Records the end of a denied call, because the library will not make it again. */
  async endDenied(callId: string, given: CallContext = {}): Promise<void> {
    const context = this.#contextOf(given);
    for (const waiting of await this.#log.waiting(sessionOf(context), callId))
      await this.#resume(waiting, context);
  }

  /**
   * Resumes all waiting calls of the session. Resolves to null, and runs none, if a question is still open or if no call waits.
   */
  async resumeAll(given: CallContext = {}): Promise<readonly ToolOutcome[] | null> {
    const context = this.#contextOf(given);
    const waiting = await this.#log.waiting(sessionOf(context));
    for (const { callId } of waiting)
      if ((await this.questions.decisionOf(callId, given)) === null) return null;
    const outcomes = [];
    for (const one of waiting) outcomes.push(await this.#resume(one, context));
    return outcomes.length === 0 ? null : outcomes;
  }

  async #make(logged: LoggedCall, call: AgentCall, context: CallContext): Promise<ToolOutcome> {
    const { id, name, arguments: given, step } = call;
    const request = { id, name, arguments: given };
    if (step !== undefined) return this.#makeOnce(logged, request, step.canRepeat, context);
    const outcome = await this.#host.call(request, context);
    if (outcome.status === "pending") await this.#log.note(logged, outcome, sessionOf(context));
    return outcome;
  }

  /** Makes a call of a step. Its ticket, or the start of its tool, is in the log before anything depends on it. */
  async #makeOnce(logged: LoggedCall, request: CallRequest, canRepeat: boolean, context: CallContext) {
    const session = sessionOf(context);
    let state: "new" | "logged" | "taken" = "new";
    const onQuestion = async (ticket: string) => {
      await this.#log.noteTicket(logged, ticket, session);
      state = "logged";
    };
    const onAllowed = async () => {
      if (state === "new") state = (await this.#log.begin(logged, canRepeat, session)) ? "logged" : "taken";
      if (state === "taken") throw new ToolmountError("OUTCOME_UNKNOWN", { tool: request.name });
    };
    const stateNow = () => state; // a function, because the callbacks change the state
    try {
      const outcome = await this.#host.call(request, { ...context, onQuestion, onAllowed });
      if (stateNow() === "taken") return unknownOutcome(logged, request, context);
      const isKept = stateNow() === "logged" || outcome.status === "pending";
      if (isKept) await this.#log.note(logged, outcome, session);
      return outcome;
    } catch (thrown) {
      if (stateNow() === "logged") await this.#log.forget(logged, session); // the tool itself asks, and will run again
      throw thrown;
    }
  }

  async #hold(key: string, call: AgentCall, context: CallContext): Promise<boolean> {
    const allowed = Promise.withResolvers<false>();
    const released = Promise.withResolvers<void>();
    const controller = new AbortController();
    const onAllowed = () => {
      allowed.resolve(false);
      return released.promise;
    };
    const outcome = this.#host.call(call, { ...context, onAllowed, abortSignal: controller.signal });
    const waits = await Promise.race([
      allowed.promise,
      outcome.then(({ status, ticket }) => status === "pending" && ticket !== undefined),
    ]);
    if (waits) await this.#log.note(loggedCall(key, call), await outcome, sessionOf(context));
    else this.#held.keep(key, { outcome, controller, release: released.resolve });
    return waits;
  }

  async #resume(waiting: WaitingCall, context: CallContext): Promise<ToolOutcome> {
    const outcome = await this.#host.resume(waiting.ticket, context);
    if (outcome.ticket !== waiting.ticket) await this.#log.note(named(waiting), outcome, sessionOf(context));
    return outcome;
  }

  /** Resumes a call. If the store does not know its ticket any more, the call is made again, and asks again. */
  async #resumeOrMake(waiting: WaitingCall, call: AgentCall, context: CallContext): Promise<ToolOutcome> {
    try {
      return await this.#resume(waiting, context);
    } catch (error) {
      if (!isToolmountError(error) || error.code !== "TICKET_INVALID") throw error;
      await this.#log.forget(waiting, sessionOf(context));
      return this.#make(named(waiting), call, context);
    }
  }

  #contextOf(given: CallContext): CallContext {
    const { abortSignal = this.#context.abortSignal, ...more } = given;
    return { ...more, ...this.#context, abortSignal };
  }
}

const sessionOf = ({ userId, sessionId }: CallContext) => ownSession(userId, sessionId);

/** Identifies a call by its id, tool and arguments and its step, because a library may use an id again. */
function keyOf({ id, name, arguments: given, step }: AgentCall, context: CallContext): string {
  // Libraries give the same arguments as a text or as a value.
  const value = typeof given === "string" ? (parseJson(given) ?? given) : (given ?? {});
  return digestOf([sessionOf(context) ?? "", id, name, value, ...(step === undefined ? [] : [step.id])]);
}

function loggedCall(key: string, { id: callId, step }: AgentCall): LoggedCall {
  return { key, callId, ...(step !== undefined && { step: step.id }) };
}

function named({ key, callId, step }: LoggedCall): LoggedCall {
  return { key, callId, ...(step !== undefined && { step }) };
}

/** Returns the outcome of a call whose tool began in a process that has ended or still runs it. */
function unknownOutcome(
  { callId }: LoggedCall,
  { name: tool }: CallRequest,
  { sessionId }: CallContext,
): ToolOutcome {
  const error = errorMessage("OUTCOME_UNKNOWN", { tool });
  const result = { tool, fetchedAt: "", error, code: "OUTCOME_UNKNOWN" };
  return {
    callId,
    runId: "",
    tool,
    status: "unknown",
    result,
    durationMs: 0,
    ...(sessionId !== undefined && { sessionId }),
  };
}

import {
  isToolmountError,
  type ApprovalView,
  type CallContext,
  type CallRequest,
  type Host,
  type SessionStore,
  type ToolOutcome,
} from "@toolmount/core";
import { digestOf } from "@toolmount/core/internal";
import { isRecord, parseJson, readText } from "../schema/guards.ts";
import { TicketLog, type WaitingTicket } from "./ticket-log.ts";

/** The part of a host that the agents of a library need. */
export type AgentHost = Pick<Host, "call" | "resume" | "approvals" | "coordinator">;

/** On whose behalf a library's agent calls. */
export interface AgentContext extends CallContext {
  /**
   * The name under which the host records the answers of the library's own people. When the library runs a call whose question
   * is still open, they have approved it. Without a name, only approvers of the host decide.
   */
  readonly answersAs?: string | undefined;
}

/** What a person decides about, without what only approvers of the host may see. */
export interface LibraryQuestion {
  readonly callId: string;
  readonly tool: string;
  readonly prompt: string;
  /** Values under names of secrets are masked. */
  readonly arguments: object;
}

/** A call of a library's agent. The library knows it by its id. */
export interface AgentCall extends CallRequest {
  readonly id: string;
}

/** A call that is allowed, and whose tool has not begun. */
interface HeldCall {
  readonly outcome: Promise<ToolOutcome>;
  readonly controller: AbortController;
  readonly release: () => void;
}

/** Most calls that are held. Beyond that the oldest is cancelled: the library cut its answer, or stopped its run. */
const maxHeld = 64;

/**
 * The calls of one library's agent. A call that waits for a person is resumed when the library makes it again, also in another
 * process: its ticket is kept in the session store, beside the session.
 */
export class AgentCalls {
  readonly #host: AgentHost;
  readonly #context: CallContext;
  readonly #answersAs: string | undefined;
  readonly #tickets: TicketLog;
  readonly #held = new Map<string, HeldCall>();

  constructor(host: AgentHost, { answersAs, ...context }: AgentContext) {
    this.#host = host;
    this.#context = context;
    this.#answersAs = answersAs;
    this.#tickets = new TicketLog(() => host.coordinator.get("session-store") as SessionStore | null);
  }

  /**
   * Makes a call, and holds it before its tool begins. Resolves to whether a person has to be asked; then the host has stored
   * the question. `run` continues the call.
   */
  async waits(call: AgentCall, given: CallContext = {}): Promise<boolean> {
    const context = this.#contextOf(given);
    const key = keyOf(call, context);
    if (this.#held.has(key)) return false;
    if ((await this.#tickets.find(key, context.sessionId)) !== null) return this.isOpen(call.id, given);
    return this.#hold(key, call, context);
  }

  /**
   * Makes a call, continues one that is held, or resumes one that waits. `isApproved`: the library runs calls with a question
   * only after its people approved.
   */
  async run(call: AgentCall, given: CallContext = {}, isApproved = false): Promise<ToolOutcome> {
    const context = this.#contextOf(given);
    const key = keyOf(call, context);
    const held = this.#held.get(key);
    if (held !== undefined) return this.#release(key, held, given.abortSignal);
    const waiting = await this.#tickets.find(key, context.sessionId);
    if (waiting === null) return this.#make(key, call, context);
    if (isApproved) await this.decide(call.id, "approve", given);
    return this.#resumeOrMake(waiting, call, context);
  }

  /** Decides the open question of a call as the library's people did. Does nothing without `answersAs`, and without a question. */
  async decide(
    callId: string,
    decision: "approve" | "deny",
    given: CallContext = {},
    reason?: string,
  ): Promise<void> {
    if (this.#answersAs === undefined) return;
    const question = await this.#question(callId, this.#contextOf(given));
    if (question?.state !== "pending") return;
    try {
      await this.#host.approvals.decide(question.id, { decision, reason }, this.#answersAs);
    } catch (error) {
      if (!isToolmountError(error) || error.code !== "APPROVAL_DECIDED") throw error; // another answer came first
    }
  }

  /** Decides the open question of a call by what a library's person answered: `true`, `false`, or `{ decision, reason }`. */
  async answer(callId: string, value: unknown, given: CallContext = {}): Promise<void> {
    const { decision = value, reason } = isRecord(value) ? value : {};
    const isApproved = decision === true || decision === "approve";
    await this.decide(callId, isApproved ? "approve" : "deny", given, readText(reason) || undefined);
  }

  /** Records the end of a denied call, which the library will not make again. */
  async endDenied(callId: string, given: CallContext = {}): Promise<void> {
    const context = this.#contextOf(given);
    for (const waiting of await this.#tickets.ofCall(callId, context.sessionId))
      await this.#resume(waiting, context);
  }

  /** Resumes all calls of the session that wait. While a question is open none runs. Then, and when no call waits, resolves to null. */
  async resumeAll(given: CallContext = {}): Promise<readonly ToolOutcome[] | null> {
    const context = this.#contextOf(given);
    const waiting = await this.#tickets.all(context.sessionId);
    for (const { callId } of waiting) if ((await this.decisionOf(callId, given)) === null) return null;
    const outcomes = [];
    for (const one of waiting) outcomes.push(await this.#resume(one, context));
    return outcomes.length === 0 ? null : outcomes;
  }

  /** The question of a call, as the library shows it to its people. */
  async questionOf(callId: string, given: CallContext = {}): Promise<LibraryQuestion> {
    const {
      tool = "",
      prompt = "",
      arguments: shown = {},
    } = (await this.#question(callId, this.#contextOf(given))) ?? {};
    return { callId, tool, prompt, arguments: shown };
  }

  /** Whether a person still has to answer the question of a call. */
  async isOpen(callId: string, given: CallContext = {}): Promise<boolean> {
    return (await this.#question(callId, this.#contextOf(given)))?.state === "pending";
  }

  /** How the question of a call was decided; null while it is open, and for a call without one. */
  async decisionOf(callId: string, given: CallContext = {}): Promise<ApprovalView["decision"]> {
    return (await this.#question(callId, this.#contextOf(given)))?.decision ?? null;
  }

  async #make(key: string, call: AgentCall, context: CallContext): Promise<ToolOutcome> {
    const outcome = await this.#host.call(call, context);
    if (outcome.status === "pending") await this.#tickets.note(key, outcome);
    return outcome;
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
    if (waits) await this.#tickets.note(key, await outcome);
    else this.#keepHeld(key, { outcome, controller, release: released.resolve });
    return waits;
  }

  #keepHeld(key: string, held: HeldCall): void {
    this.#held.set(key, held);
    const [oldest] = this.#held.keys();
    if (this.#held.size <= maxHeld || oldest === undefined) return;
    this.#held.get(oldest)!.controller.abort();
    this.#held.delete(oldest);
  }

  #release(key: string, { outcome, controller, release }: HeldCall, signal: AbortSignal | undefined) {
    this.#held.delete(key);
    const abort = () => controller.abort();
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort);
    release();
    return outcome.finally(() => signal?.removeEventListener("abort", abort));
  }

  async #resume({ key, ticket }: WaitingTicket, context: CallContext): Promise<ToolOutcome> {
    const outcome = await this.#host.resume(ticket, context);
    await this.#tickets.note(key, outcome);
    return outcome;
  }

  /** A ticket that the store does not know any more makes a new call, which asks again. */
  async #resumeOrMake(waiting: WaitingTicket, call: AgentCall, context: CallContext): Promise<ToolOutcome> {
    try {
      return await this.#resume(waiting, context);
    } catch (error) {
      if (!isToolmountError(error) || error.code !== "TICKET_INVALID") throw error;
      const outcome = await this.#host.call(call, context);
      await this.#tickets.note(waiting.key, outcome);
      return outcome;
    }
  }

  /** The newest question of a call of this session. */
  async #question(callId: string, { sessionId }: CallContext): Promise<ApprovalView | undefined> {
    const filter = { callId, sessionId, states: ["pending", "approved", "denied", "ended"] } as const;
    const found = await this.#host.approvals.list(filter);
    return found.findLast(({ info }) => info.sessionId === sessionId);
  }

  #contextOf(given: CallContext): CallContext {
    const { abortSignal = this.#context.abortSignal, ...more } = given;
    return { ...more, ...this.#context, abortSignal };
  }
}

/** A library may use an id again, so the same call is one with the same id, tool and arguments. */
function keyOf({ id, name, arguments: given }: AgentCall, { sessionId }: CallContext): string {
  // Libraries give the same arguments as text and as a value.
  const value = typeof given === "string" ? (parseJson(given) ?? given) : (given ?? {});
  return digestOf([sessionId ?? "", id, name, value]);
}

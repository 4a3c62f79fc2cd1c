import { randomUUID } from "node:crypto";
import { systemClock } from "@toolmount/core";
import type { Answers, Front, FrontClient, InternalCall, ServerAsks } from "../wire/front.ts";

/** The questions that a client of 2026 has to answer before its call can continue. */
interface Asked {
  readonly id: string;
  readonly requests: ServerAsks;
}

/** The next step of a call: it has an outcome, its client is asked, or it has become a task that its client follows. */
type Step<Outcome> = { readonly outcome: Outcome } | { readonly asked: Asked } | { readonly isTask: true };

/** The reason with which a call is aborted if its client has cancelled it as a task. */
export class CancelledByClient extends Error {
  override readonly name = "CancelledByClient";
}

/**
 * A call that continues while its client answers questions of a mounted server. A client of 2026 answers with a new request, so
 * each of its requests attaches itself to the call and gets the next step.
 */
export class SuspendableCall<Outcome extends object = object> implements Front {
  readonly id = randomUUID();
  from: FrontClient;
  readonly outcome: Promise<Outcome>;
  readonly #controller = new AbortController();
  #waiting: { readonly requests: ServerAsks; readonly answer: (given: Answers) => void } | undefined;
  #asking = Promise.withResolvers<void>();
  readonly #task = Promise.withResolvers<void>();
  #isTask = false;
  #rounds = 0;
  /** The ticket with which the host resumes the call; undefined as long as no approval was asked for. */
  ticket: string | undefined;
  /** Stores the ticket, and the message that the client reads meanwhile. */
  onTicket: ((ticket: string, message: string | undefined) => Promise<void>) | undefined;
  #message: string | undefined;
  #changedAt = systemClock.now();
  readonly becomeTask: Front["becomeTask"];
  readonly given: Answers | undefined;
  readonly callInternal: InternalCall;

  /** Starts the work. With `isFollowed`, the client can follow the call as a task. */
  constructor(
    from: FrontClient,
    internalCalls: (signal: AbortSignal) => InternalCall,
    { given, isFollowed }: { readonly given?: Answers | undefined; readonly isFollowed: boolean },
    work: (call: SuspendableCall<Outcome>) => Promise<Outcome>,
  ) {
    this.from = from;
    this.given = given;
    this.becomeTask = isFollowed ? (message, ticket) => this.#becomeTask(message, ticket) : undefined;
    this.callInternal = internalCalls(this.signal);
    this.outcome = work(this);
    this.outcome.catch(() => {}); // each step reports the error
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  ask(requests: ServerAsks): Promise<Answers> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) return reject(this.signal.reason as Error);
      this.signal.addEventListener("abort", () => reject(this.signal.reason as Error), { once: true });
      this.#waiting = { requests, answer: resolve };
      this.#rounds++;
      this.note();
      this.#asking.resolve();
    });
  }

  async #becomeTask(message: string | undefined, ticket: string | undefined): Promise<void> {
    this.#isTask = true;
    this.note(message);
    this.#task.resolve();
    if (ticket !== undefined) await this.keepTicket(ticket);
  }

  /** Keeps the ticket. If the call is a task already, resolves when the ticket is stored. */
  async keepTicket(ticket: string): Promise<void> {
    this.ticket = ticket;
    await this.onTicket?.(ticket, this.#message);
  }

  /** Notes that the call has changed, and the message that its client may read about it. */
  note(message = this.#message): void {
    this.#message = message;
    this.#changedAt = systemClock.now();
  }

  /** Returns what a client that follows the call may read about it. */
  get state() {
    return {
      message: this.#message,
      changedAt: this.#changedAt,
      round: this.#rounds,
      asked: this.#waiting?.requests,
    };
  }

  /** Resolves to the outcome, or to undefined when the client has to answer first. */
  next(): Promise<Outcome | void> {
    return Promise.race([this.outcome, this.#asking.promise]);
  }

  cancel(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** Passes the client's answers to the server. If answers are missing, the questions stay open. */
  answer(answers: Answers): void {
    const waiting = this.#waiting;
    if (waiting === undefined || !Object.keys(waiting.requests).every((key) => Object.hasOwn(answers, key)))
      return;
    this.#waiting = undefined;
    this.#asking = Promise.withResolvers<void>();
    this.note();
    // Answers to other questions are not passed on.
    waiting.answer(Object.fromEntries(Object.keys(waiting.requests).map((key) => [key, answers[key]])));
  }

  /**
   * Resolves when the call has an outcome, its client has to answer, or it becomes a task. If the client leaves, the call is
   * cancelled.
   */
  async step(signal: AbortSignal): Promise<Step<Outcome>> {
    const leave = () => this.#controller.abort(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    try {
      const outcome = await Promise.race([this.next(), this.#task.promise]);
      if (outcome !== undefined) return { outcome };
      if (this.#isTask) return { isTask: true };
      return { asked: { id: this.id, requests: this.#waiting?.requests ?? {} } };
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }
}

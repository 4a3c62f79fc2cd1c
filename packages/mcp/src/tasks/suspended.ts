import { randomUUID } from "node:crypto";
import { systemClock } from "@toolmount/core";
import type { Answers, Front, FrontClient, InternalCall, ServerAsks } from "../wire/front.ts";

/** What a client of 2026 is asked before its call can continue. */
interface Asked {
  readonly id: string;
  readonly requests: ServerAsks;
}

/** The next step of a call: it has an outcome, its client is asked, or its client follows it as a task from now on. */
type Step<Outcome> = { readonly outcome: Outcome } | { readonly asked: Asked } | { readonly isTask: true };

/** Why a call ends that its client has cancelled as a task. */
export class CancelledByClient extends Error {
  override readonly name = "CancelledByClient";
}

/**
 * A call that stays in flight while its client answers questions of a mounted server. A client of 2026 answers by a new
 * request, so each of its requests attaches itself to the call, and gets the next step.
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
  /** With it the host resumes the call; undefined while it has asked for no approval. */
  ticket: string | undefined;
  /** Stores the ticket, and what the client reads meanwhile. */
  onTicket: ((ticket: string, message: string | undefined) => Promise<void>) | undefined;
  #message: string | undefined;
  #changedAt = systemClock.now();
  readonly becomeTask: Front["becomeTask"];
  readonly given: Answers | undefined;
  readonly callInternal: InternalCall;

  /** Starts the work. `isFollowed`: the client can follow the call as a task. */
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
    this.outcome.catch(() => {}); // each step reports it
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

  /** Resolves when the ticket is stored, where the call is a task already. */
  async keepTicket(ticket: string): Promise<void> {
    this.ticket = ticket;
    await this.onTicket?.(ticket, this.#message);
  }

  /** The call has changed, and this is what its client may read about it. */
  note(message = this.#message): void {
    this.#message = message;
    this.#changedAt = systemClock.now();
  }

  /** What a client that follows the call may read about it. */
  get state() {
    return {
      message: this.#message,
      changedAt: this.#changedAt,
      round: this.#rounds,
      asked: this.#waiting?.requests,
    };
  }

  /** Resolves to the outcome, or to nothing when the client has to answer first. */
  next(): Promise<Outcome | void> {
    return Promise.race([this.outcome, this.#asking.promise]);
  }

  cancel(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** A retry of the client: its answers go to the server. Answers that are missing are asked for again. */
  attach(from: FrontClient, answers: Answers): void {
    this.from = from;
    this.answer(answers);
  }

  answer(answers: Answers): void {
    const waiting = this.#waiting;
    if (waiting === undefined || !Object.keys(waiting.requests).every((key) => Object.hasOwn(answers, key)))
      return;
    this.#waiting = undefined;
    this.#asking = Promise.withResolvers<void>();
    this.note();
    // What was not asked for is not passed on.
    waiting.answer(Object.fromEntries(Object.keys(waiting.requests).map((key) => [key, answers[key]])));
  }

  /** Resolves when the call has an outcome, or when the client has to answer first. A client that leaves cancels it. */
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

import { randomUUID } from "node:crypto";
import { systemClock } from "@toolmount/core";
import {
  Questions,
  type Answers,
  type Front,
  type FrontClient,
  type InternalCall,
  type ServerAsk,
  type ServerAsks,
} from "../wire/front.ts";

/** The questions that a client of 2026 has to answer before its call can continue. */
interface Asked {
  readonly id: string;
  readonly requests: ServerAsks;
}

/** A question of a server that its client has not answered yet. */
interface Question {
  readonly request: ServerAsk;
  readonly answer: (given: unknown) => void;
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
  readonly questions = new Questions();
  readonly #open = new Map<string, Question>();
  /** The keys of all questions: an answer that comes twice must not answer another question. */
  readonly #keys = new Set<string>();
  #asking = Promise.withResolvers<void>();
  readonly #task = Promise.withResolvers<void>();
  #isTask = false;
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
    this.outcome = this.questions.after(work(this));
    this.outcome.catch(() => {}); // each step reports the error
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async ask(requests: ServerAsks, withdrawn?: AbortSignal): Promise<Answers> {
    const end = AbortSignal.any([this.signal, ...(withdrawn === undefined ? [] : [withdrawn])]);
    end.throwIfAborted();
    const answers = Object.entries(requests).map(
      async ([key, request]) => [key, await this.#askOne(key, request, end)] as const,
    );
    this.note();
    this.#asking.resolve();
    return Object.fromEntries(await Promise.all(answers));
  }

  #askOne(wanted: string, request: ServerAsk, end: AbortSignal): Promise<unknown> {
    let key = wanted;
    for (let count = 2; this.#keys.has(key); count++) key = `${wanted}-${count}`;
    this.#keys.add(key);
    return new Promise((answer, reject) => {
      this.#open.set(key, { request, answer });
      end.addEventListener("abort", () => (this.#close(key), reject(end.reason as Error)), { once: true });
    });
  }

  #close(key: string): void {
    if (!this.#open.delete(key)) return;
    this.note();
    if (this.#open.size === 0) this.#asking = Promise.withResolvers<void>();
  }

  /** The requests that are open, by the keys of their answers; undefined if there are none. */
  get #asked(): ServerAsks | undefined {
    if (this.#open.size === 0) return undefined;
    return Object.fromEntries(Array.from(this.#open, ([key, { request }]) => [key, request]));
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
      asked: this.#asked,
    };
  }

  /** Resolves to the outcome, or to undefined when the client has to answer first. */
  next(): Promise<Outcome | void> {
    return Promise.race([this.outcome, this.#asking.promise]);
  }

  cancel(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** Passes the client's answers to the server. Questions without an answer stay open. */
  answer(answers: Answers): void {
    for (const [key, { answer }] of this.#open) {
      if (!Object.hasOwn(answers, key)) continue;
      this.#close(key);
      answer(answers[key]);
    }
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
      return { asked: { id: this.id, requests: this.#asked ?? {} } };
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }
}

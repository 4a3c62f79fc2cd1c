import { randomUUID } from "node:crypto";
import type { ClientCapabilities, LoggingLevel } from "@modelcontextprotocol/server";
import type { Front, InternalCall, ServerAsk } from "../wire/front.ts";

/** What a client of 2026 is asked before its call can continue. */
export interface Asked {
  readonly id: string;
  readonly requests: Readonly<Record<string, ServerAsk>>;
}

/** The next step of a call: it has an outcome, or its client is asked. */
export type Step<Outcome> = { readonly outcome: Outcome } | { readonly asked: Asked };

/** What one request of the client adds to a call that runs. */
interface Attached {
  readonly client: object;
  readonly capabilities: ClientCapabilities;
  readonly logLevel: LoggingLevel | undefined;
  readonly isHere: boolean | undefined;
  readonly log: Front["log"];
}

/**
 * A call that stays in flight while its client answers questions of a mounted server. A client of 2026 answers by a new
 * request, so each of its requests attaches itself to the call, and gets the next step.
 */
export class SuspendableCall<Outcome extends object = object> implements Front {
  readonly id = randomUUID();
  readonly #controller = new AbortController();
  #attached: Attached;
  #work: Promise<Outcome> | undefined;
  #waiting: { readonly requests: Asked["requests"]; readonly answer: (given: Answers) => void } | undefined;
  #asking = Promise.withResolvers<void>();

  readonly given: Answers | undefined;
  readonly callInternal: InternalCall;

  constructor(attached: Attached, internalCalls: (signal: AbortSignal) => InternalCall, given?: Answers) {
    this.given = given;
    this.callInternal = internalCalls(this.signal);
    this.#attached = attached;
  }

  get client(): object {
    return this.#attached.client;
  }

  get capabilities(): ClientCapabilities {
    return this.#attached.capabilities;
  }

  get logLevel(): LoggingLevel | undefined {
    return this.#attached.logLevel;
  }

  get isHere(): boolean | undefined {
    return this.#attached.isHere;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  log(level: LoggingLevel, data: unknown, logger: string | undefined): void {
    this.#attached.log(level, data, logger);
  }

  ask(requests: Asked["requests"]): Promise<Answers> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) return reject(this.signal.reason as Error);
      this.signal.addEventListener("abort", () => reject(this.signal.reason as Error), { once: true });
      this.#waiting = { requests, answer: resolve };
      this.#asking.resolve();
    });
  }

  /** Starts the work, once. */
  start(work: () => Promise<Outcome>): void {
    this.#work = work();
    this.#work.catch(() => {}); // each step reports it
  }

  /** Whether the work has ended, or will never be asked for again. */
  get ended(): Promise<unknown> {
    return this.#work?.catch(() => {}) ?? Promise.resolve();
  }

  /** A retry of the client: its answers go to the server. Answers that are missing are asked for again. */
  attach(attached: Attached, answers: Answers): void {
    this.#attached = attached;
    const waiting = this.#waiting;
    if (waiting === undefined || !Object.keys(waiting.requests).every((key) => key in answers)) return;
    this.#waiting = undefined;
    this.#asking = Promise.withResolvers<void>();
    // What was not asked for is not passed on.
    waiting.answer(Object.fromEntries(Object.keys(waiting.requests).map((key) => [key, answers[key]])));
  }

  /** Resolves when the call has an outcome, or when the client has to answer first. A client that leaves cancels it. */
  async step(signal: AbortSignal): Promise<Step<Outcome>> {
    const leave = () => this.#controller.abort(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    try {
      const outcome = await Promise.race([this.#work, this.#asking.promise]);
      if (outcome !== undefined) return { outcome };
      return { asked: { id: this.id, requests: this.#waiting?.requests ?? {} } };
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }
}

type Answers = Readonly<Record<string, unknown>>;

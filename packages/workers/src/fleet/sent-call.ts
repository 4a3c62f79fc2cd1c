import {
  errorMessage,
  RunnerFailure,
  type FleetAdopted,
  type FleetEnd,
  type FleetMessage,
  type Json,
  type Logger,
  type RunnerControl,
  type RunnerJob,
  type ToolReturn,
} from "@toolmount/core";
import type { RunMessage } from "../far/far-message.ts";
import type { HostMessage } from "../far/messages.ts";
import { serveRun, type NearRun } from "../process/near-run.ts";
import { outcomeUnknown } from "../run-failures.ts";
import { readAnswer, readMessage } from "./answer.ts";
import type { Seal } from "./seal.ts";

/** What a sent call needs in addition to its job. */
interface SentCallOptions {
  readonly logger: Logger;
  readonly seal: Seal;
  /** Sends a signed message to the worker of a run. */
  readonly say: (runId: string, message: Json) => void;
  readonly adopted?: FleetAdopted | undefined;
}

/** The host's side of a call that a worker runs. */
export class SentCall {
  readonly runId: string;
  readonly job: RunnerJob;
  /** Name under which the tool is offered. */
  readonly tool: string;
  /** Resolves to what the tool returned. Rejects with what it threw, or with the way in which the run ended. */
  readonly end: Promise<ToolReturn>;
  /** Number of the last message that was read. */
  heard = 0;
  /** Number of the last message on which a host that has ended may have acted; 0 for a call of this host. */
  readonly #said: number;
  /** The error with which the call ends if the host withdraws it. */
  withdrawnBecause: unknown;
  readonly #run: NearRun;
  readonly #logger: Logger;
  readonly #seal: Seal;
  readonly #say: (message: HostMessage) => void;
  readonly #ending = Promise.withResolvers<ToolReturn>();

  constructor(job: RunnerJob, control: RunnerControl, { logger, seal, say, adopted }: SentCallOptions) {
    this.runId = adopted?.runId ?? job.runId;
    this.#said = adopted?.said ?? 0;
    this.#seal = seal;
    this.#say = (message) =>
      say(this.runId, seal.close(["to worker", this.runId], message as unknown as Json));
    this.tool = job.info.tool;
    this.job = job;
    this.#logger = logger;
    this.#run = serveRun(job, control, logger, this.#say);
    this.#run.end.then(this.#ending.resolve, this.#ending.reject);
    this.end = this.#ending.promise;
    // The runner waits for the end only when the call is in the ledger. An earlier rejection must not end this process.
    this.end.catch(() => undefined);
  }

  /** Whether another host sent the call and then ended. */
  get isAdopted(): boolean {
    return this.runId !== this.job.runId;
  }

  /** Handles a message of the worker. */
  hear({ number, body }: FleetMessage): void {
    this.heard = Math.max(this.heard, number);
    const message = readMessage(body, (sealed) => this.#seal.open(["to host", this.runId], sealed));
    if (message === undefined || message.type === "returned" || message.type === "threw")
      this.#logger.warn({ runId: this.runId }, "a worker sent a message that the host does not know");
    else if (number > this.#said) this.#receive(message);
    else this.#hearAgain(message);
  }

  /**
   * Handles a message that was sent to a host which has ended. Values of the session are set again. A call that the host may
   * have made already is not made.
   */
  #hearAgain(message: RunMessage): void {
    if (message.type === "set" || message.type === "delete") return this.#receive(message);
    if (message.type !== "call") return;
    const problem = errorMessage("OUTCOME_UNKNOWN", { tool: message.request.name });
    this.#say({ type: "call-failed", id: message.id, message: problem });
  }

  /** Ends the call with the end that the ledger has for it. */
  finish(end: Exclude<FleetEnd, { kind: "stored" }>): void {
    if (end.kind === "lost") return this.fail(outcomeUnknown(this.job));
    if (end.kind === "withdrawn") return this.fail(this.withdrawnBecause);
    this.#answer(end.answer);
  }

  fail(error: unknown): void {
    this.#ending.reject(error);
  }

  #receive(message: RunMessage): void {
    const failure = this.#run.receive(message);
    if (failure !== undefined) this.fail(failure);
  }

  #answer(answer: Json): void {
    try {
      const read = readAnswer(answer, (sealed) => this.#seal.open(["answer", this.runId], sealed));
      if (read.type !== "failed") return this.#receive({ ...read, runId: this.runId });
      const { code, message, status, details } = read;
      this.fail(new RunnerFailure(code as RunnerFailure["code"], message, { status, details }));
    } catch (err) {
      this.#logger.warn({ err, runId: this.runId }, "the answer of a worker cannot be read");
      this.fail(outcomeUnknown(this.job));
    }
  }
}

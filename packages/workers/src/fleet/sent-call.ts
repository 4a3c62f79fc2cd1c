import {
  RunnerFailure,
  type FleetEnd,
  type FleetMessage,
  type Json,
  type Logger,
  type RunnerControl,
  type RunnerJob,
  type ToolReturn,
} from "@toolmount/core";
import type { HostMessage } from "../far/messages.ts";
import { serveRun, type NearRun } from "../process/near-run.ts";
import { outcomeUnknown } from "../run-failures.ts";
import { readAnswer, readMessage } from "./answer.ts";

/** The host's side of a call that a worker runs. */
export class SentCall {
  readonly runId: string;
  readonly job: RunnerJob;
  /** Name of the tool, as it is offered. */
  readonly tool: string;
  /** Resolves to what the tool returned. Rejects with what it threw, or with how the run ended. */
  readonly end: Promise<ToolReturn>;
  /** Number of the last message that was read. */
  heard = 0;
  /** Why the host withdraws it. */
  withdrawnBecause: unknown;
  readonly #run: NearRun;
  readonly #logger: Logger;
  readonly #ending = Promise.withResolvers<ToolReturn>();

  constructor(
    job: RunnerJob,
    control: RunnerControl,
    logger: Logger,
    say: (runId: string, message: HostMessage) => void,
  ) {
    this.runId = job.runId;
    this.tool = job.info.tool;
    this.job = job;
    this.#logger = logger;
    this.#run = serveRun(job, control, logger, (message) => say(job.runId, message));
    this.#run.end.then(this.#ending.resolve, this.#ending.reject);
    this.end = this.#ending.promise;
    // The runner waits for it only after the call is in the ledger.
    this.end.catch(() => undefined);
  }

  /** Takes a message of the worker. */
  hear({ number, body }: FleetMessage): void {
    this.heard = Math.max(this.heard, number);
    const message = readMessage(body);
    if (message === undefined || message.type === "returned" || message.type === "threw")
      this.#logger.warn({ runId: this.runId }, "a worker sent a message that the host does not know");
    else this.#run.receive(message);
  }

  /** Takes the end of the call. */
  finish(end: Exclude<FleetEnd, { kind: "stored" }>): void {
    if (end.kind === "lost") return this.fail(outcomeUnknown(this.job));
    if (end.kind === "withdrawn") return this.fail(this.withdrawnBecause);
    this.#answer(end.answer);
  }

  fail(error: unknown): void {
    this.#ending.reject(error);
  }

  #answer(answer: Json): void {
    try {
      const read = readAnswer(answer);
      if (read.type !== "failed") return this.#run.receive({ ...read, runId: this.runId });
      const { code, message, status, details } = read;
      this.fail(new RunnerFailure(code as RunnerFailure["code"], message, { status, details }));
    } catch (err) {
      this.#logger.warn({ err, runId: this.runId }, "the answer of a worker cannot be read");
      this.fail(outcomeUnknown(this.job));
    }
  }
}

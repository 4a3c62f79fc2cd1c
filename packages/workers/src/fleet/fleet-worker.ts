import { randomBytes } from "node:crypto";
import type {
  Clock,
  FleetAnswered,
  FleetCall,
  FleetEngine,
  FleetLedger,
  FleetReceiver,
  Json,
  JsonObject,
  Logger,
  Timer,
} from "@toolmount/core";
import { unavailable } from "../run-failures.ts";
import { answerOfError, type FleetAnswer } from "./answer.ts";
import { staleMs } from "./fleet-host.ts";
import { digestOfTool, groupOf } from "./group.ts";
import { readJob, refusalOf } from "./job.ts";
import { RemoteRun } from "./remote-run.ts";
import { runTool, type WorkerTool } from "./run-tool.ts";
import type { Seal } from "./seal.ts";
import { Together } from "./together.ts";

/** Options for a worker of one queue. */
interface FleetWorkerOptions {
  readonly ledger: FleetLedger;
  readonly engine: FleetEngine;
  readonly queue: string;
  readonly seal: Seal;
  readonly tools: readonly WorkerTool[];
  /** Number of calls that run at the same time. */
  readonly concurrency: number;
  readonly leaseMs: number;
  /** Milliseconds for which the end of a call is kept if no host collects it. */
  readonly keepMs: number;
  /** Facts about the worker that `toolmount fleet` shows. */
  readonly facts: JsonObject;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Milliseconds between two deletions of rows that are not needed any more, and until a group without workers is deleted. */
const cleanMs = 60_000;

/** Milliseconds between two attempts to store an answer if the ledger cannot be reached. */
const retryMs = 200;

/** Takes the calls of one queue and runs them. */
export class FleetWorker {
  readonly name = `w${randomBytes(8).toString("hex")}`;
  readonly group: string;
  readonly #options: FleetWorkerOptions;
  readonly #tools: ReadonlyMap<string, WorkerTool>;
  readonly #digests: Readonly<Record<string, string>>;
  readonly #running = new Map<string, RemoteRun>();
  readonly #answers = new Together(async (answers: readonly FleetAnswered[]) => {
    const counted = new Set(await this.#options.ledger.answer(this.name, answers));
    return answers.map(({ runId }) => counted.has(runId));
  });
  #receiver: FleetReceiver | undefined;
  #stopWatching: () => Promise<void> = async () => undefined;
  #beating: Promise<void> | undefined;
  #timer: Timer | undefined;
  #isClosed = false;
  #done = 0;
  #cleanAt = 0;

  constructor(options: FleetWorkerOptions) {
    this.#options = options;
    this.#tools = new Map(options.tools.map((entry) => [entry.tool.info.name, entry]));
    this.#digests = Object.fromEntries(
      options.tools.map(({ tool: { info } }) => [info.name, digestOfTool(info)]),
    );
    this.group = groupOf(this.#digests);
  }

  async start(): Promise<void> {
    const { ledger, engine, queue, concurrency } = this.#options;
    this.#stopWatching = await ledger.watch(this.name, ({ runId }) => void this.#listen([runId]));
    this.#receiver = await engine.receive(queue, this.group, concurrency, (runIds) => this.#take(runIds));
    await this.#report();
    // Calls that arrived while no worker had their tools were not delivered yet.
    await this.#sweep(0);
    this.#schedule();
  }

  /** Stops taking calls. Running calls may end within `graceMs`; then they are aborted. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const { clock, ledger } = this.#options;
    const late = clock.setTimer(() => this.#abortAll("the worker ends"), graceMs);
    await this.#receiver?.close();
    late.cancel();
    await this.#beating;
    await ledger.leave(this.name).catch(() => undefined);
    await this.#stopWatching();
  }

  /** Takes calls and starts them. Each of the promises resolves when the call's answer is stored. */
  async #take(runIds: readonly string[]): Promise<readonly Promise<void>[]> {
    const { ledger, leaseMs } = this.#options;
    const calls = await ledger.take(runIds, this.name, Object.values(this.#digests), leaseMs);
    return calls.map((call) => this.#start(call));
  }

  async #start(call: FleetCall): Promise<void> {
    const { runId } = call;
    try {
      await this.#answer(call, ...(await this.#runCall(call)));
    } catch (err) {
      this.#options.logger.warn({ err, runId }, "the answer of a call could not be stored");
    } finally {
      this.#running.delete(runId);
      this.#done++;
    }
  }

  /**
   * Runs a call. Resolves to its answer, and to the last messages of its tool. A job that no host of this fleet wrote is
   * refused.
   */
  async #runCall(call: FleetCall): Promise<readonly [FleetAnswer, readonly Json[]]> {
    const { ledger, logger, seal } = this.#options;
    const { runId, tool } = call;
    let run: RemoteRun;
    try {
      run = new RemoteRun(call, readJob(call, seal), { ledger, seal });
    } catch (err) {
      logger.warn({ err, runId }, "a job in the ledger of a fleet was refused");
      return [answerOfError(runId, unavailable({ info: { tool } }, refusalOf(err))), []];
    }
    this.#running.set(runId, run);
    const answer = await runTool(this.#tools.get(tool)!, run, this.#options.clock);
    return [answer, await run.rest()];
  }

  /** Stores an answer. If the ledger cannot be reached, it tries again as long as the lease may last. */
  async #answer({ runId }: FleetCall, given: FleetAnswer, last: readonly Json[]): Promise<void> {
    const { logger, leaseMs, seal } = this.#options;
    const answer = seal.close(["answer", runId], given as unknown as Json);
    for (let waited = 0; ; waited += retryMs) {
      try {
        const counts = await this.#answers.add({ runId, answer, last });
        if (!counts) logger.warn({ runId }, "an answer does not count: the worker had lost the call");
        return;
      } catch (err) {
        if (waited > leaseMs) throw err;
        await this.#wait(retryMs);
      }
    }
  }

  /** Reads what hosts have sent about calls. */
  async #listen(runIds: readonly string[]): Promise<void> {
    const { ledger, logger } = this.#options;
    const runs = runIds.flatMap((runId) => this.#running.get(runId) ?? []);
    if (runs.length === 0) return;
    try {
      const after = new Map(runs.map((run) => [run.call.runId, run.heard]));
      for (const { runId, number, body } of await ledger.heard("worker", after)) {
        const run = this.#running.get(runId);
        if (run !== undefined && number > run.heard && !run.hear(number, body))
          logger.warn({ runId }, "a message that the fleet's host did not write was ignored");
      }
      for (const runId of await ledger.cancelled(runs.map(({ call }) => call.runId)))
        this.#abort(runId, "the caller cancelled the call");
    } catch (err) {
      logger.debug({ err }, "the ledger of a fleet could not be read");
    }
  }

  #abort(runId: string, message: string): void {
    const run = this.#running.get(runId);
    if (run !== undefined && !run.signal.aborted) run.abort("AbortError", message);
  }

  #abortAll(message: string): void {
    for (const runId of this.#running.keys()) this.#abort(runId, message);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const { clock, leaseMs } = this.#options;
    this.#timer = clock.setTimer(
      () => {
        this.#beating = this.#beat().finally(() => this.#schedule());
      },
      Math.min(leaseMs / 3, 1_000),
    );
  }

  /** Renews the leases, reports the worker, and reads everything whose notification may have been lost. */
  async #beat(): Promise<void> {
    const { ledger, leaseMs, logger } = this.#options;
    const runIds = [...this.#running.keys()];
    try {
      if (runIds.length > 0) {
        const kept = new Set(await ledger.renew(runIds, this.name, leaseMs));
        for (const runId of runIds) if (!kept.has(runId)) this.#abort(runId, "the worker has lost the call");
        await this.#listen(runIds);
      }
      await this.#report();
      await this.#sweep(staleMs);
      await this.#clean();
    } catch (err) {
      logger.debug({ err }, "the ledger of a fleet could not be reached");
    }
  }

  async #report(): Promise<void> {
    const { ledger, queue, leaseMs, facts, concurrency } = this.#options;
    const { name, group } = this;
    const load = { ...facts, concurrency, running: this.#running.size, done: this.#done };
    const member = { name, role: "worker", queue, group, tools: this.#digests, facts: load } as const;
    await ledger.report(member, Math.max(3 * leaseMs, 3_000));
  }

  /** Ends calls of lost workers, and delivers waiting calls again that this worker's group can run. */
  async #sweep(waitedMs: number): Promise<void> {
    const { ledger, engine, queue } = this.#options;
    const late = await ledger.expire([queue], waitedMs);
    const own = late.filter((call) => this.#digests[call.tool] === call.digest && call.queue === queue);
    await Promise.all(own.map((delivery) => engine.send(this.group, delivery)));
  }

  /** Deletes ends that no host has collected, and the engine's data for groups without workers. */
  async #clean(): Promise<void> {
    const { clock, engine, keepMs, ledger, queue } = this.#options;
    if (clock.now() < this.#cleanAt) return;
    this.#cleanAt = clock.now() + cleanMs;
    await ledger.forget(keepMs);
    for (const group of await ledger.orphanedGroups(queue, cleanMs)) await engine.remove(queue, group);
  }

  #wait(ms: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => void clock.setTimer(() => resolve(), ms));
  }
}

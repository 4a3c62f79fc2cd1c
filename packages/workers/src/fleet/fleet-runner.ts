import {
  type Clock,
  type DescribedModule,
  type FleetAdopted,
  type FleetLedger,
  type Json,
  type Logger,
  type Runner,
  type RunnerControl,
  type RunnerHost,
  type RunnerJob,
  type RunnerModule,
  type ToolInfo,
  type ToolReturn,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import type { FleetSettings } from "../config.ts";
import type { ProcessRunner } from "../process/process-runner.ts";
import type { FleetHost } from "./fleet-host.ts";
import { digestOfTool, identityOf } from "./group.ts";
import { writeJob } from "./job.ts";
import { createSeal, type Seal } from "./seal.ts";
import { outcomeUnknown, unavailable } from "../run-failures.ts";
import { SentCall } from "./sent-call.ts";

/** What a runner of a fleet needs of its host. */
interface FleetRunnerOptions {
  readonly settings: FleetSettings;
  /** Returns the connection to the fleet, which is made at the first call. */
  readonly host: () => Promise<FleetHost>;
  /**
   * Returns processes of this machine behind the fleet's border, which start when they are first needed; null without a border.
   */
  readonly processes: (() => Promise<ProcessRunner>) | null;
  /** Finds a mounted tool by the name under which it is offered. */
  readonly toolOf: (name: string) => ToolInfo | null;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Sends calls to workers through the ledger, and waits until they end. */
export class FleetRunner implements Runner {
  readonly adopts = true;
  readonly settings: FleetSettings;
  readonly seal: Seal;
  readonly #options: FleetRunnerOptions;

  constructor(options: FleetRunnerOptions) {
    this.#options = options;
    this.settings = options.settings;
    this.seal = createSeal(options.settings.key);
  }

  /** Returns the processes in which a worker on this machine runs calls; null if the worker itself runs them. */
  async processes(): Promise<ProcessRunner | null> {
    return (await this.#options.processes?.()) ?? null;
  }

  /**
   * Describes a module behind a border in a process on this machine, because neither hosts nor workers import such a module.
   */
  async describe(module: RunnerModule, host: RunnerHost): Promise<DescribedModule> {
    const processes = await this.processes();
    if (processes === null) throw new Error("workers run the calls of this entry without a border");
    return processes.describe(module, host);
  }

  async run(job: RunnerJob, control: RunnerControl): Promise<ToolReturn> {
    const host = await this.#options.host().catch((error: unknown) => {
      throw unavailable(job, `the fleet's ledger cannot be reached: ${messageOf(error)}`);
    });
    const { ledger } = host;
    const { logger } = this.#options;
    const { seal } = this;
    const say = (runId: string, message: Json) =>
      void ledger
        .say(runId, "worker", [message])
        .catch((err: unknown) => logger.warn({ err, runId }, "a message could not be sent to a worker"));
    const row = this.#rowOf(host, job, control);
    const follow = (adopted?: FleetAdopted) => {
      const call = new SentCall(job, control, { logger, seal, say, adopted });
      return { call, stop: host.follow(call, row) };
    };
    let followed = follow();
    try {
      const adopted = await this.#send(host, row, job, control.signal);
      if (adopted !== null) {
        followed.stop();
        followed = follow(adopted);
      }
      return await this.#wait(host, followed.call, control.signal);
    } finally {
      followed.stop();
    }
  }

  #rowOf(host: FleetHost, job: RunnerJob, control: RunnerControl): Row {
    const { runId, info, timeoutMs } = job;
    const tool = this.#options.toolOf(info.tool);
    if (tool === null) throw unavailable(job, "its definition is no longer mounted");
    const { queue } = this.settings;
    const call = {
      runId,
      queue,
      tool: info.tool,
      digest: digestOfTool(tool),
      idempotent: tool.idempotent,
      identity: identityOf(digestOfTool(tool), job),
    };
    const written = { info, arguments: job.arguments, timeoutMs, state: control.session.snapshot() };
    return {
      ...call,
      host: host.name,
      session: info.sessionId,
      nested: info.depth > 0,
      job: writeJob(call, written, this.seal),
    };
  }

  /** Sends a call. If a host that has ended had sent the same call, resolves to that one, and sends nothing. */
  async #send(host: FleetHost, row: Row, job: RunnerJob, signal: AbortSignal): Promise<FleetAdopted | null> {
    const { queue, maxWaiting } = this.settings;
    for (;;) {
      const delivery = await this.#add(host, row, job, signal);
      if (delivery !== null) {
        await host.deliver(delivery).catch((err: unknown) => {
          // The call is in the ledger, and will be delivered again.
          this.#options.logger.warn({ err, queue }, "the engine of the fleet did not take a call");
        });
        return null;
      }
      const known = row.identity === undefined ? null : await host.ledger.adopt(row.identity, host.name);
      if (known === null)
        throw unavailable(
          job,
          `${maxWaiting} calls wait in the queue "${queue}" already; call it again later`,
        );
      if (known !== "held") return known;
      // The host that made the call still reports. It may just have ended, or it will collect the call soon.
      await this.#pause();
      signal.throwIfAborted();
    }
  }

  /**
   * Adds the row of a call. After an error that may have come although the row was added, it is added again; only the first row
   * with the same run id counts.
   */
  async #add(host: FleetHost, row: Row, job: RunnerJob, signal: AbortSignal): ReturnType<FleetLedger["add"]> {
    const { maxWaiting, waitMs } = this.settings;
    let mayBeAdded = false;
    for (let waited = 0; ; waited += retryMs) {
      try {
        await host.report();
        return await host.ledger.add(row, maxWaiting);
      } catch (error) {
        if (!mayBeAdded && neverConnected(error))
          throw unavailable(job, `the fleet's ledger cannot be reached: ${messageOf(error)}`);
        mayBeAdded = true;
        if (waited >= waitMs || signal.aborted) throw outcomeUnknown(job);
        await this.#pause();
      }
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.setTimer(resolve, retryMs));
  }

  async #wait(host: FleetHost, call: SentCall, signal: AbortSignal): Promise<ToolReturn> {
    const { clock } = this.#options;
    const { waitMs } = this.settings;
    const timer = clock.setTimer(() => void this.#giveUp(host, call), waitMs);
    const stop = () => void this.#cancel(host, call, signal);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    try {
      return await call.end;
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", stop);
    }
  }

  /** Ends a call that no worker has taken in time. */
  async #giveUp(host: FleetHost, call: SentCall): Promise<void> {
    const { runId } = call;
    try {
      call.withdrawnBecause = unavailable(call.job, await this.#whyWaiting(host, call));
      if (await host.ledger.withdraw(runId)) call.fail(call.withdrawnBecause);
    } catch (err) {
      this.#options.logger.warn({ err, runId }, "a call of the fleet could not be withdrawn");
    }
  }

  async #whyWaiting(host: FleetHost, call: SentCall): Promise<string> {
    const { queue, waitMs } = this.settings;
    const workers = await host.workers(queue);
    if (workers.length === 0)
      return `no worker of the queue "${queue}" reports; start one with: toolmount fleet work --queue ${queue}`;
    const tool = this.#options.toolOf(call.tool);
    const fit = workers.filter(({ tools }) => tool !== null && tools[call.tool] === digestOfTool(tool));
    if (fit.length > 0) return `no worker of the queue "${queue}" was free for ${waitMs} ms`;
    return `the workers of the queue "${queue}" have another version of it; start workers with this host's plan`;
  }

  /** Cancels a call. If no worker has taken it, it ends here; otherwise its worker is asked to stop. */
  async #cancel({ ledger }: FleetHost, call: SentCall, signal: AbortSignal): Promise<void> {
    const { runId } = call;
    const { name, message } = signal.reason as Error;
    try {
      call.withdrawnBecause = signal.reason;
      if (await ledger.withdraw(runId)) return call.fail(signal.reason);
      const abort = this.seal.close(["to worker", runId], { type: "abort", runId, name, message });
      await ledger.say(runId, "worker", [abort]);
      await ledger.cancel(runId);
    } catch (err) {
      this.#options.logger.warn({ err, runId }, "a call of the fleet could not be cancelled");
    }
  }
}

type Row = Parameters<FleetLedger["add"]>[0];

/** Milliseconds between two attempts to add a call. */
const retryMs = 200;

/** Whether an error came before the statement could be sent. */
function neverConnected(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const isRefused = ["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", cannotConnectNow].includes(String(code));
  return isRefused || String(message).includes("timeout exceeded when trying to connect");
}

/** Postgres' code for a server that starts or ends. Source: its table of error codes. */
const cannotConnectNow = "57P03";

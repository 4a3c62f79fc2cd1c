import type { ChildProcess } from "node:child_process";
import type { Duplex } from "node:stream";
import type { Clock, Logger, RunnerControl, RunnerJob, ToolReturn } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { killEntered, passFilter, sandboxStdio, spawnChild, type Launch } from "@toolmount/sandbox";
import { readLines } from "../far/lines.ts";
import { readFarMessage, type FarMessage } from "../far/far-message.ts";
import { channelDescriptor, maxMessageBytes, type HostMessage, type Question } from "../far/messages.ts";
import { createNearRun, type NearRun } from "./near-run.ts";
import { MessageMeter } from "./message-meter.ts";
import { NearQuestion } from "./near-question.ts";
import type { NearServices } from "./near-services.ts";
import { refusalOf } from "./rebuild-thrown.ts";
import { describeEnd, UsageLimits } from "./watch-usage.ts";

/** Options for starting and watching a process. */
interface FarOptions {
  readonly launch: Launch;
  readonly mount: Extract<HostMessage, { type: "mount" }>;
  readonly memoryMb: number | undefined;
  readonly startTimeoutMs: number;
  readonly cwd: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly services: NearServices;
}

/** Milliseconds within which a call has to end after its signal was aborted; then its process is killed. */
const killAfterMs = 250;

/** Milliseconds within which a process has to end after it has closed its channel. On a busy machine, this takes a while. */
const endAfterMs = 5_000;

/**
 * Longest time for reading the rest of a channel after its process has ended, in milliseconds. Another process may keep it
 * open.
 */
const restMs = 1_000;

/** Bytes of output that are kept for the log. */
const keptOutput = 4_096;

/** A process's report: whether its module keeps state and, if the host has not imported the module, its tools. */
type Mounted = Omit<Extract<FarMessage, { type: "mounted" }>, "type">;

/** A process that has one module mounted and runs its calls. */
export class FarProcess {
  /** Resolves when the module is mounted. Rejects with the reason if it cannot be. */
  readonly mounted: Promise<Mounted>;
  /** Resolves when the process has ended, to the second half of a sentence that says how. */
  readonly ended: Promise<string>;
  readonly #options: FarOptions;
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #meter: MessageMeter;
  readonly #limits: UsageLimits;
  readonly #runs = new Map<string, NearRun>();
  /** Rehearsals of which this process has run a preview. */
  readonly #rehearsals = new WeakSet<object>();
  readonly #mounting = Promise.withResolvers<Mounted>();
  /** Resolves when the channel has been read to its end. */
  readonly #allRead = Promise.withResolvers<void>();
  #questions = 0;
  #killedBecause: string | undefined;
  #isClosed = false;
  #hasEnded = false;
  #output = "";

  constructor(options: FarOptions) {
    this.#options = options;
    this.#meter = new MessageMeter(options.clock);
    this.#limits = new UsageLimits(options);
    const { env, filter } = options.launch;
    const { file, args } = this.#limits.command;
    this.#child = spawnChild(file, args, {
      cwd: options.cwd,
      env: { ...env },
      stdio: sandboxStdio(["ignore", "pipe", "pipe", "pipe"], { filter }),
      // The process gets its own process group, so that a signal to that group does not reach the host.
      detached: process.platform !== "win32",
    });
    passFilter(this.#child, { filter });
    this.mounted = this.#mounting.promise;
    this.ended = this.#watchEnd();
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (chunk: Buffer) => this.#keepOutput(chunk));
    this.#channel = this.#child.stdio[channelDescriptor] as Duplex;
    readLines(this.#channel, maxMessageBytes, {
      line: (text) => this.#receive(text),
      tooLong: () => this.kill(`it sent more than ${maxMessageBytes} bytes at a time`),
      closed: () => {
        this.#allRead.resolve();
        this.#afterClose();
      },
    });
    this.#send(options.mount);
    this.#watchStart();
    this.#limits.watch(this.#child.pid ?? 0, () => this.#runs.size > 0, {
      kill: (because) => this.kill(because),
      ended: this.ended,
    });
  }

  /**
   * Whether the process can run another call. False from the moment at which it is killed or closes its channel, because a
   * further call would end with it.
   */
  get isAlive(): boolean {
    return !this.#hasEnded && !this.#isClosed && this.#killedBecause === undefined;
  }

  /** Number of calls that run in this process. */
  get running(): number {
    return this.#runs.size;
  }

  /** Runs one call. Rejects with what the tool threw, or with a `RunnerFailure` if the process ends. */
  async run(job: RunnerJob, control: RunnerControl): Promise<ToolReturn> {
    const { logger } = this.#options;
    const run = createNearRun(job, control, logger, (message) => this.#send(message), this.#rehearsals);
    this.#meter.refill();
    return this.#follow(job.runId, run, control.signal);
  }

  /** Asks a hook or a capability of the module. If there is no answer before `signal` aborts, the process is killed. */
  async ask(question: Question, signal: AbortSignal): Promise<unknown> {
    const runId = `question ${(this.#questions += 1)}`;
    this.#meter.allowAnswer();
    this.#send({ type: "ask", runId, question });
    return this.#follow(runId, new NearQuestion(), signal);
  }

  async #follow(runId: string, run: NearRun, signal: AbortSignal): Promise<ToolReturn> {
    this.#runs.set(runId, run);
    const stop = () => this.#stop(runId, signal, this.#options.clock);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    try {
      return await run.end;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#runs.delete(runId);
    }
  }

  /** Kills the process; `because` completes the sentence with which its calls end. */
  kill(because: string): void {
    if (this.#hasEnded) return;
    this.#killedBecause ??= because;
    if (this.#options.launch.isEntered === true) killEntered(this.#child);
    else this.#child.kill("SIGKILL");
  }

  #send(message: HostMessage): void {
    if (this.#channel.writable) this.#channel.write(`${JSON.stringify(message)}\n`);
  }

  #stop(runId: string, signal: AbortSignal, clock: Clock): void {
    const { name, message } = signal.reason as Error;
    this.#send({ type: "abort", runId, name, message });
    const timer = clock.setTimer(() => this.#killIfStuck(runId), killAfterMs);
    const stop = () => timer.cancel();
    void this.#runs.get(runId)?.end.then(stop, stop);
  }

  /** Kills the process if a call has not ended. A process that still answers and has other calls is spared. */
  #killIfStuck(runId: string): void {
    const run = this.#runs.get(runId);
    if (run === undefined || (run.isAborting && this.#runs.size > 1)) return;
    this.kill(`it was killed, because the call did not end within ${killAfterMs} ms after it was stopped`);
  }

  /**
   * Handles the end of the channel. A process that ends closes its channel first; one that keeps running without it is killed.
   */
  #afterClose(): void {
    this.#isClosed = true;
    if (this.#hasEnded) return;
    const kill = () => this.kill("it closed its channel to the host");
    const timer = this.#options.clock.setTimer(kill, endAfterMs);
    void this.ended.then(() => timer.cancel());
  }

  #receive(text: string): void {
    const excess = this.#meter.take(text.length);
    if (excess !== undefined) return this.kill(`it was killed, because it sent ${excess}`);
    const message = readFarMessage(text);
    if (typeof message === "string") return this.kill(message);
    // A process that is being killed gets no calls.
    if (message.type === "mounted")
      return this.#killedBecause === undefined ? this.#mounting.resolve(message) : undefined;
    if (message.type === "refused") {
      this.#mounting.reject(refusalOf(message, this.#options.mount.module.specifier));
      return this.kill("it could not mount the module");
    }
    if (message.type === "event") return this.#options.services.announce(message.event, message.data);
    if (message.type === "use") return void this.#use(message);
    const failure = this.#runs.get(message.runId)?.receive(message);
    if (failure !== undefined) this.kill(`it was killed: ${failure.message}`);
  }

  async #use({ id, ...used }: Extract<FarMessage, { type: "use" }>): Promise<void> {
    try {
      this.#send({ type: "used", id, value: await this.#options.services.use(used) });
    } catch (error) {
      this.#send({ type: "call-failed", id, message: messageOf(error) });
    }
  }

  async #watchEnd(): Promise<string> {
    const how = await new Promise<string>((resolve) => {
      this.#child.once("error", (error) => resolve(`could not be started: ${error.message}`));
      this.#child.once("exit", (code, signal) =>
        resolve(describeEnd(code, signal, this.#killedBecause ?? this.#limits.excess())),
      );
    });
    this.#limits.close();
    if (this.#killedBecause === undefined) await this.#readRest();
    this.#hasEnded = true;
    if (this.#output !== "" && this.#killedBecause === undefined)
      this.#options.logger.warn({ output: this.#output }, `a process that runs calls ${how}`);
    const printed = this.#output.trim().slice(0, 500);
    this.#mounting.reject(new Error(`the process ${how}${printed === "" ? "" : `: ${printed}`}`));
    this.mounted.catch(() => undefined);
    for (const run of this.#runs.values()) run.processEnded(how);
    return how;
  }

  /**
   * Waits until the rest of the channel is read, because the end of a process can be known before its last messages are read.
   */
  async #readRest(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = this.#options.clock.setTimer(() => late.resolve(), restMs);
    await Promise.race([this.#allRead.promise, late.promise]);
    timer.cancel();
  }

  #watchStart(): void {
    const { clock, startTimeoutMs } = this.#options;
    const late = () => this.kill(`it did not mount its module within ${startTimeoutMs} ms`);
    const timer = clock.setTimer(late, startTimeoutMs);
    const stop = () => timer.cancel();
    this.mounted.then(stop, stop);
  }

  #keepOutput(chunk: Buffer): void {
    this.#output = `${this.#output}${chunk.toString("utf8")}`.slice(-keptOutput);
  }
}

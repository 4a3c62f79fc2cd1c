import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { webAssembly } from "./web-assembly.ts";
import type { Answer, End, FromSandbox, Opening, Request, Start, Turn } from "./messages.ts";

/**
 * Milliseconds after which a computing thread that sends nothing is ended. The limit of steps ends programs long before; this
 * limit is for work that is not counted in steps.
 */
const silentMs = 20_000;

/** Milliseconds after the start of a program after which the thread for the next one is opened. */
const spareMs = 100;

/** Maximum number of programs that run at the same time, each in a thread of about 26 MB. Others wait, in the order in which they came. */
const mostRunning = 32;

/** The error when the thread of a program ended before the program did. */
export class ThreadEnded extends Error {}

/** Threads for programs. Each runs one program and ends. A spare one is kept open, so that the next program starts at once. */
export class Threads {
  #spare: Promise<Worker> | null = null;
  readonly #memoryMb: number;
  readonly #mostRunning: number;
  #compiled: Promise<object> | null = null;
  readonly #open = new Set<Promise<unknown>>();
  readonly #queue: (() => void)[] = [];
  #running = 0;
  #isClosed = false;

  constructor(memoryMb: number, most = mostRunning) {
    this.#memoryMb = memoryMb;
    this.#mostRunning = most;
  }

  /**
   * Runs a program. `call` answers its calls; if it rejects, the program ends with that error. Rejects with `ThreadEnded`, or
   * with the reason of the signal.
   */
  async run(
    start: Omit<Start, "type">,
    call: (request: Request) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<{ readonly end: End; readonly output: string }> {
    signal.throwIfAborted();
    await this.#acquire(signal);
    try {
      return await this.#runNow(start, call, signal);
    } finally {
      // The next program takes over the place, so that no other can come in between.
      const next = this.#queue.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  /** Waits for a free place. Rejects with the reason of the signal. */
  async #acquire(signal: AbortSignal): Promise<void> {
    if (this.#running < this.#mostRunning) return void this.#running++;
    await new Promise<void>((resolve, reject) => {
      this.#queue.push(resolve);
      const leave = () => {
        const at = this.#queue.indexOf(resolve);
        if (at < 0) return;
        this.#queue.splice(at, 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #runNow(
    start: Omit<Start, "type">,
    call: (request: Request) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<{ readonly end: End; readonly output: string }> {
    const opening = this.#spare ?? this.#openThread();
    this.#spare = null;
    const running = opening.then(async (thread) => {
      // Opening a thread slows down the running program, which may end soon. So it is done after a delay.
      const timer = setTimeout(() => this.#openSpare(), spareMs);
      try {
        return await new Run(thread, call, signal).begin({ type: "start", ...start });
      } finally {
        clearTimeout(timer);
        this.#openSpare();
        this.#keepOpen(thread.terminate());
      }
    });
    this.#keepOpen(running);
    return running;
  }

  /** Opens the thread for the next program, unless there is one. */
  #openSpare(): void {
    if (this.#isClosed || this.#spare !== null) return;
    const spare = this.#openThread();
    const forget = () => {
      if (this.#spare === spare) this.#spare = null;
    };
    this.#spare = spare;
    spare.then((thread) => thread.once("exit", forget), forget);
  }

  async #openThread(): Promise<Worker> {
    this.#compiled ??= compileEngine();
    return openThread({ compiled: await this.#compiled, memoryMb: this.#memoryMb });
  }

  /** Makes `close` wait for `work`. */
  #keepOpen(work: Promise<unknown>): void {
    this.#open.add(work);
    void work.catch(() => {}).finally(() => this.#open.delete(work));
  }

  /** Ends the spare thread, and waits for the threads whose programs are being stopped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const spare = await this.#spare?.catch(() => null);
    await spare?.terminate();
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }
}

/** Compiles the engine once, because otherwise each thread would do it. */
async function compileEngine(): Promise<object> {
  const file = fileURLToPath(import.meta.resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm"));
  return webAssembly.compile(await readFile(file));
}

/** Opens a thread without an environment and with little memory, and waits until it has loaded the engine. */
async function openThread(opening: Opening): Promise<Worker> {
  const thread = new Worker(fileURLToPath(import.meta.resolve("#sandbox")), {
    workerData: opening,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 64 + 2 * opening.memoryMb },
  });
  thread.unref();
  const opened = Promise.withResolvers<void>();
  const end = (code: number) => opened.reject(new ThreadEnded(`its thread ended with ${code}`));
  // The listener stays, because an error of a waiting thread must not end the host's process.
  thread
    .once("message", () => opened.resolve())
    .on("error", opened.reject)
    .once("exit", end);
  await opened.promise;
  return thread;
}

/** A program that runs in its thread. Passes its calls on, and sends their answers back to the thread. */
class Run {
  readonly #thread: Worker;
  readonly #call: (request: Request) => Promise<Answer>;
  readonly #signal: AbortSignal;
  readonly #done = Promise.withResolvers<{ end: End; output: string }>();
  readonly #calls = new Set<Promise<unknown>>();
  #output = "";
  #failure: { readonly error: unknown } | null = null;
  /** Number of messages after which the thread has not reported yet. */
  #unanswered = 0;
  readonly #timer = setTimeout(() => {
    if (this.#unanswered > 0) this.#done.reject(new ThreadEnded("it computed for too long"));
  }, silentMs);

  constructor(thread: Worker, call: (request: Request) => Promise<Answer>, signal: AbortSignal) {
    [this.#thread, this.#call, this.#signal] = [thread, call, signal];
  }

  async begin(start: Start): Promise<{ end: End; output: string }> {
    const stop = () => this.#done.reject(this.#signal.reason);
    this.#thread.on("message", (message: FromSandbox) => message.type === "turn" && this.#take(message));
    this.#thread.on("error", (error) => this.#done.reject(new ThreadEnded(error.message)));
    this.#thread.on("exit", (code) => this.#done.reject(new ThreadEnded(`its thread ended with ${code}`)));
    this.#signal.addEventListener("abort", stop, { once: true });
    if (this.#signal.aborted) stop();
    else this.#send(start);
    try {
      return await this.#done.promise;
    } finally {
      clearTimeout(this.#timer);
      this.#signal.removeEventListener("abort", stop);
    }
  }

  #send(message: Start | Answer): void {
    this.#unanswered += 1;
    this.#timer.refresh();
    this.#thread.postMessage(message, []);
  }

  #take(turn: Turn): void {
    this.#unanswered -= 1;
    this.#output += turn.output;
    if (this.#failure === null) for (const request of turn.requests) this.#start(request);
    if (turn.end !== null) void this.#finish(turn.end);
  }

  /** Starts a call. If it may not be made, the program ends, after its earlier calls have ended. */
  #start(request: Request): void {
    const work = this.#call(request)
      .then(
        (answer) => this.#send(answer),
        (error: unknown) => (this.#failure ??= { error }),
      )
      .finally(() => {
        this.#calls.delete(work);
        if (this.#failure !== null && this.#calls.size === 0) this.#done.reject(this.#failure.error);
      });
    this.#calls.add(work);
  }

  /** Ends the program after its calls have ended, because each of them was made and has an outcome. */
  async #finish(end: End): Promise<void> {
    await Promise.all(this.#calls);
    this.#done.resolve({ end, output: this.#output });
  }
}

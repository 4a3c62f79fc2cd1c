import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { systemClock, ToolmountError } from "@toolmount/core";
import type { Read, ReadAnswer } from "./reader-thread.ts";

/** Milliseconds after which a read fails at the latest. Its error says to ask for less. */
const mostMs = 10_000;

/** Reads a file in a thread, one read after the other. The thread starts at the first read, and keeps no process alive. */
export class Reader {
  readonly #file: string;
  readonly #mostMs: number;
  #thread: Worker | null = null;
  readonly #waiting = new Map<number, PromiseWithResolvers<ReadAnswer>>();
  #reads = 0;

  constructor(file: string, most = mostMs) {
    this.#file = file;
    this.#mostMs = most;
  }

  /** Resolves to the rows of a statement. Rejects with `READ_TOO_LONG`, or with SQLite's error. */
  async read({ sql, parameters }: Omit<Read, "id">): Promise<readonly object[]> {
    const thread = (this.#thread ??= this.#start());
    const id = ++this.#reads;
    const waiting = Promise.withResolvers<ReadAnswer>();
    // SQLite cannot be stopped in the middle of a read: the thread reads to the end, and its answer is dropped.
    const timer = systemClock.setTimer(() => waiting.reject(tooLong(this.#mostMs)), this.#mostMs);
    this.#waiting.set(id, waiting);
    thread.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    thread.postMessage({ id, sql, parameters } satisfies Read);
    const answer = await waiting.promise.finally(() => {
      timer.cancel();
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) thread.unref();
    });
    if ("error" in answer) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.rows;
  }

  close(): void {
    void this.#thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(fileURLToPath(import.meta.resolve("#reader-thread")), {
      workerData: this.#file,
      env: {},
    });
    const end = (error: unknown) => {
      this.#thread = null; // the next read starts another thread
      for (const waiting of this.#waiting.values()) waiting.reject(error);
    };
    return thread
      .on("message", (answer: ReadAnswer) => this.#waiting.get(answer.id)?.resolve(answer))
      .on("error", end)
      .on("exit", () => end(new Error("the thread that reads the store has ended")));
  }
}

function tooLong(ms: number): ToolmountError {
  return new ToolmountError("READ_TOO_LONG", { seconds: ms / 1_000 });
}

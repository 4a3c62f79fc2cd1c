import { writeSync } from "node:fs";
import type { Duplex } from "node:stream";
import { LineReader } from "@toolmount/core/json";

/** Is called with what the other side sends. */
interface LineListener {
  line(text: string): void;
  /** Called when the other side has sent a line that is too long. Nothing more is read. */
  tooLong(): void;
  closed(): void;
}

/** Reads JSON texts from a stream, one on each line. A line of more than `maxBytes` is not kept in memory. */
export function readLines(stream: Duplex, maxBytes: number, listener: LineListener): void {
  const reader = new LineReader(maxBytes, (problem) => new LineTooLong(problem));
  stream.on("data", (chunk: Buffer) => {
    let lines = 0;
    try {
      for (const line of reader.push(chunk)) {
        lines++;
        listener.line(line);
      }
    } catch (error) {
      if (!(error instanceof LineTooLong)) throw error;
      listener.tooLong();
      stream.destroy();
      return;
    }
    // After many short messages, other work of this process is done first.
    if (lines >= manyLines) letOthersRun(stream);
  });
  // The other side may end at any time; `close` follows.
  stream.on("error", () => undefined);
  stream.on("close", () => listener.closed());
}

class LineTooLong extends Error {}

/**
 * Writes a text and a line end to a socket, and blocks until the socket's buffer has them. A tool that sends faster than its host
 * reads has to wait, whereas a stream would keep the rest in memory and fail at 2 GB.
 */
export function writeLine(descriptor: number, text: string): void {
  let rest: Uint8Array = Buffer.from(`${text}\n`);
  while (rest.length > 0) rest = rest.subarray(writeSome(descriptor, rest));
}

const never = new Int32Array(new SharedArrayBuffer(4));

/** Milliseconds until the next attempt to write to a full socket. */
const pauseMs = 1;

function writeSome(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    Atomics.wait(never, 0, 0, pauseMs);
    return 0;
  }
}

/** Number of messages in one chunk after which other work is done first. Reading one takes about 20 µs. */
const manyLines = 128;

function letOthersRun(stream: Duplex): void {
  stream.pause();
  setImmediate(() => stream.resume());
}

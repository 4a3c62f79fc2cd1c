import { writeSync } from "node:fs";
import type { Duplex } from "node:stream";

/** Receives what the other side sends. */
interface LineListener {
  line(text: string): void;
  /** The other side sent a longer line than is accepted. Nothing more is read. */
  tooLong(): void;
  closed(): void;
}

/** Reads JSON texts from a stream, one a line. A line beyond `maxBytes` is not kept in memory. */
export function readLines(stream: Duplex, maxBytes: number, listener: LineListener): void {
  const reader = new LineReader(maxBytes, listener);
  stream.on("data", (chunk: Buffer) => {
    const before = reader.lines;
    if (!reader.push(chunk)) stream.destroy();
    // A flood of short messages lets other work of this process run in between.
    else if (reader.lines - before >= manyLines) letOthersRun(stream);
  });
  // The other side may end at any time; `close` follows.
  stream.on("error", () => undefined);
  stream.on("close", () => listener.closed());
}

/**
 * Writes a text and the end of its line to a socket, and blocks until the other side has taken it.
 *
 * So a tool that sends more than its host reads waits for the host. A stream would keep the rest in memory, and break at 2 GB.
 */
export function writeLine(descriptor: number, text: string): void {
  let rest: Uint8Array = Buffer.from(`${text}\n`);
  while (rest.length > 0) rest = rest.subarray(writeSome(descriptor, rest));
}

const never = new Int32Array(new SharedArrayBuffer(4));

/** Milliseconds until the next attempt, while a socket is full. */
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

/** Messages in one chunk, after which other work comes first. Reading one takes about 20 µs. */
const manyLines = 128;

function letOthersRun(stream: Duplex): void {
  stream.pause();
  setImmediate(() => stream.resume());
}

const newline = 10;

class LineReader {
  readonly #maxBytes: number;
  readonly #listener: LineListener;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Lines so far. */
  lines = 0;

  constructor(maxBytes: number, listener: LineListener) {
    this.#maxBytes = maxBytes;
    this.#listener = listener;
  }

  /** False when a line is too long. */
  push(chunk: Buffer): boolean {
    let rest = chunk;
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      if (!this.#keep(rest.subarray(0, end))) return false;
      const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
      this.#parts = [];
      this.#bytes = 0;
      this.lines++;
      this.#listener.line(line.toString("utf8"));
      rest = rest.subarray(end + 1);
    }
    return rest.length === 0 || this.#keep(rest);
  }

  #keep(part: Buffer): boolean {
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) {
      this.#parts.push(part);
      return true;
    }
    this.#parts = [];
    this.#listener.tooLong();
    return false;
  }
}

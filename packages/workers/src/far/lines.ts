import type { Duplex } from "node:stream";

/** A stream of JSON texts, one a line. */
export interface Lines {
  send(message: object): void;
  /** Sends a message that is JSON text already. */
  sendText(text: string): void;
}

/** Receives what the other side sends. */
interface LineListener {
  line(text: string): void;
  /** The other side sent a longer line than is accepted. Nothing more is read. */
  tooLong(): void;
  closed(): void;
}

/** Sends and receives JSON lines on a duplex stream. A line beyond `maxBytes` is not kept in memory. */
export function createLines(stream: Duplex, maxBytes: number, listener: LineListener): Lines {
  const sendText = (text: string) => {
    if (stream.writable) stream.write(`${text}\n`);
  };
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
  return {
    send: (message) => sendText(JSON.stringify(message)),
    sendText,
  };
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

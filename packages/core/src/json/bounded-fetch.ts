import { excessOf } from "./shape.ts";

/** Makes the error for a message that is refused. `problem` says why: "a message is larger than 10 bytes". */
type Refuse = (problem: string) => Error;

/** Maximum number of bytes of a message (a body, or an event of a stream), and of a whole stream of events. */
interface Bounds {
  readonly messageBytes: number;
  readonly streamBytes?: number;
  /** Rewrites a body or an event before it is parsed. */
  readonly rewrite?: (text: string) => string;
}

/** Reads the bytes of a body. Null as soon as it has more than `maxBytes`. */
export async function readBounded(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | null> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maxBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The type of `fetch` and of functions that replace it. */
type Fetch<Input> = (input: Input, init?: RequestInit) => Promise<Response>;

/** Throws the error of `refuse` for a message with an object that has too many members. */
export function requireNarrow(text: string, refuse: Refuse): void {
  const excess = excessOf(text);
  if (excess !== null) throw refuse(`a message has ${excess}`);
}

/**
 * Wraps a fetch so that the size of its responses is limited. Reading a message that is too large, or that has an object of too
 * many members, rejects with the error of `refuse` and ends the connection. Compressed data is counted uncompressed.
 */
export function boundedFetch<Input>(fetchOne: Fetch<Input>, bounds: Bounds, refuse: Refuse): Fetch<Input> {
  return async (input, init) => {
    const response = await fetchOne(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    const rule = isStream ? wholeEvents(bounds, refuse) : wholeBody(bounds, refuse);
    const body = response.body.pipeThrough(new TransformStream(rule));
    const bounded = new Response(body, { status, statusText, headers });
    return Object.defineProperty(bounded, "url", { value: response.url });
  };
}

/** The parameter of `TransformStream`, for which Node exports no name. */
type Bounded = NonNullable<ConstructorParameters<typeof TransformStream<Uint8Array, Uint8Array>>[0]>;

/** Returns a transformer that passes a body on when the body is complete. */
function wholeBody({ messageBytes, rewrite }: Bounds, refuse: Refuse): Bounded {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  return {
    transform(chunk) {
      bytes += chunk.length;
      if (bytes > messageBytes) throw refuse(`a message is larger than ${messageBytes} bytes`);
      parts.push(chunk);
    },
    flush(controller) {
      const body = Buffer.concat(parts);
      const text = body.toString("utf8");
      requireNarrow(text, refuse);
      const rewritten = rewrite?.(text) ?? text;
      controller.enqueue(rewritten === text ? body : Buffer.from(rewritten));
    },
  };
}

/**
 * Returns a transformer that passes each event on when the event is complete, which is at an empty line. With `rewrite`, the end
 * of the stream completes an event, too, because some servers leave the last empty line out.
 */
function wholeEvents({ messageBytes, streamBytes = Infinity, rewrite }: Bounds, refuse: Refuse): Bounded {
  const reader = new LineReader(messageBytes, refuse);
  let event = "";
  let bytes = 0;
  const end = new TextEncoder().encode("\n");
  return {
    flush(controller) {
      if (rewrite === undefined) return;
      for (const line of reader.push(end)) event += `${line}\n`;
      if (event.trim() === "") return;
      requireNarrow(event, refuse);
      controller.enqueue(Buffer.from(rewrite(event.endsWith("\n\n") ? event : `${event}\n`)));
    },
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > streamBytes) throw refuse(`a stream is larger than ${streamBytes} bytes`);
      for (const line of reader.push(chunk)) {
        event += `${line}\n`;
        if (event.length > messageBytes) throw refuse(`an event is larger than ${messageBytes} bytes`);
        if (line !== "") continue;
        requireNarrow(event, refuse);
        controller.enqueue(Buffer.from(rewrite?.(event) ?? event));
        event = "";
      }
    },
  };
}

const newline = 0x0a;

/** Splits a stream of bytes into lines. Its time grows only with the number of bytes, whatever the size of the chunks. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #refuse: Refuse;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number, refuse: Refuse) {
    this.#maxBytes = maxBytes;
    this.#refuse = refuse;
  }

  /** Yields the lines that a chunk completes. Throws the error of `refuse` at a line that is too long. */
  *push(chunk: Uint8Array): Generator<string, void> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) throw this.#refuse(`a line is longer than ${this.#maxBytes} bytes`);
    if (part.length > 0) this.#parts.push(part);
  }

  #take(): string {
    const line = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#bytes = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }
}

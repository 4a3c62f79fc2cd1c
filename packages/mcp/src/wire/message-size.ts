import type { FetchLike } from "@modelcontextprotocol/client";
import { excessOf } from "@toolmount/core/internal";

/** A server sent a message that is larger than a message may be, or too wide to parse. */
export class MessageTooLarge extends Error {
  override readonly name = "MessageTooLarge";
}

/** Throws {@link MessageTooLarge} for the text of a message whose objects have too many members. */
export function requireNarrow(text: string): void {
  const excess = excessOf(text);
  if (excess !== null) throw new MessageTooLarge(`a message has ${excess}`);
}

/**
 * A fetch whose answers have a bound: a body, and each event of a stream of events, has at most `maxBytes`. To read one
 * that is larger, or that has an object of too many members, rejects with {@link MessageTooLarge}, and its connection
 * ends. The SDK reports that of a stream to `onerror`, and the call only learns that its stream ended.
 */
export function boundedFetch(fetchOne: FetchLike, maxBytes: number): FetchLike {
  return async (url, init) => {
    const response = await fetchOne(url, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    const body = response.body.pipeThrough(
      new TransformStream(isStream ? wholeEvents(maxBytes) : wholeBody(maxBytes)),
    );
    const bounded = new Response(body, { status, statusText, headers });
    return Object.defineProperty(bounded, "url", { value: response.url });
  };
}

/** What `TransformStream` takes; Node has no name for it. */
type Bounded = NonNullable<ConstructorParameters<typeof TransformStream<Uint8Array, Uint8Array>>[0]>;

/** Passes a body on when it is complete. */
function wholeBody(maxBytes: number): Bounded {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  return {
    transform(chunk) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new MessageTooLarge(`a message is larger than ${maxBytes} bytes`);
      parts.push(chunk);
    },
    flush(controller) {
      const body = Buffer.concat(parts);
      requireNarrow(body.toString("utf8"));
      controller.enqueue(body);
    },
  };
}

/** Passes an event on when it is complete: its end is an empty line. */
function wholeEvents(maxBytes: number): Bounded {
  const reader = new LineReader(maxBytes);
  let event = "";
  return {
    transform(chunk, controller) {
      for (const line of reader.push(chunk)) {
        event += `${line}\n`;
        if (event.length > maxBytes) throw new MessageTooLarge(`an event is larger than ${maxBytes} bytes`);
        if (line !== "") continue;
        requireNarrow(event);
        controller.enqueue(Buffer.from(event));
        event = "";
      }
    },
  };
}

const newline = 0x0a;

/** Cuts a stream of bytes into lines; the time it takes grows with the bytes, however they are cut. */
export class LineReader {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that a chunk completes. Throws {@link MessageTooLarge}. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  #keep(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes)
      throw new MessageTooLarge(`a line is longer than ${this.#maxBytes} bytes`);
    if (part.length > 0) this.#parts.push(part);
  }

  #take(): string {
    const line = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#bytes = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }
}

import { pipeline, Transform, type Readable, type Writable } from "node:stream";
import { excessOf, LineReader, narrowBytes, readBounded } from "@toolmount/core/internal";
import { tooLarge } from "../wire/message-size.ts";

/** Longest line that a client may send, in bytes. */
const maxLineBytes = 64 * 1024 * 1024;

/** Characters at each end of a message in which its id is looked for. Clients write it as the first or the last member. */
const idWithin = 256;

/**
 * The messages of a client over stdio, a whole line at a time. One that is too wide to parse is refused in its place, and a
 * line that is too long ends the input with an error.
 */
export function narrowLines(input: Readable, output: Writable): Readable {
  const reader = new LineReader(maxLineBytes, tooLarge);
  const lines = new Transform({
    transform(chunk: Buffer, _, done) {
      try {
        for (const line of reader.push(chunk)) {
          const excess = excessOf(line);
          if (excess === null) this.push(`${line}\n`);
          else output.write(`${refusal(line, excess)}\n`);
        }
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  pipeline(input, lines, () => {}); // the end and the error of the lines say it
  return lines;
}

/** The answer to a message that is not parsed. */
function refusal(line: string, excess: string): string {
  const error = { code: -32_600, message: `the message has ${excess}` };
  return JSON.stringify({ jsonrpc: "2.0", id: idOf(line), error });
}

/** The id of a message that is not parsed; null where it is at neither end. */
function idOf(line: string): string | number | null {
  const id = /"id"\s*:\s*("[^"\\]{0,100}"|\d{1,15})/;
  const found = id.exec(line.slice(-idWithin)) ?? id.exec(line.slice(0, idWithin));
  return found === null ? null : (JSON.parse(found[1]!) as string | number);
}

/** Most bytes of a request's body. The SDK has the same bound. */
const maxBodyBytes = 4 * 1024 * 1024;

/**
 * Returns a request whose body may be parsed, or the answer that refuses it. A body is read here unless the request states a
 * small length: the server that received it has compared that with the body.
 */
export async function narrowRequest(request: Request): Promise<Request | Response> {
  const length = request.headers.get("content-length");
  if (request.body === null || (length !== null && Number(length) < narrowBytes)) return request;
  const body = await readBounded(request.body, maxBodyBytes);
  if (body === null) return refuse(413, "", `more than ${maxBodyBytes} bytes`);
  const text = body.toString("utf8");
  const excess = excessOf(text);
  if (excess !== null) return refuse(400, text, excess);
  const { method, url, headers, signal } = request;
  return new Request(url, { method, headers, signal, body });
}

function refuse(status: number, text: string, excess: string): Response {
  const headers = { "content-type": "application/json" };
  return new Response(refusal(text, excess), { status, headers });
}

import { pipeline, Transform, type Readable, type Writable } from "node:stream";
import { isJsonContentType, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { isRecord, LineReader, mostValues, readBounded, refusalOf } from "@toolmount/core/json";
import { depthProblem, idIn } from "../reading/members.ts";
import { readClientMessage, refuse, type ReadMessage } from "../reading/requests.ts";
import { tooLarge } from "../wire/message-size.ts";

/** Longest line that a client may send, in bytes. */
const maxLineBytes = 64 * 1024 * 1024;

/** Characters at each end of a message in which its id is searched, because clients write it as the first or the last member. */
const idWithin = 256;

/** The requests of a client that have no answer yet. */
interface Requests {
  received(message: JSONRPCMessage): void;
  /** Resolves when all requests have an answer or cannot get one any more. */
  settled(output: Writable): Promise<void>;
}

/**
 * Passes on the messages of a client over stdio, a whole line at a time. A message that cannot be served is answered here, and
 * a line that is too long ends the input with an error. The end of the input waits for the answers.
 */
export function narrowLines(input: Readable, output: Writable, requests: Requests): Readable {
  const reader = new LineReader(maxLineBytes, tooLarge);
  const lines = new Transform({
    transform(chunk: Buffer, _, done) {
      try {
        for (const line of reader.push(chunk)) take(line);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      for (const line of reader.push(Buffer.from("\n"))) take(line);
      requests.settled(output).then(() => done(), done);
    },
  });
  const take = (line: string) => {
    for (const read of readLine(line))
      if ("message" in read) {
        requests.received(read.message as JSONRPCMessage);
        lines.push(`${JSON.stringify(read.message)}\n`);
      } else output.write(`${JSON.stringify(read.refusal)}\n`);
  };
  pipeline(input, lines, () => {}); // `lines` reports the end and errors
  return lines;
}

/** Reads the messages of a line, which may be a list of them. */
function readLine(line: string): readonly ReadMessage[] {
  const text = line.startsWith("\uFEFF") ? line.slice(1) : line;
  if (text.trim() === "") return [];
  const excess = refusalOf(text, mostValues);
  if (excess !== null) return [refuse(idOf(text), -32_600, `the message has ${excess}`)];
  try {
    const value: unknown = JSON.parse(text);
    // The depth is checked because each message is written as JSON again for the SDK.
    const problem = depthProblem(value);
    if (problem !== null) return [refuse(idOf(text), -32_600, `the message is ${problem}`)];
    if (!Array.isArray(value)) return [readClientMessage(value)];
    return value.length === 0
      ? [refuse(null, -32_600, "the list has no message")]
      : value.map(readClientMessage);
  } catch {
    return [refuse(idOf(text), -32_700, "the line is not valid JSON")];
  }
}

/** Returns the id of a message that is not parsed; null if neither end has it. */
function idOf(line: string): string | number | null {
  return idIn(line.slice(-idWithin)) ?? idIn(line.slice(0, idWithin)) ?? null;
}

/** Maximum number of bytes of a request's body. The SDK has the same limit. */
const maxBodyBytes = 4 * 1024 * 1024;

/**
 * Reads and parses the body of a request once, while the SDK would copy the request and read it twice. Returns the answer if
 * the body is refused, and an empty object if the SDK has to refuse the request itself. A body that states its length is not
 * measured again, because the HTTP server has compared the two.
 */
export async function readMessage(request: Request): Promise<Response | { readonly parsedBody?: unknown }> {
  const { method, headers } = request;
  if (method !== "POST" || !isJsonContentType(headers.get("content-type"))) return {};
  const length = headers.get("content-length");
  if (Number(length) > maxBodyBytes) return refuseBody(413, "", `more than ${maxBodyBytes} bytes`);
  // `request.body` is used only if needed, because the HTTP server makes the stream when it is asked for.
  const text = length === null ? await textOf(request.body) : await request.text();
  if (text === null) return refuseBody(413, "", `more than ${maxBodyBytes} bytes`);
  const excess = refusalOf(text, mostValues);
  if (excess !== null) return refuseBody(400, text, excess);
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return { parsedBody: value };
    const read = readClientMessage(value);
    return "message" in read ? { parsedBody: read.message } : Response.json(read.refusal, { status: 400 });
  } catch {
    return answer(400, null, { code: -32_700, message: "the body is not valid JSON" });
  }
}

async function textOf(body: ReadableStream<Uint8Array> | null): Promise<string | null> {
  return body === null ? "" : ((await readBounded(body, maxBodyBytes))?.toString("utf8") ?? null);
}

function refuseBody(status: number, text: string, excess: string): Response {
  return answer(status, idOf(text), { code: -32_600, message: `the message has ${excess}` });
}

function answer(status: number, id: string | number | null, error: object): Response {
  return Response.json({ jsonrpc: "2.0", id, error }, { status });
}

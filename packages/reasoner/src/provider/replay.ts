import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { messageOf, ToolmountError } from "@toolmount/core/errors";
import { parseTape, tapeHeader, type TapeAnswer } from "@toolmount/tape";
import { z } from "zod";

const exchanges = z.array(
  z.object({
    status: z.int().min(100).max(599).default(200),
    headers: z.record(z.string(), z.string()).default({}),
    /** The body of an answer that is not streamed. */
    response: z.unknown().optional(),
    /** The events of a streamed answer, as they were received. */
    stream: z.string().optional(),
  }),
);

/** A server on loopback that repeats the recorded answers of a model. */
export interface Replay {
  /** The value for `baseUrl`. */
  readonly baseUrl: string;
  /** Whether the recorded answers are streams. */
  readonly stream: boolean;
  /** The bodies of the requests that it got. */
  readonly requests: readonly unknown[];
  close(): Promise<void>;
}

/**
 * Serves recorded answers over HTTP on 127.0.0.1, one for each request. `text` is a tape, or a list of exchanges as JSON. Rejects
 * with `REPLAY_INVALID` if it is neither. A request after the last recorded answer gets status 400 with an explanation.
 */
export async function startReplay(text: string, file: string): Promise<Replay> {
  const recorded = readExchanges(text, file);
  const requests: unknown[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const at = requests.push(await json(request)) - 1;
    const found = recorded[at];
    if (found === undefined) return sendJson(response, 400, beyond(file, recorded.length));
    if (found.stream === undefined) return sendJson(response, found.status, found.response, found.headers);
    response.writeHead(found.status, { "content-type": "text/event-stream", ...found.headers });
    response.end(found.stream);
  };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    stream: recorded.some(({ stream }) => stream !== undefined),
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readExchanges(text: string, file: string): z.output<typeof exchanges> {
  if (text.startsWith(tapeHeader)) return readTape(text, file);
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw new ToolmountError("REPLAY_INVALID", { file, problem: "it is not JSON" }, { cause });
  }
  const parsed = exchanges.safeParse(given);
  if (parsed.success) return parsed.data;
  const [{ path, message } = { path: [], message: "" }] = parsed.error.issues;
  throw new ToolmountError("REPLAY_INVALID", { file, problem: `${path.join(".")}: ${message}` });
}

function readTape(text: string, file: string): z.output<typeof exchanges> {
  const answers = parseAnswers(text, file);
  if (answers.length > 0)
    return answers.map(({ answer }) => ({ status: 200, headers: {}, response: answer }));
  const problem = "the tape has no answers of a model; record it with toolmount run --record";
  throw new ToolmountError("REPLAY_INVALID", { file, problem });
}

function parseAnswers(text: string, file: string): readonly TapeAnswer[] {
  try {
    return parseTape(text).answers;
  } catch (cause) {
    throw new ToolmountError("REPLAY_INVALID", { file, problem: messageOf(cause) }, { cause });
  }
}

function beyond(file: string, length: number) {
  const message = `${file} has ${length} recorded answers, and this request needs another one`;
  return { error: { message, type: "invalid_request_error", code: "replay_ended", param: null } };
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { ownSession, type Host } from "@toolmount/core";
import { watchTools } from "./changes.ts";
import { narrowLines } from "./narrow.ts";
import type { ServeOptions } from "./options.ts";
import { createStateSeal } from "./seal.ts";
import { createServer } from "./server.ts";
import { ServedTasks } from "../tasks/served-tasks.ts";
import { ServedSession } from "./served-session.ts";

/** Options for serving a host to one client over a pair of streams. */
export interface ServeStreams extends ServeOptions {
  /** Messages from the client, one on each line. */
  readonly input: Readable;
  /** Messages to the client. Nothing else may write there. */
  readonly output: Writable;
  /** The session of the connection. Default: a new one, which ends with the connection. */
  readonly sessionId?: string | undefined;
  /** Errors of the connection itself, such as a line that is not a message. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** The connection of a client to a host that is being served. */
export interface ServedStreams {
  /** The id of the host's session in which the client's calls run. */
  readonly sessionId: string;
  /** Resolves when the client is gone, or after `close`. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds for which running requests are still answered after a client's input has ended. */
const lastAnswersMs = 30_000;

/** The requests of a client that have no answer yet. A client may end its input and still read answers. */
class OpenRequests {
  readonly #open = new Set<unknown>();
  /** Questions to the client, which it cannot answer after its input has ended. */
  readonly #asked = new Set<unknown>();
  #onChange = () => {};

  watch(transport: StdioServerTransport): void {
    const send = transport.send.bind(transport);
    transport.send = async (message) => {
      if ("method" in message && "id" in message) this.#asked.add(message.id);
      await send(message);
      if (!("method" in message)) this.#end(message.id);
    };
  }

  received(message: JSONRPCMessage): void {
    if (!("method" in message)) this.#asked.delete(message.id);
    else if (message.method === "notifications/cancelled") this.#end(message.params?.["requestId"]);
    else if ("id" in message && message.method !== "subscriptions/listen") this.#open.add(message.id);
  }

  #end(id: unknown): void {
    this.#open.delete(id);
    this.#onChange();
  }

  /** Resolves when all requests have an answer or cannot get one any more. */
  async settled(output: Writable): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, lastAnswersMs);
    output.once("close", resolve).once("error", resolve);
    this.#onChange = () => {
      if (this.#open.size === 0 || this.#asked.size > 0) resolve();
    };
    this.#onChange();
    await promise;
    clearTimeout(timer);
  }
}

/** Serves a host over stdin and stdout, or any pair of streams, to a client of 2026 or of an older revision. */
export function serveStreams(host: Host, given: ServeStreams): ServedStreams {
  const { input, output, onError, ...options } = given;
  const sessionId = ownSession(given.userId, given.sessionId ?? `mcp-${randomUUID()}`);
  // The client has started this program, so its tasks belong to the user who may use the plan here.
  const tasks = new ServedTasks(host, ownSession(given.userId, given.sessionId ?? "stdio"));
  const served = new ServedSession(host, sessionId, tasks);
  const seal = createStateSeal(host);
  const open = new OpenRequests();
  const lines = narrowLines(input, output, open);
  // `narrowLines` limits the length of a line already.
  const transport = new StdioServerTransport(lines, output, { maxBufferSize: Number.POSITIVE_INFINITY });
  open.watch(transport);
  let stopWatching = () => {};
  const handle = serveStdio(
    async ({ era }) => {
      const server = await createServer({
        served,
        era,
        options,
        seal,
        userId: options.userId,
        isHere: true, // the client has started this program
      });
      stopWatching();
      stopWatching = watchTools(served, () => void server.sendToolListChanged().catch(() => {})); // the client is gone
      return server;
    },
    { transport, ...(onError !== undefined && { onerror: onError }) },
  );
  const closed = new Promise<void>((resolve) => {
    const done = () => {
      stopWatching();
      const left = given.sessionId === undefined ? served.end() : tasks.end(sessionId);
      void left.then(resolve);
    };
    lines.once("end", done).once("close", done).once("error", done);
    output.once("close", done).once("error", done);
  });
  return {
    sessionId,
    closed,
    close: async () => {
      await handle.close();
      input.destroy();
      await closed;
    },
  };
}

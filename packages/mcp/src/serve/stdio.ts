import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Host } from "@toolmount/core";
import { watchTools } from "./changes.ts";
import { narrowLines } from "./narrow.ts";
import type { ServeOptions } from "./options.ts";
import { createStateSeal } from "./seal.ts";
import { createServer } from "./server.ts";
import { ServedTasks } from "../tasks/served-tasks.ts";
import { ServedSession } from "./served-session.ts";

/** One connection over a pair of streams. */
export interface ServeStreams extends ServeOptions {
  /** Messages from the client, a line each. */
  readonly input: Readable;
  /** Messages to the client. Nothing else may write there. */
  readonly output: Writable;
  /** The session of the connection. Default: a new one, which ends with the connection. */
  readonly sessionId?: string | undefined;
  /** Errors of the connection itself, such as a line that is not a message. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A host that is being served. */
export interface ServedStreams {
  /** The session of the connection. */
  readonly sessionId: string;
  /** Resolves when the client is gone, or after `close`. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves a host over stdin and stdout, or any pair of streams, in both eras of the protocol. */
export function serveStreams(host: Host, given: ServeStreams): ServedStreams {
  const { input, output, sessionId = `mcp-${randomUUID()}`, onError, ...options } = given;
  // The client has started this program: its tasks are those of who may use the plan here.
  const tasks = new ServedTasks(host, given.sessionId ?? "stdio");
  const served = new ServedSession(host, sessionId, tasks);
  const seal = createStateSeal(options.stateKey);
  const lines = narrowLines(input, output);
  // The lines have their own limit.
  const transport = new StdioServerTransport(lines, output, { maxBufferSize: Number.POSITIVE_INFINITY });
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

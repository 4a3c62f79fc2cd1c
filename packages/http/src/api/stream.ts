import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { answerError } from "../fault/answer.ts";
import type { RouteEnv } from "./service.ts";

/** Maximum number of bytes that wait for a slow reader. Beyond this, events are dropped, and an event `dropped` says how many. */
const maxWaiting = 1_000_000;

/**
 * Sends an event to one client without waiting. A reader that is too slow loses events, so that they do not fill the server's
 * memory.
 */
export type SendEvent = (event: string, data: unknown, id?: string) => void;

/** The last event of a stream; null if the stream ends without one. */
type Last = { readonly event: string; readonly data: unknown } | null;

/**
 * Answers with a stream of server-sent events. `work` sends events while it runs, and must end when the signal of the request
 * aborts. The event that it returns is sent last, and is never dropped. An error is sent as the event `error`, with the same body
 * as in a plain answer. The stream is written to the connection itself and not stored.
 */
export function answerStream(c: Context<RouteEnv>, work: (send: SendEvent) => Promise<Last>): Response {
  const { outgoing } = c.env;
  // With this header, proxies pass events on at once.
  outgoing.writeHead(200, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
  outgoing.flushHeaders();
  void work(senderOf(outgoing))
    .catch((error: unknown): Last => ({ event: "error", data: answerError(error).body }))
    .then((last) => outgoing.end(last === null ? "" : textOf(last.event, last.data)));
  return RESPONSE_ALREADY_SENT;
}

function senderOf(outgoing: ServerResponse): SendEvent {
  let dropped = 0;
  const report = () => {
    if (dropped > 0) outgoing.write(textOf("dropped", { events: dropped }));
    dropped = 0;
  };
  return (event, data, id) => {
    if (outgoing.writableEnded) return;
    if (outgoing.writableLength > maxWaiting) {
      if (dropped === 0) outgoing.once("drain", report);
      dropped += 1;
    } else outgoing.write(textOf(event, data, id));
  };
}

function textOf(event: string, data: unknown, id?: string): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n${id === undefined ? "" : `id: ${id}\n`}\n`;
}

/** Tests whether the client wants an event stream, by the header `accept`. */
export function wantsStream(c: Context<RouteEnv>): boolean {
  return (c.req.header("accept") ?? "").toLowerCase().includes("text/event-stream");
}

import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { answerError } from "../fault/answer.ts";
import type { RouteEnv } from "./service.ts";

/** Bytes that wait for a slow reader. More events are dropped, and an event `dropped` says how many. */
const maxWaiting = 1_000_000;

/** Sends an event to one client without waiting: a reader that is too slow loses events instead of filling the server's memory. */
export type SendEvent = (event: string, data: unknown, id?: string) => void;

/** The last event of a stream; null if there is none. */
type Last = { readonly event: string; readonly data: unknown } | null;

/**
 * Answers with a stream of server-sent events. `work` sends events while it runs, and ends with the signal of the request. The
 * event that it returns is sent last and never dropped. An error is sent as the event `error`, with the body of a plain answer.
 * The stream is written to the connection itself, and nothing else is kept of it.
 */
export function answerStream(c: Context<RouteEnv>, work: (send: SendEvent) => Promise<Last>): Response {
  const { outgoing } = c.env;
  // Keeps proxies from holding events back.
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

/** Tests whether the client asks for events. */
export function wantsStream(c: Context<RouteEnv>): boolean {
  return (c.req.header("accept") ?? "").toLowerCase().includes("text/event-stream");
}

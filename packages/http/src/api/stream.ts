import { streamSSE } from "hono/streaming";
import type { Context } from "hono";
import { answerError } from "../fault/answer.ts";
import type { RouteEnv } from "./service.ts";

/** Events that wait for a slow reader. More are dropped, and an event `dropped` says how many. */
const maxQueued = 256;

/** Sends events to one client. */
export interface EventSender {
  /** Queues an event. Never waits: a reader that is too slow loses events, not the server its memory. */
  readonly send: (event: string, data: unknown, id?: string) => void;
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal;
}

interface Queued {
  readonly event: string;
  readonly data: unknown;
  readonly id?: string | undefined;
}

/**
 * Answers with a stream of server-sent events. `work` sends while it runs; what it returns is the last event, and it is
 * never dropped. An error is the event `error`, with the body that a plain answer would have.
 */
export function answerStream(
  c: Context<RouteEnv>,
  work: (sender: EventSender) => Promise<{ readonly event: string; readonly data: unknown } | null>,
): Response {
  // A proxy must not keep events back.
  c.header("x-accel-buffering", "no");
  return streamSSE(c, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort(new Error("the client has gone")));
    const queue: Queued[] = [];
    let dropped = 0;
    let isOver = false;
    let wake = () => {};
    const send = (event: string, data: unknown, id?: string) => {
      if (queue.length >= maxQueued) dropped += 1;
      else queue.push({ event, data, id });
      wake();
    };
    const result = work({ send, gone: gone.signal })
      .catch((error: unknown) => ({ event: "error", data: answerError(error).body }))
      .then((last) => {
        isOver = true;
        wake();
        return last;
      });
    gone.signal.addEventListener("abort", () => wake());
    const write = async ({ event, data, id }: Queued) =>
      stream.writeSSE({ event, data: JSON.stringify(data), ...(id !== undefined && { id }) });
    while (!gone.signal.aborted) {
      const next = queue.shift();
      if (next !== undefined) await write(next);
      else if (dropped > 0) {
        await write({ event: "dropped", data: { events: dropped } });
        dropped = 0;
      } else if (isOver) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    const last = await result;
    if (last !== null && !gone.signal.aborted) await write(last);
  });
}

/** Whether the client asks for events. */
export function wantsStream(c: Context<RouteEnv>): boolean {
  return (c.req.header("accept") ?? "").toLowerCase().includes("text/event-stream");
}

import type { Server, ServerResponse } from "node:http";
import type { Clock } from "@toolmount/core";

/** Milliseconds in which cancelled calls must have been answered; then their connections are closed. */
const answerMs = 2_000;

/** The end of a server, in steps: no new work, then no running work, then no connections. */
export interface Drain {
  /** Aborted when the server starts to end. */
  readonly ending: AbortSignal;
  /** Aborted when the grace is over: running work is cancelled, and answered. */
  readonly cut: AbortSignal;
  /** Counts a response until it is sent. */
  track(response: ServerResponse): void;
  /** `working` resolves when what runs without a request has ended: it has the same grace. */
  end(server: Server, graceMs: number, working: Promise<unknown>): Promise<void>;
}

/** Waits for work, at most so long. */
async function within(clock: Clock, ms: number, working: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = clock.setTimer(over.resolve, ms);
  await Promise.race([working, over.promise]);
  timer.cancel();
}

/** Creates the drain of one server. */
export function createDrain(clock: Clock): Drain {
  const ending = new AbortController();
  const cut = new AbortController();
  const open = new Set<ServerResponse>();
  let onEmpty = () => {};
  const empty = (ms: number) =>
    new Promise<void>((resolve) => {
      if (open.size === 0) return resolve();
      const timer = clock.setTimer(resolve, ms);
      onEmpty = () => {
        timer.cancel();
        resolve();
      };
    });
  return {
    ending: ending.signal,
    cut: cut.signal,
    track(response) {
      open.add(response);
      response.on("close", () => {
        open.delete(response);
        if (open.size === 0) onEmpty();
      });
    },
    async end(server, graceMs, working) {
      ending.abort(new Error("the server is ending"));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await Promise.all([empty(graceMs), within(clock, graceMs, working)]);
      cut.abort(new Error("the server ended before the call did"));
      await empty(answerMs);
      server.closeAllConnections();
      await closed;
    },
  };
}

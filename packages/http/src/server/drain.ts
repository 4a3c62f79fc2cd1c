import type { Server, ServerResponse } from "node:http";
import type { Clock } from "@toolmount/core";
import { withTimeout } from "@toolmount/core/internal";

/** Milliseconds in which cancelled calls must be answered. Then their connections are closed. */
const answerMs = 2_000;

/** For this many milliseconds after a request to `/readyz`, the server assumes that a balancer uses it. */
const balancerMs = 60_000;

/**
 * Ends a server step by step: first no new requests from a balancer, then no new work, then no running work, then no connections.
 */
export interface Drain {
  /** Aborts when the server begins to end. */
  readonly ending: AbortSignal;
  /** Aborts when the time for running work (the grace) is over. Running work is then cancelled, and still answered. */
  readonly cut: AbortSignal;
  /** Whether `/readyz` says that the server accepts requests. */
  isReady(): boolean;
  /**
   * If a balancer uses the server, waits for the first quarter of `graceMs`, in which the balancer stops sending requests.
   * Resolves to the milliseconds that remain.
   */
  leaveBalancer(graceMs: number): Promise<number>;
  /** Counts a response as open until it is sent. */
  track(response: ServerResponse): void;
  /** Ends the server in `graceMs`. It also waits for `working`, which resolves when work that no request waits for has ended. */
  end(server: Server, graceMs: number, working: Promise<unknown>): Promise<void>;
}

/** Creates the drain of one server. */
export function createDrain(clock: Clock): Drain {
  const ending = new AbortController();
  const cut = new AbortController();
  const open = new Set<ServerResponse>();
  let [isLeaving, lastAsked] = [false, Number.NEGATIVE_INFINITY];
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
    isReady() {
      lastAsked = clock.now();
      return !isLeaving;
    },
    async leaveBalancer(graceMs) {
      isLeaving = true;
      if (clock.now() - lastAsked > balancerMs) return graceMs;
      await new Promise<void>((resolve) => clock.setTimer(resolve, graceMs / 4));
      return graceMs - graceMs / 4;
    },
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
      await Promise.all([empty(graceMs), withTimeout(clock, graceMs, working, () => undefined)]);
      cut.abort(new Error("the server ended before the call did"));
      await empty(answerMs);
      server.closeAllConnections();
      await closed;
    },
  };
}

import type { Server, ServerResponse } from "node:http";
import type { Clock } from "@toolmount/core";
import { withTimeout } from "@toolmount/core/internal";

/** Milliseconds within which cancelled calls must be answered before their connections are closed. */
const answerMs = 2_000;

/** Milliseconds for which a request to `/readyz` counts as a sign that a balancer uses the server. */
const balancerMs = 60_000;

/** The steps in which a server ends: no new requests from a balancer, no new work, no running work, no connections. */
export interface Drain {
  /** Aborted when the server starts to end. */
  readonly ending: AbortSignal;
  /** Aborted when the grace is over: running work is then cancelled, and answered. */
  readonly cut: AbortSignal;
  /** Whether a balancer, which asks with `/readyz`, may send requests. */
  isReady(): boolean;
  /** If a balancer asks, waits for the first quarter of the grace, so that it sends no more. Resolves to the rest of the grace. */
  leaveBalancer(graceMs: number): Promise<number>;
  /** Counts a response until it is sent. */
  track(response: ServerResponse): void;
  /** Ends the server. `working` resolves when work without a request has ended, for which it waits in the same grace. */
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

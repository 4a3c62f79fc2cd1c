import type { Json } from "../json/json.ts";
import type { RunnerJob } from "./ports.ts";

/** A call that waits for a worker of a fleet, or runs there. */
export interface FleetCall {
  readonly runId: string;
  readonly queue: string;
  /** Name of the tool as its author gave it, and digest of its definition: a worker with another digest does not take the call. */
  readonly tool: string;
  readonly digest: string;
  /** Whether it may run again when its worker is lost; the run id is then its idempotency key. */
  readonly idempotent: boolean;
  readonly job: Pick<RunnerJob, "info" | "arguments" | "timeoutMs">;
  /** How often it was taken. */
  readonly attempt: number;
}

/** How a call of a fleet ended. `lost`: its worker stopped renewing its lease, and the tool is not idempotent. */
export type FleetEnd =
  | { readonly kind: "answered"; readonly answer: Json }
  | { readonly kind: "withdrawn" }
  | { readonly kind: "lost" };

/** What happened to the ledger since the last look; a hint, so that a listener reads sooner than its next poll. */
export type FleetEvent =
  | { readonly kind: "ended"; readonly runId: string }
  | { readonly kind: "cancelled"; readonly runId: string }
  | { readonly kind: "returned"; readonly runId: string };

/**
 * The rows that decide what happens to the calls of a fleet. An engine may deliver a call twice, late or never; only the
 * worker that takes the row runs the tool, and only the first end of a row counts.
 */
export interface FleetLedger {
  /** Adds a call; a run id that is already there changes nothing. */
  add(call: Omit<FleetCall, "attempt">): Promise<void>;
  /** Gives a waiting call to one worker, with a lease. Null: another has it, it ended, or the digest differs. */
  take(runId: string, worker: string, digest: string, leaseMs: number): Promise<FleetCall | null>;
  /** Extends a worker's lease. False: the worker no longer has the call, and its answer will not count. */
  renew(runId: string, worker: string, leaseMs: number): Promise<boolean>;
  /** Stores the answer and ends the call, in one transaction that also notifies. False: the call is not this worker's. */
  answer(runId: string, worker: string, answer: Json): Promise<boolean>;
  /** Ends a call that no worker has taken. False: a worker has it, or it ended. */
  withdraw(runId: string): Promise<boolean>;
  /** Asks the worker of a call to cancel it. */
  cancel(runId: string): Promise<void>;
  /** Of these calls, those that are to be cancelled. */
  cancelled(runIds: readonly string[]): Promise<readonly string[]>;
  /** Ends of these calls that are known, by run id. */
  ends(runIds: readonly string[]): Promise<ReadonlyMap<string, FleetEnd>>;
  /**
   * Handles calls whose lease has passed: an idempotent one waits again, any other ends as `lost`. Resolves to the run ids
   * that wait again and must be delivered again.
   */
  expire(): Promise<readonly string[]>;
  /** Deletes calls that ended before so many milliseconds. Resolves to how many. */
  forget(olderThanMs: number): Promise<number>;
  /** How many calls of a queue wait and run, and for how many milliseconds the oldest has waited. */
  depth(
    queue: string,
  ): Promise<{ readonly waiting: number; readonly running: number; readonly oldestMs: number }>;
  /** Listens for events until the undo is called. A lost connection is opened again; events in between are lost. */
  watch(listener: (event: FleetEvent) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

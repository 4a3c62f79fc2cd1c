import type { FleetDelivery } from "@toolmount/core";
import type { IntakeOptions } from "./intake.ts";

/**
 * Delivers calls to workers. It may deliver a call twice, late or never: the ledger decides who runs it. A group is the
 * workers of a queue that have the same tools.
 */
export interface Engine {
  /** Calls that are sent at the same moment go together, in about as many deliveries as there are workers. */
  send(group: string, delivery: FleetDelivery, workers?: number): Promise<void>;
  /**
   * Gives calls to `take`, which resolves to those that run now: at most `concurrency` at the same time. Calls by tools are
   * not counted, so that none waits for the place of its caller.
   */
  receive(queue: string, group: string, concurrency: number, take: IntakeOptions["take"]): Promise<Receiver>;
  /** Deletes the queue of a group that has no workers, and what is left in it. */
  remove(queue: string, group: string): Promise<void>;
  close(): Promise<void>;
}

/** One worker's end of an engine. */
export interface Receiver {
  /** Takes no more deliveries, and waits for the calls of those that it has. */
  close(): Promise<void>;
}

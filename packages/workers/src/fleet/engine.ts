import { ToolmountError, type FleetDelivery, type Logger } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
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

/**
 * Opens the engine of a URL: `redis://…` or `postgres://…`. Rejects with `EXTENSION_MISSING` when the engine's packages
 * are not installed.
 */
export async function openEngine(url: string, logger: Logger): Promise<Engine> {
  await requirePackages();
  const { openBullmq } = await import("./bullmq.ts");
  return openBullmq(url, logger);
}

/** The engine's packages have 15 MB, so only those who run a fleet install them. */
async function requirePackages(): Promise<void> {
  try {
    await Promise.all([import("bullmq"), import("ioredis")]);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    const install = "npm install bullmq ioredis";
    throw new ToolmountError("EXTENSION_MISSING", { what: "a fleet", module: "bullmq", install }, { cause });
  }
}

/** Why calls cannot be delivered here; null when every package of the engines can be loaded. */
export async function examineEngines(): Promise<string | null> {
  try {
    await requirePackages();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

import { errorMessage } from "../contract/errors.ts";
import type { Call } from "./call.ts";

/**
 * Makes a resumed call wait again under the same ticket when it could not run, because there was no room or the host
 * closes. It has used nothing, so the person's answer stays valid.
 */
export function requeue(call: Call): void {
  const { ending, stored } = call;
  if (stored === null || stored.ticket === null || stored.record.state !== "claimed") return;
  if (ending.status !== "failed" || ending.result?.code !== "UNAVAILABLE") return;
  const { tool, fetchedAt, error } = ending.result;
  const waitsFor = "run";
  ending.status = "pending";
  call.ticket = stored.ticket;
  ending.result = {
    tool,
    fetchedAt,
    error: errorMessage("PENDING", { tool, waitsFor }),
    code: "PENDING",
    details: { waitsFor },
    warnings: [`${error}; nothing ran, so resume it again later`],
  };
}

/** Releases the record of such a call, so that any host can resume it. When that fails, its lease expires. */
export async function releaseRecord(call: Call): Promise<void> {
  const { logger, stores } = call.host;
  const stored = call.stored!;
  stored.dropLease();
  try {
    await stored.change((record) =>
      record.state === "claimed" && stored.owns(record)
        ? { state: record.decision === null ? "handed" : "approved", leaseUntil: null }
        : null,
    );
    stores.sweepAt(stored.store, stored.record.expiresAt);
  } catch (err) {
    logger.error(
      { err, run_id: call.runId },
      "the record of a call was not released; its lease expires later",
    );
  }
}

import { errorMessage } from "../contract/errors.ts";
import type { Run } from "./call.ts";

/**
 * A call that was gone on with, and could not run for want of room or because the host closes, has used nothing up: it
 * waits again under the same ticket, and the person's answer stands.
 */
export function putBack(run: Run): void {
  const { case: open, result } = run;
  if (open === null || open.ticket === null || open.record.state !== "claimed") return;
  if (run.status !== "failed" || result?.code !== "UNAVAILABLE") return;
  const { tool, fetchedAt, error } = result;
  const waitsFor = "run";
  run.status = "pending";
  run.ticket = open.ticket;
  run.result = {
    tool,
    fetchedAt,
    error: errorMessage("PENDING", { tool, waitsFor }),
    code: "PENDING",
    details: { waitsFor },
    warnings: [`${error}; nothing ran, so go on with it again later`],
  };
}

/** Gives the record of such a call back to whoever goes on with it next. Should that fail, its lease runs out. */
export async function release(run: Run): Promise<void> {
  const { host } = run;
  const open = run.case!;
  open.dropLease();
  try {
    await open.change((record) =>
      record.state === "claimed" && open.holds(record)
        ? { state: record.decision === null ? "handed" : "approved", leaseUntil: null }
        : null,
    );
    host.desk.watch(open.store, open.record.expiresAt);
  } catch (err) {
    host.logger.error({ err, run_id: run.runId }, "a call could not be put back at once");
  }
}

import type { AuditSink } from "@toolmount/core";
import type { OpenHostOptions, PlanInput } from "@toolmount/loader";
import { openJudge } from "./judge-host.ts";
import { diffPolicy, type PolicyDiff } from "./policy-diff.ts";
import { readCallsOf, readCallsOfAudit } from "./recorded-calls.ts";

/**
 * Judges recorded calls by a plan, and reports those that it would have answered differently. The record is the file of a tape
 * or of an exported audit, or the audit of a host. No tool runs, and no person is asked. Flows, budgets and the loop guard do
 * not apply, because each call is judged alone. Rejects with `PLAN_INVALID`, and with `REPLAY_INVALID` for a file that is not
 * a record.
 */
export async function backtest(
  plan: PlanInput,
  record: string | AuditSink,
  options: OpenHostOptions = {},
): Promise<PolicyDiff> {
  const judge = await openJudge(plan, options);
  try {
    return await diffPolicy(
      typeof record === "string" ? readCallsOf(record) : readCallsOfAudit(record),
      judge,
    );
  } finally {
    await judge.close();
  }
}

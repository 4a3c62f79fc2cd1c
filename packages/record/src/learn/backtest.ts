import type { AuditSink } from "@toolmount/core";
import type { OpenHostOptions, PlanInput } from "@toolmount/loader";
import { openJudge } from "./judge-host.ts";
import { diffPolicy, type PolicyDiff } from "./policy-diff.ts";
import { readCallsOf, readCallsOfAudit } from "./recorded-calls.ts";

/**
 * Judges the calls of a record by a plan, and reports those that it would have answered otherwise. The record is a tape or an
 * exported audit, by its file, or the audit of a host. No tool runs, no person is asked. Flows, budgets and the loop guard
 * have no part in it: each call is judged alone. Rejects with `PLAN_INVALID`, and with `REPLAY_INVALID` for a file that is
 * no record.
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

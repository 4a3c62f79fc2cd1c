import type { Json, Limits } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";
import type { Reporter } from "../diagnostics/problems.ts";
import { reportIssues } from "./report-issues.ts";
import { limitsSchema, type LimitsDocument } from "./schema.ts";

/** `policy.limits`: the plan's limits of every call, which core enforces. */
export function checkLimits(policy: Json | undefined, reporter: Reporter): Limits {
  if (!isRecord(policy) || policy["limits"] === undefined) return {};
  const parsed = limitsSchema.safeParse(policy["limits"]);
  if (parsed.success) return readLimits(parsed.data);
  reportIssues(limitsSchema, parsed.error.issues, ["policy", "limits"], reporter);
  return {};
}

/** Limits under core's names; absent limits stay absent. */
export function readLimits({ timeout, outputBytes, concurrent, rate }: LimitsDocument): Limits {
  return {
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(outputBytes !== undefined && { outputBytes }),
    ...(concurrent !== undefined && { concurrent }),
    ...(rate !== undefined && { rate }),
  };
}

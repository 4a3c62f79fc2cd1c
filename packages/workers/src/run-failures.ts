import { errorMessage, RunnerFailure, type CallInfo, type RunnerJob } from "@toolmount/core";

/** Returns the failure of a call that did not run at all. */
export function unavailable(
  { info }: { readonly info: Pick<CallInfo, "tool"> },
  reason: string,
): RunnerFailure {
  return new RunnerFailure("UNAVAILABLE", errorMessage("UNAVAILABLE", { tool: info.tool, reason }));
}

/** Returns the failure of a call that may have run. */
export function outcomeUnknown({ info }: RunnerJob): RunnerFailure {
  const message = errorMessage("OUTCOME_UNKNOWN", { tool: info.tool });
  return new RunnerFailure("OUTCOME_UNKNOWN", message, { status: "unknown" });
}

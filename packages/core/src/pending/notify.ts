import type { HostState } from "../host/host-state.ts";
import type { Generation } from "../registry/registry.ts";
import type { ApprovalRecord } from "../contract/stores.ts";

/** Tells observers of a question or its answer. The approval's id is for approvers only, so it is not told. */
export function tellApproval(
  host: HostState,
  generation: Generation,
  event: "approval:required" | "approval:granted" | "approval:denied",
  record: Pick<ApprovalRecord, "tool" | "info" | "prompt" | "reasons" | "decision">,
): void {
  const observers = generation.observers(event);
  if (observers.length === 0) return;
  const { info, decision } = record;
  host.tellNow(observers, event, {
    tool_name: record.tool,
    tool_call_id: info.callId,
    run_id: info.runId,
    ...(info.sessionId === undefined ? {} : { session_id: info.sessionId }),
    ...(decision === null ? { prompt: record.prompt, reasons: record.reasons } : { by: decision.by }),
    ...(decision?.reason === undefined ? {} : { reason: decision.reason }),
  });
}

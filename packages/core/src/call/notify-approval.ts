import type { ApprovalRecord, RecordedDecision } from "../contract/stores.ts";
import type { Generation } from "../registry/generation.ts";
import { infoOf, type Call, type CallHost } from "./call.ts";

/** Notifies observers of a decision. */
export function notifyDecision(call: Call, decision: RecordedDecision): void {
  const event = decision.decision === "approve" ? "approval:granted" : "approval:denied";
  notifyApproval(call.host, call.generation, event, () => ({
    tool: call.tool!.name,
    info: infoOf(call),
    decision,
  }));
}

/** Notifies observers of a question or its answer. The event lacks the approval's id, which is for approvers only. */
export function notifyApproval(
  host: Pick<CallHost, "observers">,
  generation: Generation,
  event: "approval:required" | "approval:granted" | "approval:denied",
  factsFor: () => Pick<ApprovalRecord, "tool" | "info" | "decision"> &
    Partial<Pick<ApprovalRecord, "prompt" | "reasons">>,
): void {
  const observers = generation.observers(event);
  if (observers.length === 0) return;
  const { tool, info, decision, prompt, reasons } = factsFor();
  host.observers.notifyNow(observers, event, {
    tool_name: tool,
    tool_call_id: info.callId,
    run_id: info.runId,
    ...(info.sessionId === undefined ? {} : { session_id: info.sessionId }),
    ...(decision === null ? { prompt, reasons } : { by: decision.by }),
    ...(decision?.reason === undefined ? {} : { reason: decision.reason }),
  });
}

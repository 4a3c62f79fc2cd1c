import type { EventData } from "../contract/hooks.ts";
import type { ApprovalRecord } from "../contract/stores.ts";
import type { Generation } from "../registry/generation.ts";
import type { ObserverEntry } from "../registry/registry.ts";

interface Notifier {
  notifyNow(observers: readonly ObserverEntry[], event: string, data: EventData): void;
}

/** Notifies observers of a question or its answer. The event lacks the approval's id, which is for approvers only. */
export function notifyApproval(
  notifier: Notifier,
  generation: Generation,
  event: "approval:required" | "approval:granted" | "approval:denied",
  record: Pick<ApprovalRecord, "tool" | "info" | "decision"> &
    Partial<Pick<ApprovalRecord, "prompt" | "reasons">>,
): void {
  const observers = generation.observers(event);
  if (observers.length === 0) return;
  const { info, decision } = record;
  notifier.notifyNow(observers, event, {
    tool_name: record.tool,
    tool_call_id: info.callId,
    run_id: info.runId,
    ...(info.sessionId === undefined ? {} : { session_id: info.sessionId }),
    ...(decision === null ? { prompt: record.prompt, reasons: record.reasons } : { by: decision.by }),
    ...(decision?.reason === undefined ? {} : { reason: decision.reason }),
  });
}

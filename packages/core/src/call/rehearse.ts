import type { Preview } from "../contract/preview.ts";
import type { JsonObject } from "../json/json.ts";
import { CallBundle } from "../sessions/bundle.ts";
import { SessionRehearsal } from "../sessions/rehearsal.ts";
import { needsApproval, type Call, type HopAnswer } from "./call.ts";
import { endCall } from "./transitions.ts";

/** The rehearsal of which a call is a part; null for a real call. */
export function rehearsalOf({ given }: Call): SessionRehearsal | null {
  const { rehearsal } = given;
  if (rehearsal === undefined || rehearsal instanceof SessionRehearsal) return rehearsal ?? null;
  throw new Error("a call has a rehearsal that no session of this host made");
}

/** Whether the tool of a rehearsed call runs for real: it only reads, and has no preview. */
export function isRealRead({ tool }: Call): boolean {
  return tool!.info.category === "read" && !hasPreview(tool!);
}

function hasPreview({ definition, runner, info }: NonNullable<Call["tool"]>): boolean {
  return definition.preview !== undefined && runner === null && info.execution === "server";
}

/** Returns what a call of a rehearsal does instead of its tool's work; null when the tool runs, or its preview. */
export function rehearse(call: Call, rehearsal: SessionRehearsal): HopAnswer | null {
  const tool = call.tool!;
  const isRead = tool.info.category === "read";
  if (rehearsal.stopped === null && isRead) {
    const reason = rehearsal.dependence(tool.name, hasPreview(tool));
    if (reason !== null) rehearsal.stop(reason);
  }
  if (rehearsal.stopped !== null)
    return endCall(call, "failed", "REHEARSAL_ENDED", { tool: tool.name, reason: rehearsal.stopped });
  if (isRead || hasPreview(tool)) return null;
  note(call, rehearsal, null);
  call.timing.executedAt = call.host.time.now();
  call.returned = {
    data: null,
    warnings: ["it did not run: this is a rehearsal, and its result is not known"],
  };
  return "next";
}

/** Whether the preview of a call runs instead of its `execute`. */
export function isPreviewed(call: Call): boolean {
  return call.given.rehearsal !== undefined && hasPreview(call.tool!);
}

/** Runs the preview of a call, and keeps what it would change. A call that would fail changes nothing. */
export async function runPreview(call: Call, preview: Preview | Promise<Preview>): Promise<unknown> {
  const { effects, result } = await preview;
  const isFailure = (result as { readonly error?: unknown } | null)?.error !== undefined;
  const rehearsal = rehearsalOf(call)!;
  if (!isFailure && effects.length > 0) note(call, rehearsal, effects);
  else if (!isFailure) rehearsal.addHarmless(call.tool!.name, call.arguments);
  return result;
}

/**
 * Who approved a call as the next one of a list. Null for a read without a question, and for a deviation from the list: then
 * the call asks.
 */
export function approverOfList(call: Call): string | null {
  const { approved } = call.given;
  if (!(approved instanceof CallBundle)) throw new Error("a call has a list that no rehearsal made");
  if (call.undo !== null || (call.tool!.info.category === "read" && !needsApproval(call))) return null;
  const approval = (call.approval ??= { reasons: [], gateAsk: null, approvedBy: null });
  const reason = approved.take(call.tool!.name, call.arguments, approval.reasons);
  if (reason === null) return approved.by;
  approval.reasons.push({ source: "gate", reason, rule: "approved list" });
  return null;
}

function note(call: Call, rehearsal: SessionRehearsal, effects: Preview["effects"] | null): void {
  const { name, info } = call.tool!;
  rehearsal.add({
    tool: name,
    callId: call.callId,
    runId: call.runId,
    arguments: call.arguments as JsonObject,
    effects: effects ?? [],
    isModelled: effects !== null,
    canUndo: info.undoable === true ? true : info.irreversible === true ? false : null,
    asks: needsApproval(call) ? call.approval!.reasons.map(({ reason }) => reason) : [],
    origins: call.origins ?? [],
  });
}

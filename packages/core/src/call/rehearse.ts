import type { Preview } from "../contract/preview.ts";
import { isRecord, type JsonObject } from "../json/json.ts";
import { ContractBreach } from "../result/normalize.ts";
import { CallBundle } from "../sessions/bundle.ts";
import type { RehearsedFacts } from "../sessions/bundle.ts";
import { SessionRehearsal } from "../sessions/rehearsal.ts";
import type { Grant } from "../contract/stores.ts";
import { needsApproval, type Call, type HopAnswer } from "./call.ts";
import { runnerOf, undoProblem } from "./changes.ts";
import { approvalOf } from "./call-state.ts";
import { askAsList } from "./grants.ts";
import { grantedCallOf } from "./hold.ts";
import { endCall } from "./transitions.ts";

/** Returns the rehearsal that a call is a part of; null for a real call. */
export function rehearsalOf({ given }: Call): SessionRehearsal | null {
  const { rehearsal } = given;
  if (rehearsal === undefined || rehearsal instanceof SessionRehearsal) return rehearsal ?? null;
  throw new Error("a call has a rehearsal that no session of this host made");
}

/** Whether, in a rehearsal, the runner of a call runs the whole call on a copy. */
function runsOnCopy(call: Call): boolean {
  return call.tool!.info.execution === "server" && runnerOf(call)?.rehearses === true;
}

/** Whether the tool of a rehearsed call runs for real: it only reads, and has no preview. */
export function isRealRead(call: Call): boolean {
  return call.tool!.info.category === "read" && !hasPreview(call);
}

function hasPreview(call: Call): boolean {
  const { definition, info } = call.tool!;
  if (runsOnCopy(call)) return true;
  if (definition.preview === undefined || info.execution !== "server") return false;
  const runner = runnerOf(call);
  return runner === null || runner?.undoes === true;
}

/** Returns what identifies where a preview stages its effects: a runner with a copy, or a module; null for this process. */
function stageOf(call: Call): object | null {
  const runner = runnerOf(call);
  if (runner === null) return null;
  return runner?.rehearses === true ? runner : call.tool!.module;
}

/** Ends or answers a call of a rehearsal instead of running its tool. Returns null if the tool or its preview is to run. */
export function rehearse(call: Call, rehearsal: SessionRehearsal): HopAnswer | null {
  const tool = call.tool!;
  const isRead = tool.info.category === "read";
  if (rehearsal.stopped === null && isRead) {
    const stage = hasPreview(call) ? { of: stageOf(call) } : null;
    const reason = rehearsal.dependence(tool.name, stage);
    if (reason !== null) rehearsal.stop(reason);
  }
  if (rehearsal.stopped !== null)
    return endCall(call, "failed", "REHEARSAL_ENDED", { tool: tool.name, reason: rehearsal.stopped });
  if (isRead || hasPreview(call)) return null;
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
  return call.given.rehearsal !== undefined && hasPreview(call);
}

/** Runs the preview of a call, and keeps what it would change. A failure would change nothing, unless the call ran on a copy. */
export async function runPreview(call: Call, preview: unknown): Promise<unknown> {
  const { effects, result } = readPreview(await preview);
  const isFailure = (result as { readonly error?: unknown } | null)?.error !== undefined;
  const rehearsal = rehearsalOf(call)!;
  if ((!isFailure || runsOnCopy(call)) && effects.length > 0) note(call, rehearsal, effects);
  else if (!isFailure) rehearsal.addHarmless(boundOf(call), asksOf(call));
  return result;
}

const changes: ReadonlySet<unknown> = new Set(["create", "change", "delete", "move", "other"]);

/** Checks what the tool's preview returned. Throws {@link ContractBreach}. */
function readPreview(value: unknown): Preview {
  if (isRecord(value) && Array.isArray(value["effects"]) && value["effects"].every(isEffect))
    return value as unknown as Preview;
  throw new ContractBreach("its preview has no list of effects, each with a target and a change");
}

function isEffect(effect: unknown): boolean {
  if (!isRecord(effect)) return false;
  const { target, change, difference, cost } = effect;
  const hasPrice =
    cost === undefined ||
    (isRecord(cost) && Number.isFinite(cost["amount"]) && typeof cost["currency"] === "string");
  return (
    typeof target === "string" &&
    changes.has(change) &&
    (difference === undefined || typeof difference === "string") &&
    hasPrice
  );
}

/**
 * Returns the grant of a call if it is the next call of an approved list. Null for a read without a question, and for a call
 * that deviates from the list, to which a question is added.
 */
export function grantOfList(call: Call): Grant | null {
  const { approved } = call.given;
  if (!(approved instanceof CallBundle)) throw new Error("a call has a list that no rehearsal made");
  if (call.undo !== null || (call.tool!.info.category === "read" && !needsApproval(call))) return null;
  const taken = approved.take(boundOf(call), approvalOf(call).reasons, call.host.clock.now());
  if (typeof taken !== "string") return taken;
  askAsList(call, taken);
  return null;
}

function note(call: Call, rehearsal: SessionRehearsal, effects: Preview["effects"] | null): void {
  const { name } = call.tool!;
  rehearsal.add(stageOf(call), boundOf(call), {
    tool: name,
    callId: call.callId,
    runId: call.runId,
    arguments: call.arguments as JsonObject,
    effects: effects ?? [],
    isModelled: effects !== null,
    canUndo: canUndo(call),
    asks: asksOf(call),
    origins: call.origins ?? [],
  });
}

/** Whether the call can be undone; null if its tool does not say. A change of a copy is discarded, whatever the tool says. */
function canUndo(call: Call): boolean | null {
  const { undoable, irreversible } = call.tool!.info;
  if (runsOnCopy(call)) return null;
  if (undoable === true) return undoProblem(call) === null;
  return irreversible === true ? false : null;
}

/** Returns the facts to which a grant for the real call will be bound. */
function boundOf(call: Call): RehearsedFacts {
  return { ...grantedCallOf(call), code: call.tool!.definition };
}

function asksOf(call: Call): readonly string[] {
  return needsApproval(call) ? call.approval!.reasons.map(({ reason }) => reason) : [];
}

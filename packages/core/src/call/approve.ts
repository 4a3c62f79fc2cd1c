import { messageOf } from "../contract/errors.ts";
import type { ApprovalAnswer, ApprovalQuestion, ApprovalScope, Approver } from "../contract/ports.ts";
import type { ApprovalRecord, ApprovalStore, Grant, RecordedDecision } from "../contract/stores.ts";
import { digestOf } from "../json/canonical.ts";
import type { Generation } from "../registry/generation.ts";
import { areStanding, grantOfAnswer, misfit } from "../pending/grant.ts";
import { rememberApproval } from "../pending/remember.ts";
import type { StoredCall } from "../pending/stored-call.ts";
import { randomName } from "../pending/ticket.ts";
import { factsOf, infoOf, needsApproval, type Call, type CallHost, type HopAnswer } from "./call.ts";
import { beginAgain, editedDigest, editedWarning, grantNow, spend } from "./grants.ts";
import {
  defaultAnswer,
  defaultDecider,
  defaultOptions,
  holdCall,
  grantedCallOf,
  leaveToOther,
  promptOf,
  suspend,
} from "./hold.ts";
import { placeOf } from "../pending/place.ts";
import { announce } from "./notify.ts";
import { grantOfList, isRealRead } from "./rehearse.ts";
import { logError, logFields } from "./trace.ts";
import { endCall, endDenied, resumeCall, storeWait, waitFor } from "./transitions.ts";

/** Hop 4: asks a person the one question of a call that needs approval. If the host has neither an approver nor a store, denies it. */
export function approve(call: Call): HopAnswer {
  const { generation, host, stored, given } = call;
  if (given.rehearsal !== undefined && !isRealRead(call)) return allow(call); // a person decides later on the whole list
  if (stored !== null) return resumeApproved(call, stored);
  const listed = given.approved === undefined ? null : grantOfList(call);
  if (listed !== null) return spendNow(call, listed);
  const { approval } = call; // read only now, because `grantOfList` adds a question if the list does not fit
  if (approval === null || approval.reasons.length === 0 || call.answered !== null) return allow(call);
  approval.reasons = approval.reasons.toSorted((a, b) => askers.indexOf(a.source) - askers.indexOf(b.source));
  const approver = host.stores.approver(generation);
  const store = (call.undo ?? given.rehearsal) ? null : host.stores.approvals(generation); // undos and rehearsed calls are never resumed
  if (store !== null) return checkRemembered(call, store, approver);
  if (approver !== null) return ask(call, approver);
  const [{ reason } = { reason: "" }] = approval.reasons;
  return endDenied(
    call,
    `it needs approval (${reason}) and the host has no approver; give the host an approver or a store`,
  );
}

/** The sources of reasons, in the order in which a person reads them. */
const askers: readonly string[] = ["list", "gate", "rule", "confirmation", "level"];

/** Continues a call that waited, if its answer covers the call as it is now. */
function resumeApproved(call: Call, { record, clientResult }: StoredCall): HopAnswer {
  const answer = grantOfAnswer(record, editedDigest(call, record));
  const granted = grantedCallOf(call);
  const isOther = record.edited === undefined && digestOf(granted) !== record.digest;
  if (isOther || misfit({ ...answer, expiresAt: null }, granted, 0) !== null)
    return endDenied(call, "the tool or its arguments changed after the question; call it again");
  if (record.decision === null && needsApproval(call))
    return endDenied(call, "it needs approval now, and the client received it without one; call it again");
  if (record.decision !== null) spend(call, answer);
  if (clientResult !== null) call.answered = clientResult;
  if (record.edited !== undefined) call.warnings = [...(call.warnings ?? []), editedWarning(record)];
  return allow(call);
}

/** Spends a grant that a person gave before the call, and notifies observers of the approval. */
function spendNow(call: Call, grant: Grant): "next" {
  spend(call, grant);
  notifyDecision(call, { decision: "approve", by: grant.by, at: call.host.clock.now() });
  return allow(call);
}

/** Uses a standing grant that fits the call; otherwise asks. Such a grant answers only what the tool itself or its level asks. */
function checkRemembered(call: Call, store: ApprovalStore, approver: Approver | null): HopAnswer {
  if (!isRememberable(call)) return storeQuestion(call, store, approver);
  const { clock, stores } = call.host;
  const take = (_: Call, standing: readonly Grant[]) => {
    const found = standing.find((grant) => misfit(grant, grantedCallOf(call), clock.now()) === null);
    if (found === undefined) return storeQuestion(call, store, approver);
    stores.uses.note(store, found.id, clock.now());
    return spendNow(call, found);
  };
  return waitFor(call, store.remembered(call.tool!.name), take, onStoreFailure, storeWait);
}

/** Whether an approval can be remembered. Questions of a gate, a rule or the host itself are asked each time. */
function isRememberable({ approval, isInternal }: Call): boolean {
  return !isInternal && areStanding(approval!.reasons);
}

/** Stores the question and gives the caller its ticket, before an approver sees the question. */
function storeQuestion(call: Call, store: ApprovalStore, approver: Approver | null): HopAnswer {
  const { given, generation, host } = call;
  const question = (call.stored = holdCall(call, store, "pending"));
  const stored = host.stores.track(question.add());
  const later = () => {
    notifyApproval(host, generation, question.record);
    return suspend(call, question);
  };
  if (approver === null) return waitFor(call, stored, later, onStoreFailure, storeWait);
  const { onQuestion } = given;
  const delivered =
    onQuestion && stored.then(() => onQuestion(question.ticket!)).then(() => question.deliver());
  return waitFor(call, delivered ?? stored, () => ask(call, approver), onStoreFailure, storeWait);
}

/** Asks the approver while the call waits, until it answers, another approver decides, or the time has passed. */
function ask(call: Call, approver: Approver): "waiting" {
  const { token, host, stored } = call;
  const question = questionOf(call);
  const controller = new AbortController();
  const settle = (apply: () => HopAnswer) => resumeCall(call, token, endQuestion, apply);
  const timer = host.clock.setTimer(() => settle(() => onTimeout(call, question)), question.timeoutMs);
  call.withdraw = () => {
    timer.cancel();
    controller.abort();
    host.stores.asking.delete(question.approvalId);
  };
  if (stored !== null)
    host.stores.asking.set(question.approvalId, (record) => {
      stored.record = record;
      settle(() => applyStoredDecision(call, stored));
    });
  notifyApproval(host, call.generation, { ...question, tool: question.tool.name, decision: null });
  Promise.resolve()
    .then(() => approver.ask(question, { signal: controller.signal }))
    .then(
      (answer) => settle(() => applyAnswer(call, answer)),
      (error: unknown) => settle(() => onApproverFailure(call, error)),
    );
  return "waiting";
}

function endQuestion(call: Call, apply: () => HopAnswer): HopAnswer {
  call.withdraw?.();
  call.withdraw = null;
  return apply();
}

function questionOf(call: Call): ApprovalQuestion {
  const { approval, host } = call;
  const record = call.stored?.record;
  const { gateAsk, reasons } = approval!;
  const rememberable = record !== undefined && isRememberable(call);
  return Object.freeze({
    ...factsOf(call),
    approvalId: record?.id ?? randomName(),
    prompt: promptOf(call),
    reasons: Object.freeze([...reasons]),
    ...(call.parent !== null && placeOf(call)),
    options: gateAsk?.approvalOptions ?? defaultOptions,
    digest: record?.digest ?? digestOf(grantedCallOf(call)),
    timeoutMs: gateAsk?.approvalTimeoutMs ?? host.stores.options.askMs,
    default: defaultAnswer(call),
    canWait: record !== undefined,
    rememberable,
  });
}

type Decision = Pick<RecordedDecision, "decision" | "by" | "reason">;

function applyAnswer(call: Call, answer: unknown): HopAnswer {
  const { decision, reason, by = "the approver", remember } = (answer ?? {}) as Partial<ApprovalAnswer>;
  const { stored } = call;
  if (decision === "approve" && remember !== undefined && stored !== null) {
    const store = () => storeDecision(call, { decision, by, reason });
    return waitFor(call, rememberOrLog(call, stored, remember, by), store, onStoreFailure, storeWait);
  }
  if (decision === "approve" || decision === "deny") return storeDecision(call, { decision, by, reason });
  if (decision === "later" && stored !== null) return suspend(call, stored);
  return storeDecision(call, {
    decision: "deny",
    by,
    reason:
      decision === "later"
        ? "the approver answered later, and the host has no store for the question"
        : 'the approver returned an invalid answer: expected decision "approve", "deny" or "later"',
  });
}

function onTimeout(call: Call, question: ApprovalQuestion): HopAnswer {
  return question.default === "approve"
    ? storeDecision(call, { decision: "approve", by: defaultDecider })
    : storeDecision(call, { decision: "deny", by: timeoutDecider, reason: "expired" });
}

/** The decider that is recorded for a question that no approver answered in time. */
const timeoutDecider = "timeout";

function onApproverFailure(call: Call, thrown: unknown): HopAnswer {
  const { host } = call;
  if (host.isInterrupt(thrown)) {
    call.ending.interrupt = { thrown };
    return endCall(call, "failed", "INTERRUPTED", { tool: call.tool!.name });
  }
  logError(call, thrown, `the approver failed: ${messageOf(thrown)}`);
  return storeDecision(call, { decision: "deny", by: "the host", reason: "the approver failed" });
}

/** Stores the standing grant of an answer "always". When that fails, the call is approved only this once. */
async function rememberOrLog(
  call: Call,
  stored: StoredCall,
  scope: ApprovalScope,
  by: string,
): Promise<void> {
  const { clock, logger } = call.host;
  try {
    await rememberApproval(stored, scope, { by, at: clock.now() });
  } catch (err) {
    logger.warn({ err, ...logFields(call) }, `approved this once only: ${messageOf(err)}`);
  }
}

/** Stores a decision before it takes effect, if there is a store. Another approver may have decided first. */
function storeDecision(call: Call, given: Decision): HopAnswer {
  const { host, stored } = call;
  const decision: RecordedDecision = { ...given, at: host.clock.now() };
  if (stored === null) {
    notifyDecision(call, decision);
    return applyDecision(call, decision);
  }
  const take = (_: Call, won: boolean) => {
    if (won) notifyDecision(call, decision);
    return applyStoredDecision(call, stored);
  };
  return waitFor(call, host.stores.track(stored.decide(decision)), take, onStoreFailure, storeWait);
}

function applyStoredDecision(call: Call, stored: StoredCall): HopAnswer {
  const { record } = stored;
  const { decision, state, edited } = record;
  if (edited !== undefined && state === "approved") return beginAgain(call, record);
  if (decision?.decision === "approve" && state !== "approved" && state !== "denied")
    return leaveToOther(call, stored);
  if (decision !== null && (state === "approved" || state === "denied")) return applyDecision(call, decision);
  return endDenied(call, "its question was withdrawn");
}

function applyDecision(call: Call, { decision, by, reason }: Decision): HopAnswer {
  if (decision === "approve") {
    spend(call, grantNow(call, by));
    return allow(call);
  }
  call.approval!.deniedBy = by;
  if (by === timeoutDecider) return endCall(call, "denied", "APPROVAL_EXPIRED", { tool: call.tool!.name });
  return endDenied(call, reason ?? "the approver denied it");
}

/** Lets the call run. Observers of `tool:pre` are notified once, and not again after the call waited. */
function allow(call: Call): "next" {
  if (!call.announced && call.generation.preObservers.length > 0) announce(call, "allow");
  call.announced = true;
  return "next";
}

/** When the store of approvals fails, the call is not approved. */
function onStoreFailure(call: Call, err: unknown): "next" {
  logError(call, err, `the store of approvals failed: ${messageOf(err)}`);
  return endDenied(call, "its approval could not be stored");
}

function notifyDecision(call: Call, decision: RecordedDecision): void {
  notifyApproval(call.host, call.generation, {
    tool: call.tool!.name,
    info: call.info ?? infoOf(call), // made already if a question was asked
    decision,
  });
}

/** Notifies observers of a question or its answer. The event lacks the approval's id, which is for approvers only. */
export function notifyApproval(
  host: Pick<CallHost, "observers">,
  generation: Generation,
  {
    tool,
    info,
    decision,
    prompt,
    reasons,
  }: Pick<ApprovalRecord, "tool" | "info" | "decision"> & Partial<ApprovalRecord>,
): void {
  const answer = decision?.decision === "approve" ? "approval:granted" : "approval:denied";
  const event = decision === null ? "approval:required" : answer;
  const observers = generation.observers(event);
  if (observers.length === 0) return;
  host.observers.notifyNow(observers, event, {
    tool_name: tool,
    tool_call_id: info.callId,
    run_id: info.runId,
    ...(info.sessionId === undefined ? {} : { session_id: info.sessionId }),
    ...(decision === null ? { prompt, reasons } : { by: decision.by }),
    ...(decision?.reason === undefined ? {} : { reason: decision.reason }),
  });
}

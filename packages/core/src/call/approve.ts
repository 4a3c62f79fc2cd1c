import type { Approver } from "../contract/ports.ts";
import type { ApprovalStore, RememberedApproval } from "../contract/stores.ts";
import { notifyApproval } from "../pending/approval-events.ts";
import type { StoredCall } from "../pending/stored-call.ts";
import { matchesArguments } from "../text/match.ts";
import { allow, ask, notifyDecision, waitForApprovals } from "./ask-approver.ts";
import { approvalOf, needsApproval, type Call, type HopAnswer } from "./call.ts";
import { argumentsDigest, holdCall, isRememberable, questionDigest, suspend } from "./hold.ts";
import { endDenied } from "./transitions.ts";

/** Hop 4: asks a person the one question of a call, if the call needs an approval. Without an approver, it is denied. */
export function approve(call: Call): HopAnswer {
  const { approval, generation, host, stored } = call;
  call.phase = "approve";
  if (stored !== null) return resumeApproved(call, stored);
  if (approval === null || !needsApproval(call) || call.answered !== null) return allow(call);
  approval.reasons = approval.reasons.toSorted((a, b) => askers.indexOf(a.source) - askers.indexOf(b.source));
  const approver = host.stores.approver(generation);
  const store = host.stores.approvals(generation);
  if (store !== null) return checkRemembered(call, store, approver);
  if (approver !== null) return ask(call, approver);
  const [{ reason } = { reason: "" }] = approval.reasons;
  return endDenied(
    call,
    `it needs approval (${reason}) and the host has no approver; give the host an approver or a store`,
  );
}

/** The order in which a person reads the reasons. */
const askers: readonly string[] = ["gate", "rule", "confirmation", "level"];

/** Continues a call that waited, if tool and arguments are still those of the question. */
function resumeApproved(call: Call, { record, clientResult }: StoredCall): HopAnswer {
  if (questionDigest(call) !== record.digest)
    return endDenied(call, "the tool or its arguments changed after the question; call it again");
  if (record.decision === null && needsApproval(call))
    return endDenied(call, "it needs approval now, and the client received it without one; call it again");
  if (record.decision !== null || call.approval !== null)
    approvalOf(call).approvedBy = record.decision?.by ?? null;
  if (clientResult !== null) call.answered = clientResult;
  return allow(call);
}

/** A remembered approval covers what the tool or the level asks. What a gate or a rule asks is asked each time. */
function checkRemembered(call: Call, store: ApprovalStore, approver: Approver | null): HopAnswer {
  if (!isRememberable(call)) return storeQuestion(call, store, approver);
  return waitForApprovals(call, store.remembered(call.tool!.name), (_, remembered) => {
    const found = remembered.find((approval) => covers(approval, call));
    return found === undefined ? storeQuestion(call, store, approver) : allowRemembered(call, found);
  });
}

function covers(remembered: RememberedApproval, call: Call): boolean {
  const { sessionId, userId } = call.given;
  if (remembered.definition !== call.tool!.digest() || remembered.userId !== (userId ?? null)) return false;
  if (remembered.scope === "rule")
    return remembered.pattern !== null && matchesArguments(remembered.pattern, call.arguments!, "every");
  if (remembered.scope === "session" && (remembered.sessionId === null || remembered.sessionId !== sessionId))
    return false;
  return remembered.argumentsDigest === argumentsDigest(call);
}

function allowRemembered(call: Call, remembered: RememberedApproval): HopAnswer {
  const by = `always: ${remembered.by}`;
  approvalOf(call).approvedBy = by;
  notifyDecision(call, { decision: "approve", by, at: call.host.clock.now() });
  return allow(call);
}

/** Stores the question, and gives its ticket to the caller, before an approver sees it. */
function storeQuestion(call: Call, store: ApprovalStore, approver: Approver | null): HopAnswer {
  const { given, generation, host } = call;
  const question = (call.stored = holdCall(call, store, "pending"));
  const stored = host.stores.track(question.add());
  if (approver === null)
    return waitForApprovals(call, stored, () => {
      notifyApproval(host.observers, generation, "approval:required", question.record);
      return suspend(call, question);
    });
  const { onQuestion } = given;
  const delivered =
    onQuestion && stored.then(() => onQuestion(question.ticket!)).then(() => question.deliver());
  return waitForApprovals(call, delivered ?? stored, () => ask(call, approver));
}

import { messageOf } from "../contract/errors.ts";
import { digestOf } from "../json/canonical.ts";
import { newCase, promptOf, questionDigest, type Case } from "../pending/pending-call.ts";
import { recordDecision } from "../pending/desk.ts";
import { announce } from "./tool-events.ts";
import { matchesArguments } from "../text/match.ts";
import { randomName } from "../pending/ticket.ts";
import { end, goOn } from "./transitions.ts";
import { tellApproval } from "../pending/notify.ts";
import type { ApprovalAnswer, ApprovalQuestion, Approver } from "../contract/ports.ts";
import type { ApprovalStore, RecordedDecision, RememberedApproval } from "../contract/stores.ts";
import type { Run } from "./call.ts";
import { keepAlways } from "../pending/remember.ts";
import { deny, pendingCall } from "./decide.ts";
import { runFields } from "./log-fields.ts";

/** Hop 4: puts the one question of a call to a person, if anybody asked. Without one to ask, the answer is no. */
export function approve(run: Run): boolean {
  run.phase = "approve";
  if (run.case !== null) return goOnWith(run, run.case);
  if (run.reasons === null || run.answered !== null) return proceed(run);
  run.reasons = run.reasons.toSorted((a, b) => askers.indexOf(a.source) - askers.indexOf(b.source));
  const approver = run.host.desk.approver(run.generation);
  const store = run.host.desk.approvals(run.generation);
  if (store !== null) return lookUp(run, store, approver);
  if (approver !== null) return ask(run, approver);
  const [{ reason } = { reason: "" }] = run.reasons;
  return deny(
    run,
    `it needs approval (${reason}) and there is nobody to ask; give the host an approver or a store`,
  );
}

/** Who asks, in the order in which a person reads it. */
const askers: readonly string[] = ["gate", "rule", "confirmation", "level"];

/** The call waited, and goes on: only as exactly what was asked. */
function goOnWith(run: Run, { record, clientResult }: Case): boolean {
  if (questionDigest(run) !== record.digest)
    return deny(run, "it is not what was asked about: the tool or its arguments changed; call it again");
  if (record.decision === null && run.reasons !== null)
    return deny(run, "it needs approval now, and was handed out without one; call it again");
  run.approvedBy = record.decision?.by ?? null;
  if (clientResult !== null) run.answered = clientResult;
  return proceed(run);
}

/** A remembered approval covers what the tool or the level asks; what a gate or a rule asks is always asked. */
function lookUp(run: Run, store: ApprovalStore, approver: Approver | null): boolean {
  if (!isRememberable(run)) return keep(run, store, approver);
  return wait(run, store.remembered(run.tool!.name), (known) => {
    const found = known.find((approval) => covers(approval, run));
    return found === undefined ? keep(run, store, approver) : granted(run, `always: ${found.by}`);
  });
}

function isRememberable({ reasons }: Run): boolean {
  return reasons!.every(({ source }) => source === "confirmation" || source === "level");
}

function covers(approval: RememberedApproval, run: Run): boolean {
  const { given } = run;
  const tool = run.tool!;
  if (approval.definition !== tool.digest() || approval.userId !== (given.userId ?? null)) return false;
  if (approval.scope === "rule")
    return approval.pattern !== null && matchesArguments(approval.pattern, run.arguments!, "every");
  if (approval.scope === "session" && (approval.sessionId === null || approval.sessionId !== given.sessionId))
    return false;
  return approval.argumentsDigest === digestOf({ tool: tool.name, arguments: run.arguments });
}

/** The question is on disk before anybody hears of it. */
function keep(run: Run, store: ApprovalStore, approver: Approver | null): boolean {
  const open = newCase(run, store, "pending");
  run.case = open;
  const stored = run.host.desk.track(open.add());
  if (approver === null) return wait(run, stored, () => later(run));
  const noted = stored.then(() => run.given.onQuestion?.(open.ticket!));
  return wait(run, noted, () => ask(run, approver));
}

function later(run: Run): boolean {
  tellApproval(run.host, run.generation, "approval:required", run.case!.record);
  return suspend(run, run.case!);
}

/** The call ends here as pending; whoever has the ticket goes on with it. */
export function suspend(run: Run, { record, store, ticket }: Case): false {
  const waitsFor = record.state === "handed" ? "client" : "approval";
  run.ticket = ticket;
  run.host.desk.watch(store, record.expiresAt);
  const details = waitsFor === "client" ? { waitsFor, arguments: run.arguments } : { waitsFor };
  return end(run, "pending", "PENDING", { tool: run.tool!.name, waitsFor }, { details });
}

function ask(run: Run, approver: Approver): boolean {
  const { token, host } = run;
  const question = questionOf(run);
  const controller = new AbortController();
  const timer = host.clock.setTimer(() => goOn(run, token, () => silence(run, question)), question.timeoutMs);
  run.withdraw = () => {
    timer.cancel();
    controller.abort();
    host.desk.waiting.delete(question.approvalId);
  };
  const settle = (apply: () => boolean) =>
    goOn(run, token, () => {
      run.withdraw?.();
      run.withdraw = null;
      return apply();
    });
  if (run.case !== null) {
    const open = run.case;
    host.desk.waiting.set(question.approvalId, (record) => {
      open.record = record;
      settle(() => act(run, open));
    });
  }
  tellApproval(host, run.generation, "approval:required", { ...recordOf(run), prompt: question.prompt });
  Promise.resolve()
    .then(() => approver.ask(question, { signal: controller.signal }))
    .then(
      (answer) => settle(() => heed(run, answer)),
      (error: unknown) => settle(() => broken(run, error)),
    );
  return true;
}

function heed(run: Run, answer: unknown): boolean {
  const { decision, reason, by = "the approver", remember } = (answer ?? {}) as Partial<ApprovalAnswer>;
  if (decision === "approve" && remember !== undefined && run.case !== null)
    return wait(run, always(run, remember, by), () => decided(run, { decision, by, reason }));
  if (decision === "approve" || decision === "deny") return decided(run, { decision, by, reason });
  if (decision !== "later")
    return decided(run, { decision: "deny", by, reason: "the approver gave an answer that is none" });
  if (run.case !== null) return suspend(run, run.case);
  return decided(run, {
    decision: "deny",
    by,
    reason: "the approver put it off, and there is no store to keep the question",
  });
}

/** What cannot be remembered is approved this once. */
async function always(
  run: Run,
  remember: NonNullable<ApprovalAnswer["remember"]>,
  by: string,
): Promise<void> {
  try {
    await keepAlways(run.case!, remember, by);
  } catch (err) {
    run.host.logger.warn({ err, ...runFields(run) }, `approved once only: ${messageOf(err)}`);
  }
}

type Decided = Pick<RecordedDecision, "decision" | "by" | "reason">;

/** A decision counts once it is on disk, where there is a disk; somebody faster may have decided otherwise. */
function decided(run: Run, given: Decided): boolean {
  const decision: RecordedDecision = { ...given, at: run.host.clock.now() };
  const { case: open } = run;
  if (open === null) {
    tellApproval(run.host, run.generation, eventOf(decision), { ...recordOf(run), decision });
    return follow(run, decision);
  }
  const kept = run.host.desk.track(recordDecision(open, decision));
  return wait(run, kept, (won) => {
    if (won) tellApproval(run.host, run.generation, eventOf(decision), open.record);
    return act(run, open);
  });
}

function eventOf({ decision }: Decided): "approval:granted" | "approval:denied" {
  return decision === "approve" ? "approval:granted" : "approval:denied";
}

function act(run: Run, { record }: Case): boolean {
  const { decision, state } = record;
  if (decision !== null && (state === "approved" || state === "denied")) return follow(run, decision);
  return deny(run, "its question was taken back");
}

function follow(run: Run, { decision, by, reason }: Decided): boolean {
  if (decision === "approve") {
    run.approvedBy = by;
    return proceed(run);
  }
  if (by === nobody) return end(run, "denied", "APPROVAL_EXPIRED", { tool: run.tool!.name });
  return deny(run, reason ?? "the person asked said no");
}

/** Who decides when nobody does. */
const nobody = "nobody in time";

function silence(run: Run, question: ApprovalQuestion): boolean {
  run.withdraw?.();
  run.withdraw = null;
  return question.default === "approve"
    ? decided(run, { decision: "approve", by: "the declared default" })
    : decided(run, { decision: "deny", by: nobody, reason: "expired" });
}

function broken(run: Run, thrown: unknown): boolean {
  if (run.host.isInterrupt(thrown)) {
    run.interrupt = { thrown };
    return end(run, "failed", "INTERRUPTED", { tool: run.tool!.name });
  }
  run.host.logger.error({ err: thrown, ...runFields(run) }, `the approver failed: ${messageOf(thrown)}`);
  return decided(run, { decision: "deny", by: "the host", reason: "the approver failed" });
}

function granted(run: Run, by: string): boolean {
  run.approvedBy = by;
  tellApproval(run.host, run.generation, "approval:granted", {
    ...recordOf(run),
    decision: { decision: "approve", by, at: run.host.clock.now() },
  });
  return proceed(run);
}

function proceed(run: Run): boolean {
  if (!run.announced) announce(run, "allow");
  return false;
}

/** Goes on when the store answered; a store that fails has not said yes. */
function wait<Value>(run: Run, promise: Promise<Value>, apply: (value: Value) => boolean): true {
  const { token } = run;
  promise.then(
    (value) => goOn(run, token, () => apply(value)),
    (err: unknown) =>
      goOn(run, token, () => {
        run.host.logger.error({ err, ...runFields(run) }, `the store of approvals failed: ${messageOf(err)}`);
        return deny(run, "its approval could not be kept");
      }),
  );
  return true;
}

function recordOf(run: Run): Parameters<typeof tellApproval>[3] {
  return {
    tool: run.tool!.name,
    info: run.host.infoOf(run),
    prompt: promptOf(run),
    reasons: run.reasons!,
    decision: null,
  };
}

function questionOf(run: Run): ApprovalQuestion {
  const { gateAsk, host } = run;
  const kept = run.case?.record;
  return Object.freeze({
    ...pendingCall(run),
    approvalId: kept?.id ?? randomName(),
    prompt: promptOf(run),
    reasons: Object.freeze([...run.reasons!]),
    options: gateAsk?.approvalOptions ?? ["Allow", "Deny"],
    digest: kept?.digest ?? questionDigest(run),
    timeoutMs: gateAsk?.approvalTimeoutMs ?? host.desk.options.askMs,
    default: gateAsk?.approvalDefault === "allow" ? ("approve" as const) : ("deny" as const),
    canWait: kept !== undefined,
    rememberable: kept !== undefined && isRememberable(run),
  });
}

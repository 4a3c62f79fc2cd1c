import { randomBytes } from "node:crypto";
import { digestOf } from "../canonical.ts";
import { announce } from "../events.ts";
import { end, goOn } from "../steer.ts";
import type { ApprovalAnswer, ApprovalQuestion } from "../ports.ts";
import type { Run } from "../run.ts";
import { messageOf } from "../schema.ts";
import { pendingCall } from "./decide.ts";

/** How long a person has, when nobody says otherwise. Source: Amplifier's HookResult. */
const defaultWaitMs = 300_000;

/** Hop 4: puts the one question of a call to a person, if anybody asked. Without one to ask, the answer is no. */
export function approve(run: Run): boolean {
  run.phase = "approve";
  if (run.reasons === null) return proceed(run);
  const { approver } = run.host;
  if (approver === null)
    return deny(
      run,
      `it needs approval (${run.reasons[0]!.reason}) and there is nobody to ask; give the host an approver`,
    );
  const question = questionOf(run);
  emit(run, "approval:required", { prompt: question.prompt, reasons: question.reasons });
  return ask(run, question, approver.ask.bind(approver));
}

function ask(
  run: Run,
  question: ApprovalQuestion,
  put: (
    question: ApprovalQuestion,
    options: { signal: AbortSignal },
  ) => Promise<ApprovalAnswer> | ApprovalAnswer,
): boolean {
  const { token } = run;
  const controller = new AbortController();
  const timer = run.host.clock.setTimer(
    () => goOn(run, token, () => silence(run, question)),
    question.timeoutMs,
  );
  const settle = (apply: () => boolean) => {
    timer.cancel();
    goOn(run, token, apply);
  };
  run.withdraw = () => {
    timer.cancel();
    controller.abort();
  };
  Promise.resolve()
    .then(() => put(question, { signal: controller.signal }))
    .then(
      (answer) => settle(() => heed(run, answer)),
      (error: unknown) => settle(() => broken(run, error)),
    );
  return true;
}

function heed(run: Run, answer: unknown): boolean {
  run.withdraw = null;
  const { decision, reason, by } = (answer ?? {}) as Partial<ApprovalAnswer>;
  if (decision === "approve") return granted(run, by ?? "the approver");
  if (decision === "deny") return denied(run, reason ?? "the person asked said no");
  if (decision === "later")
    return denied(run, "the approver put it off, and there is no store to keep the question");
  return denied(run, "the approver gave an answer that is none");
}

function silence(run: Run, question: ApprovalQuestion): boolean {
  run.withdraw?.();
  run.withdraw = null;
  if (question.default === "approve") return granted(run, "the declared default");
  emit(run, "approval:denied", { reason: "expired" });
  return end(run, "denied", "APPROVAL_EXPIRED", { tool: run.tool!.name });
}

function broken(run: Run, err: unknown): boolean {
  run.host.logger.error({ err, tool: run.tool!.name }, `the approver failed: ${messageOf(err)}`);
  return denied(run, "the approver failed");
}

function granted(run: Run, by: string): boolean {
  run.approvedBy = by;
  emit(run, "approval:granted", { by });
  return proceed(run);
}

function denied(run: Run, reason: string): boolean {
  emit(run, "approval:denied", { reason });
  return deny(run, reason);
}

function deny(run: Run, reason: string): boolean {
  return end(run, "denied", "DENIED", { tool: run.tool!.name, reason: reason.slice(0, 2000) });
}

function proceed(run: Run): boolean {
  announce(run, "allow");
  return false;
}

function emit(run: Run, event: string, data: Record<string, unknown>): void {
  const observers = run.generation.observers(event);
  if (observers.length === 0) return;
  run.host.tell(observers, event, {
    tool_name: run.tool!.name,
    tool_call_id: run.callId,
    run_id: run.runId,
    ...data,
  });
}

function questionOf(run: Run): ApprovalQuestion {
  const { gateAsk, given } = run;
  const call = pendingCall(run);
  return Object.freeze({
    ...call,
    approvalId: randomBytes(24).toString("base64url"),
    prompt: gateAsk?.approvalPrompt ?? `Run "${call.tool.name}"? ${run.reasons![0]!.reason}`,
    reasons: Object.freeze([...run.reasons!]),
    options: gateAsk?.approvalOptions ?? ["Allow", "Deny"],
    digest: digestOf({
      tool: call.tool.name,
      definition: run.tool!.digest(),
      arguments: call.arguments,
      session: given.sessionId ?? null,
      user: given.userId ?? null,
    }),
    timeoutMs: gateAsk?.approvalTimeoutMs ?? defaultWaitMs,
    default: gateAsk?.approvalDefault === "allow" ? ("approve" as const) : ("deny" as const),
  });
}

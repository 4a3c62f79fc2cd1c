import { setTimeout as delay } from "node:timers/promises";
import {
  inputRequired,
  inputResponse,
  ProtocolError,
  type ProtocolErrorCode,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import {
  isToolmountError,
  type ApprovalView,
  type SessionCallContext,
  type ToolOutcome,
} from "@toolmount/core";
import { placeText } from "@toolmount/core/record";
import { waitsFor } from "../wire/result.ts";
import { currentFront, takesForms } from "../wire/front.ts";
import { CancelledByClient } from "../tasks/suspended.ts";
import type { ServedApprovals, ServeOptions } from "./options.ts";
import type { StateSeal, WaitingState } from "./seal.ts";
import { requestDigest, type ServedCall, type ServedSession } from "./served-session.ts";

/** Milliseconds between two looks into the store for a decision that another process may have recorded. */
const pollMs = 250;

const defaultWaitMs = 300_000;

/** Everything that is needed to answer a call that waits. */
export interface Waiting {
  readonly served: ServedSession;
  readonly options: ServeOptions;
  readonly seal: StateSeal;
  readonly capabilities: ClientCapabilities | undefined;
  readonly ctx: ServerContext;
  readonly call: ServedCall;
  readonly context: SessionCallContext;
}

/**
 * Answers a call that waits for a person: with a question to the client if the plan and the client allow it; else by waiting if
 * the call can become a task or the options say so; else with a result that says how to continue.
 */
export async function answerWaiting(
  outcome: ToolOutcome,
  waiting: Waiting,
): Promise<InputRequiredResult | ToolOutcome> {
  const { options, capabilities, call } = waiting;
  const { approvals = {} } = options;
  const { ticket, callId } = outcome;
  if (ticket === undefined || outcome.result.code !== "PENDING") return outcome;
  const asked = wayOfAsking(approvals, capabilities);
  if (asked === null && currentFront.getStore()?.becomeTask !== undefined)
    return waitAsTask(outcome, waiting);
  if (asked === null) return approvals.wait === true ? resumeWhenDecided(outcome, ticket, waiting) : outcome;
  const question = await findQuestion(waiting.served, callId);
  if (question === undefined) return outcome;
  const requestState = await waiting.seal.close({
    ticket,
    callId,
    sessionId: waiting.served.id,
    request: requestDigest(call),
    asked,
  });
  const message = messageOf(question, await previewOf(waiting.served, question));
  const approval =
    asked === "url" && approvals.url !== undefined
      ? inputRequired.elicitUrl({ message, url: approvals.url(outcome) })
      : inputRequired.elicit({ message, requestedSchema: form });
  return inputRequired({ inputRequests: { approval }, requestState });
}

/** Returns how the client can ask its user. */
function wayOfAsking(
  approvals: ServedApprovals,
  capabilities: ClientCapabilities = {},
): "url" | "form" | null {
  if (approvals.url !== undefined && capabilities.elicitation?.url !== undefined) return "url";
  return approvals.elicitation === true && takesForms(capabilities) ? "form" : null;
}

const form = {
  type: "object" as const,
  properties: {
    decision: { type: "string" as const, title: "Decision", enum: ["approve", "deny"] },
    reason: { type: "string" as const, title: "Reason" },
  },
  required: ["decision"],
};

/** Returns what the call would change, as lines of its tool's preview. */
async function previewOf({ host }: ServedSession, { id }: ApprovalView): Promise<readonly string[]> {
  const { effects } = await host.approvals.preview(id);
  return effects.flatMap(({ change, target, difference }) => [
    `${change} ${target}`,
    ...(difference?.split("\n").map((line) => `  ${line}`) ?? []),
  ]);
}

function messageOf(
  { prompt, arguments: shown, place, reasons }: ApprovalView,
  preview: readonly string[],
): string {
  const unsaid = reasons.map(({ reason }) => reason).filter((reason) => !prompt.includes(reason));
  const facts = [
    ...preview,
    `Arguments: ${JSON.stringify(shown)}`,
    ...(unsaid.length === 0 ? [] : [`Asked because: ${unsaid.join("; ")}`]),
    ...(place === undefined ? [] : [`Program: ${placeText(place)}`]),
  ];
  return `${prompt}\n\n${facts.join("\n")}`;
}

async function findQuestion(
  { host, id }: ServedSession,
  callId: string,
  states?: readonly ["pending"],
): Promise<ApprovalView | undefined> {
  const found = await host.approvals.list({ sessionId: id, callId, ...(states !== undefined && { states }) });
  return found.at(-1);
}

/** Continues a call after the client has answered the question. */
export async function answerRetry(state: WaitingState, waiting: Waiting): Promise<ToolOutcome> {
  if (state.asked === "form") await decide(state, waiting);
  const outcome = await waiting.served.resume(state.ticket, waiting.call, waiting.context);
  if (!isOpen(outcome)) return outcome;
  return state.asked === "url" || runsElsewhere(outcome)
    ? resumeWhenDecided(outcome, state.ticket, waiting)
    : outcome;
}

/** Returns a handler that throws an error of the host as one of the protocol, with the host's code in its data. */
export function asProtocolError(code: ProtocolErrorCode): (error: unknown) => never {
  return (error) => {
    if (!isToolmountError(error)) throw error;
    throw new ProtocolError(code, error.message, { code: error.code });
  };
}

/** Records the decision of the client's user, which counts only if the plan makes the user the approver. */
async function decide({ callId }: WaitingState, { served, options, ctx }: Waiting): Promise<void> {
  const answer = inputResponse(ctx.mcpReq.inputResponses, "approval");
  const question = await findQuestion(served, callId, ["pending"]);
  if (options.approvals?.elicitation !== true || question === undefined || answer.kind !== "elicit") return;
  if (answer.action === "cancel") return;
  const { decision, reason } = (answer.action === "accept" ? answer.content : undefined) ?? {};
  const isApproved = answer.action === "accept" && decision === "approve";
  const because = typeof reason === "string" && reason !== "" ? { reason } : {};
  const by = "the user of the MCP client";
  await served.host.approvals.decide(
    question.id,
    { decision: isApproved ? "approve" : "deny", ...because },
    by,
  );
}

/**
 * Waits for a decision as long as the task is kept, and for a run of the call in another process. If the client cancels the
 * task, the question is denied.
 */
export async function waitAsTask(outcome: ToolOutcome, waiting: Waiting): Promise<ToolOutcome> {
  const { served, context, call } = waiting;
  const approvals = { ...waiting.options.approvals, waitMs: Number.POSITIVE_INFINITY };
  let decided = outcome;
  while (isOpen(decided) && context.abortSignal?.aborted !== true) {
    const { ticket } = decided;
    const where = approvals.url === undefined ? "" : `: ${approvals.url(decided)}`;
    // The ticket of an internal call belongs to a question inside of the client's call and would not resume that call.
    await currentFront
      .getStore()
      ?.becomeTask?.(
        `waiting for a person to approve${where}`,
        call.isInternal === true ? undefined : ticket,
      );
    decided = await resumeWhenDecided(decided, ticket, { ...waiting, options: { approvals } });
  }
  if (!(context.abortSignal?.reason instanceof CancelledByClient)) return decided;
  const question = await findQuestion(served, outcome.callId, ["pending"]);
  const deny = { decision: "deny", reason: "the client cancelled the task" } as const;
  if (question !== undefined) await served.host.approvals.decide(question.id, deny, "the MCP client");
  return decided;
}

/** Whether a call waits for something that happens without the client: a decision, or the end of its run in another process. */
function isOpen(outcome: ToolOutcome): outcome is ToolOutcome & { readonly ticket: string } {
  const { status, ticket, result } = outcome;
  const isAsked = status === "pending" && result.code === "PENDING" && ticket !== undefined;
  return isAsked && waitsFor(outcome) !== "client";
}

/** Whether another process runs the call, or was killed while it did so and its lease has not ended yet. */
function runsElsewhere(outcome: ToolOutcome): boolean {
  return outcome.status === "pending" && waitsFor(outcome) === "run";
}

/** Keeps a call open for at most `waitMs` until it is decided and no other process runs it, and reports progress meanwhile. */
async function resumeWhenDecided(
  outcome: ToolOutcome,
  ticket: string,
  { served, options, call, context }: Waiting,
): Promise<ToolOutcome> {
  const { waitMs = defaultWaitMs } = options.approvals ?? {};
  const rounds = Math.ceil(waitMs / pollMs);
  for (let round = 0; round < rounds; round++) {
    if (context.abortSignal?.aborted === true) return outcome;
    await delay(pollMs, undefined, { signal: context.abortSignal }).catch(() => {});
    if ((await findQuestion(served, outcome.callId, ["pending"])) === undefined) {
      const resumed = await served.resume(ticket, call, context);
      if (!runsElsewhere(resumed)) return resumed;
    }
    if (round % 20 === 0)
      context.onProgress?.({ progress: round, message: "waiting for a person to approve" });
  }
  return outcome;
}

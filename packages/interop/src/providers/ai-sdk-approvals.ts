import { isRecord, readText, type Members } from "../schema/guards.ts";
import { AgentCalls, type AgentContext, type AgentHost } from "./agent-calls.ts";

/** The AI SDK's message with answers to its approval requests. */
export interface AiSdkApprovalMessage {
  readonly role: "tool";
  readonly content: {
    readonly type: "tool-approval-response";
    readonly approvalId: string;
    readonly approved: boolean;
    readonly reason?: string;
  }[];
}

/**
 * Answers the AI SDK's approval requests with the host's decisions, for each request in `messages` that has no answer yet. With
 * `answersAs`, a denial by the SDK's people decides the host's question. The caller adds the resulting message before the next
 * `generateText`. Resolves to null if a question is open, or if no request needs an answer.
 */
export async function answerAiSdkApprovals(
  host: AgentHost,
  messages: readonly object[],
  context: AgentContext = {},
): Promise<AiSdkApprovalMessage | null> {
  const calls = new AgentCalls(host, context);
  const parts = messages.flatMap((message) => partsOf(message));
  const answers = new Map(
    parts.filter(ofType("tool-approval-response")).map((part) => [part["approvalId"], part]),
  );
  const requests = parts.filter(ofType("tool-approval-request")).map(({ approvalId, toolCallId }) => ({
    approvalId: readText(approvalId),
    callId: readText(toolCallId),
  }));
  for (const { approvalId, callId } of requests) {
    const { approved, reason } = answers.get(approvalId) ?? {};
    if (approved !== false) continue;
    await calls.questions.decide(callId, "deny", {}, readText(reason) || undefined);
    if ((await calls.questions.decisionOf(callId))?.decision === "deny") await calls.endDenied(callId);
  }
  const open = requests.filter(({ approvalId }) => !answers.has(approvalId));
  const content = [];
  for (const { approvalId, callId } of open) {
    const decision = await calls.questions.decisionOf(callId);
    if (decision === null) return null;
    const approved = decision.decision === "approve";
    if (!approved) await calls.endDenied(callId);
    const reason = decision.reason === undefined ? {} : { reason: decision.reason };
    content.push({ type: "tool-approval-response" as const, approvalId, approved, ...reason });
  }
  return content.length === 0 ? null : { role: "tool", content };
}

function partsOf(message: object): readonly Members[] {
  const { content } = message as { readonly content?: unknown };
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

function ofType(type: string): (part: Members) => boolean {
  return (part) => part["type"] === type;
}

import type { CallInfo } from "../contract/context.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { PendingCall } from "../contract/tool.ts";
import { withoutUndefined } from "../json/without-undefined.ts";
import type { Call } from "./call.ts";
import { traceparentOf } from "./trace.ts";

/** The facts of a call, as plain JSON that may cross to another process. */
export function infoOf(call: Call): CallInfo {
  const { given, host, parent, stored } = call;
  const { sessionId, conversationId, turnId, userId, mode, parallelGroupId } = given;
  const { deadlineAt } = call.timing;
  return {
    callId: call.callId,
    runId: call.runId,
    tool: call.tool!.name,
    depth: call.depth,
    ...withoutUndefined({
      deadlineAt: deadlineAt === 0 ? undefined : host.time.at(deadlineAt),
      parentRunId: parent?.runId ?? stored?.record.info.parentRunId,
      sessionId,
      conversationId,
      turnId,
      userId,
      mode,
      parallelGroupId,
      traceparent: traceparentOf(call),
    }),
  };
}

/** What a policy or an approver learns about a call before its tool runs. */
export function factsOf(call: Call): PendingCall {
  return { info: infoOf(call), tool: call.tool!.info, arguments: call.arguments! };
}

/** The outcome of a call that has ended. */
export function outcomeOf(call: Call): ToolOutcome {
  const { given, ending, timing } = call;
  const outcome: Record<string, unknown> = {
    callId: call.callId,
    runId: call.runId,
    tool: call.tool?.name ?? String(call.request.name),
    status: ending.status,
    result: ending.result,
    durationMs: timing.endedAt - timing.startedAt,
  };
  if (given.sessionId !== undefined) outcome["sessionId"] = given.sessionId;
  if (given.conversationId !== undefined) outcome["conversationId"] = given.conversationId;
  if (given.turnId !== undefined) outcome["turnId"] = given.turnId;
  if (given.userId !== undefined) outcome["userId"] = given.userId;
  if (ending.cancelled !== null) outcome["cancelled"] = ending.cancelled;
  if (call.ticket !== null) outcome["ticket"] = call.ticket;
  if (ending.injections !== null) outcome["injections"] = ending.injections;
  return outcome as unknown as ToolOutcome;
}

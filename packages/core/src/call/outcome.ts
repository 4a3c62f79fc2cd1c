import type { ToolOutcome } from "../contract/outcome.ts";
import type { Run } from "./call.ts";

/** The outcome of a run that is over. */
export function outcomeOf(run: Run): ToolOutcome {
  const { given } = run;
  const outcome: Record<string, unknown> = {
    callId: run.callId,
    runId: run.runId,
    tool: run.tool?.name ?? String(run.request.name),
    status: run.status,
    result: run.result,
    durationMs: run.endedAt - run.startedAt,
  };
  if (given.sessionId !== undefined) outcome["sessionId"] = given.sessionId;
  if (given.conversationId !== undefined) outcome["conversationId"] = given.conversationId;
  if (given.turnId !== undefined) outcome["turnId"] = given.turnId;
  if (given.userId !== undefined) outcome["userId"] = given.userId;
  if (run.cancelled !== null) outcome["cancelled"] = run.cancelled;
  if (run.ticket !== null) outcome["ticket"] = run.ticket;
  if (run.injections !== null) outcome["injections"] = run.injections;
  return outcome as unknown as ToolOutcome;
}

import type { CallContext } from "../contract/context.ts";
import { freezeOwn, frozenCopy } from "../json/freeze.ts";
import type { ToolEvent } from "../contract/hooks.ts";
import type { Run } from "./call.ts";

/** The common part of a call's events, not yet frozen. Names are Amplifier's. */
export function toolEvent(run: Run): Record<string, unknown> & ToolEvent {
  const { given, parent } = run;
  const event: Record<string, unknown> = {
    tool_name: run.tool === null ? run.request.name : run.tool.name,
    tool_call_id: run.callId,
    run_id: run.runId,
    tool_input: run.arguments ?? run.request.arguments ?? {},
    timestamp: run.host.stamp(run.startedAt),
  };
  if (given !== nobody || parent !== null) addIds(run, event);
  return event as Record<string, unknown> & ToolEvent;
}

/** The same with the result: written out, since an object that is made whole is cheaper than one that grows. */
export function endEvent(run: Run): Record<string, unknown> & ToolEvent {
  const { given, parent } = run;
  const event: Record<string, unknown> = {
    tool_name: run.tool === null ? run.request.name : run.tool.name,
    tool_call_id: run.callId,
    run_id: run.runId,
    tool_input: run.arguments ?? run.request.arguments ?? {},
    timestamp: run.host.stamp(run.startedAt),
    tool_result: run.result,
    duration_ms: run.endedAt - run.startedAt,
  };
  if (given !== nobody || parent !== null) addIds(run, event);
  return event as Record<string, unknown> & ToolEvent;
}

/** The context of a call without one. */
export const nobody: CallContext = Object.freeze({});

function addIds({ given, parent }: Run, event: Record<string, unknown>): void {
  if (given.sessionId !== undefined) event["session_id"] = given.sessionId;
  if (given.conversationId !== undefined) event["conversation_id"] = given.conversationId;
  if (given.turnId !== undefined) event["turn_id"] = given.turnId;
  if (given.userId !== undefined) event["user_id"] = given.userId;
  if (parent !== null) event["parent_id"] = parent.runId;
  if (given.parallelGroupId !== undefined) event["parallel_group_id"] = given.parallelGroupId;
}

/** Freezes the arguments before anybody but the tool sees them. Throws `NotJson`. */
export function freezeArguments(run: Run): void {
  if (run.frozen || run.arguments === null) return;
  run.arguments =
    run.arguments === run.request.arguments ? frozenCopy(run.arguments) : freezeOwn(run.arguments);
  run.frozen = true;
}

/** Tells observers that the call goes ahead, or would have: its final arguments, and what was decided. */
export function announce(run: Run, decision: "allow" | "ask" | "deny"): void {
  run.announced = true;
  const { preObservers } = run.generation;
  if (preObservers.length === 0) return;
  freezeArguments(run);
  const event = toolEvent(run);
  event["decision"] = decision;
  run.host.tell(preObservers, "tool:pre", Object.freeze(event));
}

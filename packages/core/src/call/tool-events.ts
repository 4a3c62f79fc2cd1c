import type { CallContext } from "../contract/context.ts";
import type { ToolEvent } from "../contract/hooks.ts";
import { frozenCopy } from "../json/freeze.ts";
import type { Call } from "./call.ts";

type Event = Record<string, unknown> & ToolEvent;

/** The common part of a call's events, not yet frozen. The names are Amplifier's. */
export function toolEvent(call: Call): Event {
  return addIds(call, {
    tool_name: call.tool === null ? call.request.name : call.tool.name,
    tool_call_id: call.callId,
    run_id: call.runId,
    tool_input: call.arguments ?? givenArguments(call) ?? {},
    timestamp: call.host.time.stamp(call.timing.startedAt),
  });
}

/** The same with the result. Not built on {@link toolEvent}: an object literal is cheaper than one that grows. */
export function endEvent(call: Call): Event {
  const { timing, ending } = call;
  return addIds(call, {
    tool_name: call.tool === null ? call.request.name : call.tool.name,
    tool_call_id: call.callId,
    run_id: call.runId,
    tool_input: call.arguments ?? givenArguments(call) ?? {},
    timestamp: call.host.time.stamp(timing.startedAt),
    tool_result: ending.result,
    duration_ms: timing.endedAt - timing.startedAt,
  });
}

/** Arguments that no schema accepted, for those who watch: a copy, so that nothing but JSON reaches them. */
export function givenArguments(call: Call): unknown {
  const given: unknown = call.request.arguments;
  if (given === undefined || typeof given === "string") return given;
  try {
    return frozenCopy(given);
  } catch {
    return undefined; // not JSON, or its getters throw
  }
}

/** The context of a call without one. */
export const emptyContext: CallContext = Object.freeze({});

function addIds({ given, parent }: Call, event: Record<string, unknown>): Event {
  if (given === emptyContext && parent === null) return event as Event;
  if (given.sessionId !== undefined) event["session_id"] = given.sessionId;
  if (given.conversationId !== undefined) event["conversation_id"] = given.conversationId;
  if (given.turnId !== undefined) event["turn_id"] = given.turnId;
  if (given.userId !== undefined) event["user_id"] = given.userId;
  if (parent !== null) event["parent_id"] = parent.runId;
  if (given.parallelGroupId !== undefined) event["parallel_group_id"] = given.parallelGroupId;
  return event as Event;
}

/** Notifies observers of `tool:pre`: the final arguments and the decision. */
export function announce(call: Call, decision: "allow" | "ask" | "deny"): void {
  call.announced = true;
  const { preObservers } = call.generation;
  if (preObservers.length === 0) return;
  const event = toolEvent(call);
  event["decision"] = decision;
  call.host.observers.notify(preObservers, "tool:pre", Object.freeze(event));
}

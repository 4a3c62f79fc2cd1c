import type { ToolOutcome } from "../contract/outcome.ts";
import { digestOf } from "../json/canonical.ts";
import { InnerLog, Overtaken } from "../pending/inner-log.ts";
import type { Call } from "./call.ts";
import { InnerCalls } from "./call-state.ts";
import { logError } from "./trace.ts";
import { endCall, executeHop, outcomeOf } from "./transitions.ts";

/** Whether the calls that a call makes are kept in a log, so that it can run again after its process died. */
export function hasInnerLog({ given, host, generation, tool }: Call): boolean {
  return (
    tool!.definition.repeatable === true &&
    given.sessionId !== undefined &&
    given.rehearsal === undefined && // a real run must not be answered from a rehearsal
    host.stores.sessions(generation) !== null
  );
}

/** Opens the log; null if none must be opened. Resolves to the outcome of an earlier run, or to null if the tool must run. */
export function openInnerLog(call: Call): Promise<ToolOutcome | null> | null {
  const { host, generation, sessionKey } = call;
  if (!hasInnerLog(call) || call.inner?.log) return null;
  const store = host.stores.sessions(generation)!;
  const opened = InnerLog.open(store, host.clock, { sessionId: sessionKey!, digest: identityOf(call) });
  return opened.then((log) => {
    call.inner ??= new InnerCalls();
    call.inner.log = log;
    return isOnce(call) ? log.end : null;
  });
}

/** Returns a digest that stays the same when a call is made again because its process died. */
function identityOf({ arguments: given, callId, given: { turnId }, tool }: Call): string {
  return digestOf({ call: callId, turn: turnId ?? null, tool: tool!.name, arguments: given });
}

/** Whether a call's id means only one run, as in a turn. A caller without a turn may use an id again, for another run. */
function isOnce({ given, stored }: Call): boolean {
  return given.turnId !== undefined || stored !== null;
}

/** Ends the log with the call. Never rejects: a failure is logged, and becomes a warning. */
export async function endInnerLog(call: Call, log: InnerLog): Promise<void> {
  try {
    if (call.ending.status === "ok" && log.missing > 0)
      call.ending.addWarning(`it ran again, and did not make ${log.missing} calls of the run before`);
    await log.close(isOnce(call) ? outcomeOf(call) : null);
  } catch (err) {
    if (err instanceof Overtaken) return void endUnknown(call);
    logError(call, err, "the end of a call could not be written to the log of its calls");
    call.ending.addWarning("its end could not be written to the log of its calls");
  }
}

/** Whether the log must say that the tool begins, because it may not run a second time. */
export function mustBegin({ madeIn, tool }: Call): boolean {
  return madeIn !== null && !canRepeat(tool!);
}

/** Whether a call of a tool can safely run a second time. */
export function canRepeat({ info, definition }: NonNullable<Call["tool"]>): boolean {
  return info.category === "read" || info.idempotent || definition.repeatable === true;
}

export function beginInLog({ madeIn, tool }: Call): Promise<void> {
  const { log, key, number } = madeIn!;
  return log.begin(number, { key, tool: tool!.name });
}

/** Ends a call as `unknown` because it had begun when its process died: it is not run a second time. */
export function endUnknown(call: Call): "next" {
  call.hop = 1 + executeHop;
  return endCall(call, "unknown", "OUTCOME_UNKNOWN", { tool: call.tool!.name });
}

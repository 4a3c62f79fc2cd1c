import { errorMessage, type ErrorCode, type ErrorDetails } from "../contract/errors.ts";
import type { CallStatus } from "../contract/outcome.ts";
import type { Run, StopReason } from "./call.ts";

/** The hops of every call, in order; `path.ts` has the function of each. `docs/life-of-a-call.md` is checked against this list. */
export const hopNames = ["find", "parse", "decide", "approve", "execute", "shape", "tell"] as const;

export type HopName = (typeof hopNames)[number];

export const parseHop = hopNames.indexOf("parse");
export const executeHop = hopNames.indexOf("execute");
export const tellHop = hopNames.indexOf("tell");

/**
 * Walks a run on that waited since it had `token`; `apply` takes in what it waited for, and may wait again by
 * returning true. Does nothing, and says so, when the run went on without it.
 */
export function goOn(run: Run, token: number, apply: () => boolean): boolean {
  if (run.token !== token) return false;
  run.token++;
  run.waiting = false;
  run.waited = true;
  try {
    if (apply()) return (run.waiting = true);
  } catch (thrown) {
    run.host.breakDown(run, thrown);
  }
  run.host.walk(run);
  return true;
}

/** Ends a run with a failure of the host's own; what is left to do is to tell. */
export function end<Code extends ErrorCode>(
  run: Run,
  status: CallStatus,
  code: Code,
  details: ErrorDetails<Code>,
  extra?: { readonly details?: Readonly<Record<string, unknown>> },
): false {
  run.status = status;
  run.result = {
    tool: run.tool?.name ?? run.request.name,
    fetchedAt: run.host.stamp(run.executedAt === 0 ? run.startedAt : run.executedAt),
    error: errorMessage(code, details),
    code,
    ...(extra?.details === undefined ? {} : { details: extra.details as never }),
  };
  run.hop = tellHop;
  return false;
}

/** Says so in the result itself, since whoever asked for it reads results, not outcomes. Source: Amplifier's loop-basic. */
const cancelledByToken = { details: { cancelled: true } };

export function endStopped(run: Run): void {
  if (run.phase === "parse" && run.arguments !== null) run.phase = "decide";
  if (run.stopReason === "deadline")
    end(run, "timed_out", "TIMED_OUT", { tool: run.tool!.name, timeoutMs: run.tool!.timeoutMs });
  else end(run, "cancelled", "CANCELLED", {}, run.stopReason === "cancel" ? cancelledByToken : undefined);
}

/**
 * Tells a run to stop. Before its tool runs it ends at once; while it runs the tool has its grace to answer; after
 * that there is nothing to stop.
 */
export function stop(run: Run, reason: StopReason, message: string): void {
  if (run.stopReason !== null || run.hop > executeHop + 1) return;
  run.stopReason = reason;
  run.stopMessage = message;
  run.stoppedAt = run.host.time();
  if (run.executing) return letFinish(run);
  if (!run.waiting) return; // on the stack of `walk`, which looks at stopReason next
  run.withdraw?.();
  run.token++;
  run.waiting = false;
  endStopped(run);
  run.host.walk(run);
}

function letFinish(run: Run): void {
  run.timer.leave();
  run.context?.abort();
  run.host.grace.start(run.timer, run.stoppedAt);
}

/** The grace is over: the run ends without its tool, which may still run on. */
export function abandon(run: Run): void {
  const tool = run.tool!;
  run.token++;
  run.executing = false;
  run.waiting = false;
  tool.abandoned++;
  run.host.abandoned.add(run);
  endStopped(run);
  run.host.walk(run);
}

import type { CallContext, ToolOutcome } from "@toolmount/core";
import type { LiveHost } from "./service.ts";

/**
 * Keeps a call open until its question is answered, here or in another process, and resumes it then. After `waitMs` the
 * outcome is the pending one, whose ticket still resumes the call.
 */
export async function resumeWhenDecided(
  { host, watch }: LiveHost,
  outcome: ToolOutcome,
  context: CallContext,
  waitMs: number,
): Promise<ToolOutcome> {
  const { ticket, callId, sessionId } = outcome;
  const waits = outcome.status === "pending" && outcome.result.code === "PENDING";
  if (!waits || ticket === undefined || waitMs === 0) return outcome;
  const isOpen = async () =>
    (await host.approvals.list({ callId, sessionId, states: ["pending"], limit: 1 })).length > 0;
  const signals = [
    AbortSignal.timeout(waitMs),
    ...(context.abortSignal === undefined ? [] : [context.abortSignal]),
  ];
  const isDecided = await new Promise<boolean>((resolve, reject) => {
    const signal = AbortSignal.any(signals);
    const end = (decided: boolean) => {
      stop();
      resolve(decided);
    };
    const look = () => void isOpen().then((open) => open || end(true), reject);
    const stop = watch.watch(look);
    signal.addEventListener("abort", () => end(false));
    if (signal.aborted) end(false);
    else look();
  });
  return isDecided ? host.resume(ticket, context) : outcome;
}

import type { PermitSource } from "../scheduling/semaphore.ts";
import type { MountedTool } from "../registry/prepare-tool.ts";
import type { Call, HopAnswer } from "./call.ts";
import { endUnavailable, resumeCall } from "./transitions.ts";

/** The permits that a call can hold, as bits of `call.permits`: an object for each call would cost 20 % of its time. */
const ofTool = 1;
const ofToolRate = 2;
const ofHost = 4;
const ofHostRate = 8;

/** Acquires the permits of a call. Null when it has them; else it has ended, or waits and continues with `retry`. */
export function acquirePermits(call: Call, retry: (call: Call) => HopAnswer): HopAnswer | null {
  const { semaphore, rateLimiter } = call.tool!;
  const { host, parent } = call;
  return (
    (semaphore === null || isWithin(parent, call.tool!) ? null : acquire(call, ofTool, semaphore, retry)) ??
    (rateLimiter === null ? null : acquire(call, ofToolRate, rateLimiter, retry)) ??
    (host.semaphore === null || parent !== null ? null : acquire(call, ofHost, host.semaphore, retry)) ??
    (host.rateLimiter === null ? null : acquire(call, ofHostRate, host.rateLimiter, retry))
  );
}

/** A call that the tool itself makes uses that call's permit: otherwise it would wait for its own end. */
function isWithin(parent: Call | null, tool: MountedTool): boolean {
  for (let call = parent; call !== null; call = call.parent) if (call.tool === tool) return true;
  return false;
}

function acquire(
  call: Call,
  permit: number,
  source: PermitSource,
  retry: (call: Call) => HopAnswer,
): HopAnswer | null {
  if ((call.permits & permit) !== 0) return null;
  if (source.tryAcquire()) {
    call.permits |= permit;
    return null;
  }
  if (source.waiting >= call.host.limits.queued)
    return endUnavailable(call, `${source.waiting} calls already wait in the queue`);
  const { token } = call;
  source.wait(call, () => {
    call.permits |= permit;
    resumeCall(call, token, retry, undefined);
  });
  return "waiting";
}

/** The tool begins now: its rate permits are used. */
export function startPermits(call: Call): void {
  const { permits, tool, host } = call;
  if (permits === 0) return;
  if ((permits & ofToolRate) !== 0) tool!.rateLimiter!.use();
  if ((permits & ofHostRate) !== 0) host.rateLimiter!.use();
  call.permits = permits & (ofTool | ofHost);
}

/** Returns the permits of a call that has ended, or will not begin. */
export function releasePermits(call: Call): void {
  const { permits, tool, host } = call;
  if (permits === 0) return;
  call.permits = 0;
  if ((permits & ofToolRate) !== 0) tool!.rateLimiter!.release();
  if ((permits & ofHostRate) !== 0) host.rateLimiter!.release();
  if ((permits & ofTool) !== 0) tool!.semaphore!.release();
  if ((permits & ofHost) !== 0) host.semaphore!.release();
}

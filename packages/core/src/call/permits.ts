import type { PermitSource } from "../scheduling/semaphore.ts";
import type { MountedTool } from "../registry/prepare-tool.ts";
import type { Call, HopAnswer } from "./call.ts";
import type { HeldPermits } from "./call-state.ts";
import { endUnavailable, resumeCall } from "./transitions.ts";

/**
 * Acquires the permits that a call needs before its tool may begin: one of its tool and one of its host, each limited in
 * number and in rate. Null when it has them all. Otherwise the call has ended, or waits and continues with `retry`.
 */
export function acquirePermits(call: Call, retry: (call: Call) => HopAnswer): HopAnswer | null {
  const { semaphore, rateLimiter } = call.tool!;
  const { host, parent } = call;
  if (semaphore === null && rateLimiter === null && host.semaphore === null && host.rateLimiter === null)
    return null;
  return (
    (isWithin(parent, call.tool!) ? null : acquire(call, "tool", semaphore, retry)) ??
    acquire(call, "toolRate", rateLimiter, retry) ??
    (parent === null ? acquire(call, "host", host.semaphore, retry) : null) ??
    acquire(call, "hostRate", host.rateLimiter, retry)
  );
}

/** A call that the tool itself makes uses that call's permit: otherwise it would wait for its own end. */
function isWithin(parent: Call | null, tool: MountedTool): boolean {
  for (let call = parent; call !== null; call = call.parent) if (call.tool === tool) return true;
  return false;
}

function acquire(
  call: Call,
  kind: keyof HeldPermits,
  source: PermitSource | null,
  retry: (call: Call) => HopAnswer,
): HopAnswer | null {
  if (source === null) return null;
  const held = (call.permits ??= { tool: false, toolRate: false, host: false, hostRate: false });
  if (held[kind]) return null;
  if (source.tryAcquire()) {
    held[kind] = true;
    return null;
  }
  if (source.waiting >= call.host.limits.queued)
    return endUnavailable(call, `${source.waiting} calls already wait in the queue`);
  const { token } = call;
  source.wait(call, () => {
    held[kind] = true;
    resumeCall(call, token, () => retry(call));
  });
  return "waiting";
}

/** The tool begins now: its rate permits are used. */
export function startPermits({ permits, tool, host }: Call): void {
  if (permits === null) return;
  if (permits.toolRate) tool!.rateLimiter!.use();
  if (permits.hostRate) host.rateLimiter!.use();
  permits.toolRate = permits.hostRate = false;
}

/** Returns the permits of a call that has ended, or will not begin. */
export function releasePermits(call: Call): void {
  const { permits, tool, host } = call;
  if (permits === null) return;
  call.permits = null;
  if (permits.toolRate) tool!.rateLimiter!.release();
  if (permits.hostRate) host.rateLimiter!.release();
  if (permits.tool) tool!.semaphore!.release();
  if (permits.host) host.semaphore!.release();
}

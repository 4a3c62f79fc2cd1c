import { listsCall, type CancellationToken } from "../contract/cancellation.ts";
import { messageOf } from "../contract/errors.ts";
import { isToolInterrupt } from "../contract/interrupt.ts";
import type { StoredCall } from "../pending/stored-call.ts";
import type { PermitSource } from "../scheduling/semaphore.ts";
import type { MountedTool } from "../registry/prepare-tool.ts";
import type { Call, HopAnswer } from "./call.ts";
import { isThenable } from "../registry/gates.ts";
import { typeName } from "../result/tool-failure.ts";
import { holdCall, leaveToOther, suspend } from "./hold.ts";
import { openInnerLog } from "./inner-log.ts";
import { isRecorded, recordStart } from "./journal.ts";
import { rehearsalOf, rehearse } from "./rehearse.ts";
import { runElsewhere, runInstead } from "./run-tool.ts";
import { ToolCallContext } from "./tool-context.ts";
import { logError, logFields } from "./trace.ts";
import { endAsBefore, endCall, endUnavailable, resumeCall, storeWait, waitFor } from "./transitions.ts";

/** Hop 5: runs the tool where its runner says, under one signal. The caller's `onAllowed` can delay the start. */
export function execute(call: Call): HopAnswer {
  const { onAllowed } = call.given;
  if (onAllowed === undefined) return begin(call);
  const released = Promise.resolve().then(onAllowed);
  return waitFor(call, released, begin, () => endCall(call, "cancelled", "CANCELLED", {}));
}

function begin(call: Call): HopAnswer {
  const { host } = call;
  const tool = call.tool!;
  const rehearsed = call.given.rehearsal === undefined ? null : rehearse(call, rehearsalOf(call)!);
  if (rehearsed !== null) return rehearsed;
  if (call.answered !== null) return takeAnswer(call, call.answered.value);
  if (tool.info.execution === "client") return handOut(call);
  if (tool.abandoned >= host.limits.abandoned)
    return endUnavailable(call, `${tool.abandoned} abandoned calls of it still run`);
  return acquirePermits(call, begin) ?? start(call);
}

/** Takes the result that a gate or the client gave. The tool does not run. */
function takeAnswer(call: Call, value: unknown): "next" {
  call.timing.executedAt = call.host.time.now();
  call.returned = value;
  return "next";
}

/** Ends the call as pending: the client runs it, and resumes it with its ticket and the result. */
function handOut(call: Call): HopAnswer {
  const { stores } = call.host;
  const store = stores.approvals(call.generation);
  if (store === null)
    return endUnavailable(call, "it runs at the client, and this host has no store in which it can wait");
  const handed =
    call.stored === null
      ? (call.stored = holdCall(call, store, "handed")).add()
      : handOver(call, call.stored);
  return waitFor(
    call,
    stores.track(handed),
    () => suspend(call, call.stored!),
    (_, err) => {
      logError(call, err, "the store of approvals failed");
      return endUnavailable(call, "the call could not be stored for the client");
    },
    storeWait,
  );
}

async function handOver({ host }: Call, stored: StoredCall): Promise<void> {
  stored.dropLease();
  const expiresAt = host.clock.now() + host.stores.options.keepMs;
  const handed = await stored.change(({ state }) =>
    state === "approved" || state === "claimed" ? { state: "handed", leaseUntil: null, expiresAt } : null,
  );
  if (!handed) throw new Error("its approval was used or revoked meanwhile");
}

/** Acquires the permits of a call. Null when the call has all; otherwise it has ended, or waits and continues with `retry`. */
function acquirePermits(call: Call, retry: (call: Call) => HopAnswer): HopAnswer | null {
  const { semaphore, rateLimiter } = call.tool!;
  const { host, parent } = call;
  return (
    (semaphore === null || isWithin(parent, call.tool!) ? null : acquire(call, semaphore, retry)) ??
    (rateLimiter === null ? null : acquire(call, rateLimiter, retry)) ??
    (host.semaphore === null || parent !== null ? null : acquire(call, host.semaphore, retry)) ??
    (host.rateLimiter === null ? null : acquire(call, host.rateLimiter, retry))
  );
}

/** Whether a call is made within another call of its tool. Both share the outer call's permit, or the outer would wait for itself. */
function isWithin(parent: Call | null, tool: MountedTool): boolean {
  for (let call = parent; call !== null; call = call.parent) if (call.tool === tool) return true;
  return false;
}

function acquire(call: Call, source: PermitSource, retry: (call: Call) => HopAnswer): HopAnswer | null {
  if (call.permits.includes(source)) return null;
  if (source.tryAcquire()) {
    call.permits = [...call.permits, source];
    return null;
  }
  if (source.waiting >= call.host.limits.queued)
    return endUnavailable(call, `${source.waiting} calls already wait in the queue`);
  const { token } = call;
  source.wait(call, () => {
    call.permits = [...call.permits, source];
    resumeCall(call, token, retry, undefined);
  });
  return "waiting";
}

/** Gives back the permits of a call that has ended, or will not begin. */
export function releasePermits(call: Call): void {
  const { permits } = call;
  call.permits = [];
  for (const source of permits) source.release();
}

/** Opens the log of the calls that a `repeatable` tool makes, and continues. If an earlier run ended, its outcome counts. */
function start(call: Call): HopAnswer {
  const opening = call.tool!.definition.repeatable === true ? openInnerLog(call) : null;
  if (opening === null) return recordAndLaunch(call);
  return waitFor(
    call,
    call.host.stores.track(opening),
    (_, past) => (past === null ? recordAndLaunch(call) : endAsBefore(call, past)),
    (_, err) => {
      logError(call, err, "the log of a call's calls could not be read");
      return endUnavailable(call, "the log of its calls could not be read");
    },
    storeWait,
  );
}

/** Records the start in the audit, where that is required, before the tool begins. */
function recordAndLaunch(call: Call): HopAnswer {
  const recorded = isRecorded(call) ? recordStart(call) : null;
  if (recorded === null) return launch(call);
  call.timing.executedAt = call.host.time.now();
  startDeadline(call);
  return waitFor(call, recorded, (_, problem) => {
    if (problem === null) return launch(call);
    return isTaken(call) ? leaveToOther(call, call.stored!) : endUnavailable(call, problem);
  });
}

/** Whether the approval of a call that waited here was used by another host. */
function isTaken({ stored }: Call): boolean {
  return stored !== null && stored.lost && !stored.isResumed && stored.record.state !== "denied";
}

function launch(call: Call): HopAnswer {
  const { host, given, timing } = call;
  const tool = call.tool!;
  if (timing.executedAt === 0) timing.executedAt = call.token === 0 ? timing.startedAt : host.time.now();
  if (call.permits.length > 0) call.permits = call.permits.filter((source) => !source.begin());
  if (timing.deadlineAt === 0) startDeadline(call);
  const context = new ToolCallContext(call);
  call.context = context;
  call.executing = true;
  if (given.cancellation !== undefined) listAsRunning(call, given.cancellation);
  try {
    const returned: unknown =
      call.own !== null || (tool.runner === null && host.runner === null)
        ? call.undo === null && given.rehearsal === undefined
          ? tool.definition.execute(call.arguments!, context)
          : runInstead(call, context)
        : runElsewhere(call, context);
    return returned instanceof Promise || isThenable(returned)
      ? waitFor(call, returned, settle, settleThrown, toolWait)
      : settle(call, returned);
  } catch (thrown) {
    return settleThrown(call, thrown);
  }
}

/** Lists the call at its caller's token under its call id or, if the token already lists a call of that id, under its run id. */
function listAsRunning(call: Call, token: CancellationToken): void {
  call.trackedAs = listsCall(token, call.callId) ? call.runId : call.callId;
  token.registerToolStart(call.trackedAs, call.tool!.name);
}

/** Starts the deadline. A nested call follows its parent's signal, so it needs a timer only for an earlier deadline. */
function startDeadline(call: Call): void {
  const { timing, parent } = call;
  const { timeoutMs } = call.tool!;
  const inherited = parent?.timing.deadlineAt ?? 0;
  const own = timeoutMs === 0 ? 0 : timing.executedAt + timeoutMs;
  if (call.info !== null) call.info = null; // the kept info lacks the deadline
  timing.deadlineAt = own === 0 || (inherited !== 0 && inherited < own) ? inherited : own;
  if (own !== 0 && timing.deadlineAt === own) call.host.deadlines.start(call, timeoutMs, timing.executedAt);
}

function settle(call: Call, value: unknown): "next" {
  call.pace?.flush();
  call.executing = false;
  call.host.deadlines.end(call);
  call.returned = value;
  return "next";
}

function settleThrown(call: Call, thrown: unknown): "next" {
  settle(call, undefined);
  if (!isReadable(thrown)) thrown = new Error("the tool threw a value that cannot be read");
  call.thrown = { value: thrown };
  if (!call.host.isInterrupt(thrown)) return "next";
  call.ending.interrupt = { thrown };
  return endCall(call, "failed", "INTERRUPTED", { tool: call.tool!.name });
}

/** Whether the members of a thrown value can be read: those of a Proxy, or their getters, may throw. */
function isReadable(thrown: unknown): boolean {
  try {
    void `${messageOf(thrown)}${typeName(thrown)}${isToolInterrupt(thrown)}`;
    return true;
  } catch {
    return false;
  }
}

/** Counts an abandoned call as ended when its tool answers after all. No caller waits for the result. */
function onLateAnswer(call: Call): void {
  const { abandoned, logger } = call.host;
  if (!abandoned.delete(call)) return;
  call.tool!.abandoned--;
  logger.warn(logFields(call), "a tool answered after its call was abandoned");
}

const toolWait = { onLate: onLateAnswer };

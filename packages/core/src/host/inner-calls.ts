import type { CallContext, CallRequest } from "../contract/context.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { ApprovalRecord } from "../contract/stores.ts";
import { digestOf } from "../json/canonical.ts";
import { frozenCopy } from "../json/freeze.ts";
import { StoredCall } from "../pending/stored-call.ts";
import { encryptWithTicket, hashTicket } from "../pending/ticket.ts";
import { needsApproval, traceparentOf, type Call, type HopAnswer } from "../call/call.ts";
import { InnerCalls, type InnerCall } from "../call/call-state.ts";
import { holdCall, requestToSeal, suspend } from "../call/hold.ts";
import { failedStart, startCall } from "../call/pipeline.ts";
import { logError, logFields } from "../call/trace.ts";
import { endUnavailable, resumeCall, waitFor } from "../call/transitions.ts";
import type { HostState } from "./host-state.ts";
import { resume } from "./resume.ts";

/*
 * A call that a tool makes may need a person, who answers next week. Then the outer call waits, too:
 *
 * 1. The tool must be `idempotent` or `repeatable`: it is stopped, and runs again from its start when the answer is there.
 * 2. What its calls ended with, and the tickets of those that wait, are kept with the outer call, encrypted with its ticket.
 * 3. The outer call ends as pending, under a ticket of its own.
 * 4. When it is resumed, each call that was made before is answered from there: nothing runs twice.
 *
 * Another tool gets the pending outcome. If it then fails, the questions of its calls end with it.
 */

/** Makes a call for a tool, or answers it from an earlier run. */
export async function callInner(host: HostState, call: Call, request: CallRequest): Promise<ToolOutcome> {
  const inner = (call.inner ??= new InnerCalls());
  if (inner.isSuspended) throw suspended();
  if (inner.running >= host.limits.nested) return refuseInner(host, call, request);
  const mayWait = canSuspend(call);
  const key = mayWait ? keyOf(request) : null;
  inner.running += 1;
  const outcome = await startOrResume(host, call, request, key).finally(() => (inner.running -= 1));
  const isWaiting = outcome.status === "pending" && outcome.ticket !== undefined;
  if (key !== null) keep(inner, isWaiting ? { key, ticket: outcome.ticket } : { key, outcome });
  if (isWaiting) inner.tickets.push(outcome.ticket);
  if (inner.tickets.length > 0 && mayWait) suspendSoon(call, inner);
  if (!isWaiting || !mayWait) return outcome;
  return new Promise((_, reject) => inner.waiting.push(reject));
}

/** Answers one call too many. It has no events and no record: a flood of them must cost less than the calls. */
function refuseInner(host: HostState, call: Call, request: CallRequest): ToolOutcome {
  if (!call.inner!.hasRefused)
    host.logger.warn(logFields(call), `a tool made more than ${host.limits.nested} calls at the same time`);
  call.inner!.hasRefused = true;
  const reason = `its caller has ${host.limits.nested} calls in flight; wait for some of them to end`;
  return failedStart(host, request, "UNAVAILABLE", (tool) => ({ tool, reason }));
}

function keep(inner: InnerCalls, made: InnerCall): void {
  inner.room -= JSON.stringify(made).length;
  if (inner.room < 0) inner.made.length = 0;
  else inner.made.push(made);
}

function startOrResume(
  host: HostState,
  call: Call,
  request: CallRequest,
  key: string | null,
): Promise<ToolOutcome> {
  const { known } = call.inner!;
  const at = known.findIndex((one) => one.key === key);
  const [earlier] = at < 0 ? [] : known.splice(at, 1);
  if (earlier?.outcome !== undefined) return Promise.resolve(earlier.outcome);
  if (earlier?.ticket !== undefined)
    return resume(host, earlier.ticket, nestedContext(call), undefined, call);
  return startCall(host, request, nestedContext(call), { parent: call, session: null });
}

/** The context of a call that a tool makes: the same session and people, the tool's signal. Progress and questions are its own. */
function nestedContext(parent: Call): CallContext {
  return {
    ...parent.given,
    abortSignal: parent.context!.abortSignal,
    onProgress: undefined,
    onQuestion: undefined,
    traceparent: traceparentOf(parent),
  };
}

/** Equal requests have equal keys; null for one that cannot be read, which the host refuses. The caller's id may differ. */
function keyOf(request: CallRequest): string | null {
  try {
    return digestOf(frozenCopy({ name: request.name, arguments: request.arguments ?? {} }));
  } catch {
    return null;
  }
}

/** Whether a call can end as pending because a call of its tool waits. Its own callers must be able to, too. */
function canSuspend({ tool, host, generation, parent }: Call): boolean {
  return (
    (tool!.info.idempotent || tool!.definition.repeatable === true) &&
    host.stores.approvals(generation) !== null &&
    (parent === null || canSuspend(parent))
  );
}

/** Suspends a call once nothing of it runs any more: other calls that were made beside the one that waits end first. */
function suspendSoon(call: Call, inner: InnerCalls): void {
  const { token } = call;
  // After the tool has seen the outcomes that are there: it may make its next call at once.
  setImmediate(() => {
    if (inner.running > 0 || inner.isSuspended || !call.executing || call.stop !== null) return;
    if (call.token === token) resumeCall(call, token, suspendOuter, inner);
  });
}

function suspendOuter(call: Call, inner: InnerCalls): HopAnswer {
  const { host, generation } = call;
  call.executing = false;
  host.deadlines.end(call);
  stopTool(call, inner);
  if (inner.room < 0)
    return endUnavailable(call, "its calls have too large outcomes to wait for the approval of one");
  const made = [...inner.made, ...inner.known];
  const store = host.stores.approvals(generation)!;
  const stored = call.stored === null ? hold(call, made) : holdAgain(call, call.stored, made);
  return waitFor(
    call,
    host.stores.track(stored),
    (_, held) => ((call.stored = held), suspend(call, held)),
    (_, err) => {
      logError(call, err, "a call whose tool waits for an approval could not be stored");
      return endUnavailable(call, "the call could not be stored until the approval of a call that it made");
    },
  );

  async function hold(outer: Call, calls: readonly InnerCall[]): Promise<StoredCall> {
    const held = holdCall(outer, store, "suspended", { inner: calls });
    const { approvedBy = null } = outer.approval ?? {};
    if (needsApproval(outer))
      held.record = {
        ...held.record,
        decision: { decision: "approve", by: approvedBy ?? "the host", at: host.clock.now() },
      };
    await held.add();
    return held;
  }
}

/** A call that was resumed waits again, under the ticket that it has. */
async function holdAgain(call: Call, stored: StoredCall, inner: readonly InnerCall[]): Promise<StoredCall> {
  stored.dropLease();
  const sealed = encryptWithTicket({ ...requestToSeal(call), inner }, stored.ticket!);
  const expiresAt = call.host.clock.now() + call.host.stores.options.keepMs;
  const held = await stored.change((record) =>
    record.state === "started" && stored.owns(record)
      ? { state: "suspended", leaseUntil: null, sealed, expiresAt }
      : null,
  );
  if (!held) throw new Error("another host has the call");
  return stored;
}

/** Ends what the tool waits for, so that it can clean up. What it still does is ignored. */
function stopTool(call: Call, inner: InnerCalls): void {
  inner.isSuspended = true;
  call.context?.abort(suspended());
  for (const reject of inner.waiting.splice(0)) reject(suspended());
}

function suspended(): DOMException {
  return new DOMException("the call waits for the approval of a call that its tool made", "AbortError");
}

/**
 * Ends the questions of calls that a tool made, when the tool has failed without waiting for them: their answers
 * would be of no use. A tool that succeeded has its own use for the tickets.
 */
export function endQuestions({ host, generation, ending, inner }: Call): void {
  if (inner === null || inner.tickets.length === 0 || inner.isSuspended || ending.status === "ok") return;
  const store = host.stores.approvals(generation);
  if (store === null) return;
  const end = async () => {
    for (const ticket of inner.tickets) {
      const record = await store.findByTicket(hashTicket(ticket));
      if (record !== null)
        await new StoredCall(host.stores, store, record, null).change(withdrawn(host.clock.now()));
    }
    await host.stores.sweep(store);
  };
  void host.stores.track(
    end().catch((err: unknown) => host.logger.error({ err }, "the questions of an ended call stay open")),
  );
}

const withdrawn =
  (at: number) =>
  (record: ApprovalRecord): Partial<ApprovalRecord> | null =>
    record.state === "pending" || record.state === "suspended"
      ? {
          state: "denied",
          decision: { decision: "deny", by: "the host", at, reason: "the call that asked has ended" },
          expiresAt: at,
        }
      : null;

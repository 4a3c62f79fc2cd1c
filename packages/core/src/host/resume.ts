import { Call, type Resolve } from "../call/call.ts";
import { readInnerCalls } from "../call/call-state.ts";
import { beginCall } from "../call/pipeline.ts";
import { openRequest } from "../call/grants.ts";
import { endCall, hopNames } from "../call/transitions.ts";
import { isoTime } from "../contract/clock.ts";
import type { CallContext } from "../contract/context.ts";
import { defaultDecider, type SealedRequest } from "../call/hold.ts";
import { ToolmountError, errorMessage, type ErrorCode, type ErrorDetails } from "../contract/errors.ts";
import type { CallStatus, ToolOutcome } from "../contract/outcome.ts";
import type { ApprovalRecord } from "../contract/stores.ts";
import { frozenCopy } from "../json/freeze.ts";
import { withoutUndefined } from "../json/without-undefined.ts";
import { StoredCall } from "../pending/stored-call.ts";
import { decryptWithTicket, hashTicket } from "../pending/ticket.ts";
import { ownToolOf } from "./approved-list.ts";
import { requireExpected } from "./client-result.ts";
import type { HostState } from "./host-state.ts";
import { generationOf } from "../registry/generation.ts";

/** Resumes a waiting call, as `Host.resume` describes. If the call has ended, its outcome is returned and nothing runs again. */
export async function resume(
  host: HostState,
  ticket: string,
  context: CallContext,
  clientResult: unknown,
  maker: Call | null = null,
): Promise<ToolOutcome> {
  if (host.closing && maker === null) throw new ToolmountError("HOST_CLOSED", {});
  const store = host.stores.approvals(generationOf(host.moduleSet));
  const record = typeof ticket === "string" ? await store?.findByTicket(hashTicket(ticket)) : null;
  if (
    store === null ||
    record === null ||
    record === undefined ||
    record.info.sessionId !== context.sessionId ||
    record.info.userId !== context.userId
  )
    throw new ToolmountError("TICKET_INVALID", {});
  const given = clientResult === undefined ? null : { value: clientResult };
  const stored = new StoredCall(host.stores, store, record, ticket, given);
  stored.maker = maker;
  if (given !== null) requireExpected(record, clientResult);
  return host.stores.track(resumeStored(host, stored, context));
}

/** Runs a call for its caller's session and user, as `Approvals.run` describes. If several run or resume it, only one does. */
export async function runWithoutCaller(
  host: HostState,
  stored: StoredCall,
  by: string,
): Promise<ApprovalRecord> {
  if (host.closing) throw new ToolmountError("HOST_CLOSED", {});
  const { sessionId, userId } = stored.record.info;
  stored.runBy = by;
  await host.stores.track(resumeStored(host, stored, { sessionId, userId }));
  return stored.record;
}

async function resumeStored(host: HostState, stored: StoredCall, context: CallContext): Promise<ToolOutcome> {
  const { record } = stored;
  if (record.state === "ended") return pastOutcome(host, stored);
  if (isDue(host, record) && (await settleDue(host, stored, context)) !== null)
    return pastOutcome(host, stored);
  switch (stored.record.state) {
    case "denied":
      await endAsDenied(host, stored, context);
      return resumeStored(host, stored, context);
    case "approved":
      return runAgain(host, stored, context);
    case "handed":
      return stored.clientResult === null
        ? stillPending(host, stored, "client")
        : runAgain(host, stored, context);
    case "pending":
      return stillPending(host, stored, "approval");
    case "suspended":
      return (await isUnanswered(stored))
        ? stillPending(host, stored, "approval")
        : runAgain(host, stored, context);
    case "claimed":
    case "started":
      return isDue(host, stored.record) ? runAgain(host, stored, context) : stillPending(host, stored, "run");
    case "ended":
    default:
      return pastOutcome(host, stored);
  }
}

/** Whether all inner calls for which a suspended call waits still wait for a person. */
async function isUnanswered({ record, store, ticket }: StoredCall): Promise<boolean> {
  const inner = readInnerCalls(decryptWithTicket(record.sealed, ticket!)?.value ?? {});
  const waiting = (inner?.known ?? []).flatMap((call) => call.ticket ?? []);
  const records = await Promise.all(waiting.map((one) => store.findByTicket(hashTicket(one))));
  return records.length > 0 && records.every((one) => one?.state === "pending");
}

/** Claims the call for this host, so that no other host resumes it, and runs it through the pipeline. */
async function runAgain(host: HostState, stored: StoredCall, context: CallContext): Promise<ToolOutcome> {
  const request = openRequest(stored);
  const seen = stored.record.version;
  const leaseUntil = host.clock.now() + host.stores.options.leaseMs;
  const claimed = await stored.change((record) =>
    record.version === seen ? { state: "claimed", leaseUntil } : null,
  );
  if (!claimed)
    return stored.record.state === "ended" ? pastOutcome(host, stored) : stillPending(host, stored, "run");
  stored.keepLease();
  stored.isResumed = true;
  return new Promise((resolve) => {
    const call = callOf(host, stored, openRequest(stored), context, resolve);
    call.inner = readInnerCalls(request);
    beginCall(call);
  });
}

function callOf(
  host: HostState,
  stored: StoredCall,
  { id, name, arguments: given, prompts, parentSessionIds }: SealedRequest,
  context: CallContext,
  resolve: Resolve,
): Call {
  const { runId, callId, depth, ...info } = stored.record.info;
  const { conversationId, turnId, mode, parallelGroupId, traceparent } = info;
  const ids = { conversationId, turnId, mode, parallelGroupId, traceparent };
  const around = { ...ids, prompts, parentSessionIds, ...withoutUndefined(context) };
  const request = { name, arguments: given };
  const call = new Call(host, generationOf(host.moduleSet), request, around, resolve, runId);
  const parent = stored.maker as Call | null;
  const own = ownToolOf(host, stored.record.tool);
  return Object.assign(call, { callId: id ?? callId, depth, stored, parent, own, announced: true });
}

/** Whether a record has expired or, if a host has a lease on the call, that lease has ended and is not this host's own. */
export function isDue({ clock, stores }: HostState, { id, leaseUntil, expiresAt }: ApprovalRecord): boolean {
  return clock.now() >= (leaseUntil ?? expiresAt) && (leaseUntil === null || !stores.held.has(id));
}

/** Handles a record that is due. Null if the call continues, or its session can run it again. */
export async function settleDue(
  host: HostState,
  stored: StoredCall,
  context?: CallContext,
): Promise<ToolOutcome | null> {
  const { tool, state, idempotent, expiresAt, default: byDefault } = stored.record;
  const isExpired = host.clock.now() >= expiresAt;
  const expire = () => endStored(host, stored, context, "denied", "APPROVAL_EXPIRED", { tool });
  const endAsUnknown = () => endStored(host, stored, context, "unknown", "OUTCOME_UNKNOWN", { tool });
  switch (state) {
    case "pending":
      return byDefault === "approve" && (await approveByDefault(host, stored)) ? null : expire();
    case "approved":
    case "suspended":
      return expire();
    case "denied":
      return endAsDenied(host, stored, context);
    case "claimed":
      return isExpired ? expire() : null;
    case "started":
      return idempotent && !isExpired ? null : endAsUnknown();
    case "handed":
      return endAsUnknown();
    case "ended":
    default:
      return null;
  }
}

function endAsDenied(
  host: HostState,
  stored: StoredCall,
  context: CallContext | undefined,
): Promise<ToolOutcome | null> {
  const { tool, decision } = stored.record;
  const reason = decision?.reason ?? "the approver denied it";
  return endStored(host, stored, context, "denied", "DENIED", { tool, reason });
}

function approveByDefault({ clock }: HostState, stored: StoredCall): Promise<boolean> {
  return stored.decide({ decision: "approve", by: defaultDecider, at: clock.now() });
}

/** Ends a call that will not run, through the hop `notify`. Null if its record changed meanwhile. */
async function endStored<Code extends ErrorCode>(
  host: HostState,
  stored: StoredCall,
  context: CallContext | undefined,
  status: CallStatus,
  code: Code,
  details: ErrorDetails<Code>,
): Promise<ToolOutcome | null> {
  const { info, tool, shown, version } = stored.record;
  stored.endsAt = version;
  const request = { name: tool, arguments: shown };
  const given = context ?? { sessionId: info.sessionId, userId: info.userId };
  const outcome = await new Promise<ToolOutcome>((resolve) => {
    const call = callOf(host, stored, request, given, resolve);
    call.tool = call.own ?? call.generation.find(tool) ?? null;
    call.arguments = frozenCopy(shown);
    call.hop = 1 + hopNames.indexOf(code === "OUTCOME_UNKNOWN" ? "execute" : "approve");
    endCall(call, status, code, details);
    beginCall(call);
  });
  stored.endsAt = null;
  if (stored.failure !== null) throw stored.failure.err;
  if (!stored.lost) return outcome;
  stored.lost = false;
  return stored.record.state === "ended" ? pastOutcome(host, stored) : null;
}

function pastOutcome(host: HostState, { record, ticket }: StoredCall): ToolOutcome {
  const { tool, end } = record;
  const opened = end?.sealed && ticket !== null ? decryptWithTicket(end.sealed, ticket) : null;
  if (opened !== null) return opened.value as ToolOutcome;
  const { status = "unknown", code = "OUTCOME_UNKNOWN", at = host.clock.now() } = end ?? {};
  const error = end?.error ?? errorMessage("OUTCOME_UNKNOWN", { tool });
  return bareOutcome(record, status, { error, code }, at);
}

function stillPending(
  host: HostState,
  { record, ticket }: StoredCall,
  waitsFor: "approval" | "client" | "run",
): ToolOutcome {
  const error = errorMessage("PENDING", { tool: record.tool, waitsFor });
  const failure = { error, code: "PENDING", details: { waitsFor } };
  return { ...bareOutcome(record, "pending", failure, host.clock.now()), ticket: ticket! };
}

function bareOutcome(
  { tool, info, createdAt }: ApprovalRecord,
  status: CallStatus,
  failure: { error: string; code: string; details?: { waitsFor: string } },
  at: number,
): ToolOutcome {
  const { callId, runId, sessionId, conversationId, turnId, userId } = info;
  return {
    callId,
    runId,
    tool,
    status,
    result: { tool, fetchedAt: isoTime(createdAt), ...failure },
    durationMs: Math.max(0, at - createdAt),
    ...withoutUndefined({ sessionId, conversationId, turnId, userId }),
  };
}

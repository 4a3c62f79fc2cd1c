import { Case } from "../pending/pending-call.ts";
import type { CallContext, CallRequest } from "../contract/context.ts";
import { normalizeResult } from "../result/normalize.ts";
import {
  ToolmountError,
  errorMessage,
  type ErrorCode,
  type ErrorDetails,
  messageOf,
} from "../contract/errors.ts";
import type { HostState } from "./host-state.ts";
import { isoTime } from "../contract/clock.ts";
import type { CallStatus, ToolOutcome } from "../contract/outcome.ts";
import { Run } from "../call/call.ts";
import { hashTicket, unseal } from "../pending/ticket.ts";
import { end } from "../call/transitions.ts";
import type { ApprovalRecord } from "../contract/stores.ts";

/**
 * Goes on with a call that waits: finds, parses and decides again, and runs it if its approval still fits.
 *
 * Still waiting: the outcome is pending again. Over already: its outcome, once more; nothing runs twice. Rejects with
 * `TICKET_INVALID` for a ticket that this session and user do not have, and with `TICKET_USED` or
 * `CLIENT_RESULT_REFUSED` for a client's result that is not waited for or is none.
 */
export async function resume(
  host: HostState,
  ticket: string,
  context: CallContext,
  clientResult: unknown,
): Promise<ToolOutcome> {
  if (host.closing) throw new ToolmountError("HOST_CLOSED", {});
  const store = host.desk.approvals(host.home.generation());
  const record = typeof ticket === "string" ? await store?.findByTicket(hashTicket(ticket)) : null;
  if (store === null || record === null || record === undefined || !isOf(record, context))
    throw new ToolmountError("TICKET_INVALID", {});
  const given = clientResult === undefined ? null : { value: clientResult };
  const open = new Case(host, store, record, ticket, given);
  if (given !== null) requireWanted(record, clientResult);
  return host.desk.track(goOnWith(open, context));
}

/** A ticket is of use only to the session and the user whose call it was. */
function isOf({ info }: ApprovalRecord, { sessionId, userId }: CallContext): boolean {
  return info.sessionId === sessionId && info.userId === userId;
}

function requireWanted({ state, tool, client }: ApprovalRecord, clientResult: unknown): void {
  if (!client)
    throw new ToolmountError("CLIENT_RESULT_REFUSED", { tool, problem: "it does not run at the client" });
  if (state === "ended") throw new ToolmountError("TICKET_USED", { tool });
  if (state !== "handed" && state !== "claimed")
    throw new ToolmountError("CLIENT_RESULT_REFUSED", { tool, problem: "the call was not handed out" });
  try {
    normalizeResult(tool, tool, isoTime(0), clientResult);
  } catch (cause) {
    throw new ToolmountError("CLIENT_RESULT_REFUSED", { tool, problem: messageOf(cause) }, { cause });
  }
}

async function goOnWith(open: Case, context: CallContext): Promise<ToolOutcome> {
  const { host, record } = open;
  const now = host.clock.now();
  if (record.state === "ended") return pastOutcome(open);
  if (isDue(record, now) && (await settleDue(open, context)) !== null) return pastOutcome(open);
  switch (open.record.state) {
    case "denied":
      await endDenied(open, context);
      return goOnWith(open, context);
    case "approved":
      return walkOn(open, context);
    case "handed":
      return open.clientResult === null ? stillPending(open, "client") : walkOn(open, context);
    case "pending":
      return stillPending(open, "approval");
    case "claimed":
    case "started":
      return isDue(open.record, now) ? walkOn(open, context) : stillPending(open, "run");
    case "ended":
    default:
      return pastOutcome(open);
  }
}

/** Takes the call for this host, so that nobody else goes on with it, and sends it through the hops. */
async function walkOn(open: Case, context: CallContext): Promise<ToolOutcome> {
  const { host } = open;
  const request = unseal(open.record.sealed, open.ticket!);
  if (request === null) throw new ToolmountError("TICKET_INVALID", {});
  const seen = open.record.version;
  const claimed = await open.change((record) =>
    record.version === seen
      ? { state: "claimed", leaseUntil: host.clock.now() + host.desk.options.leaseMs }
      : null,
  );
  if (!claimed) return open.record.state === "ended" ? pastOutcome(open) : stillPending(open, "run");
  open.keepLease();
  return new Promise((resolve) => {
    host.begin(runOf(open, request.value as CallRequest, context, resolve));
  });
}

function runOf(open: Case, request: CallRequest, context: CallContext, resolve: Run["resolve"]): Run {
  const { conversationId, turnId, mode, parallelGroupId, traceparent } = open.record.info;
  const given = { conversationId, turnId, mode, parallelGroupId, traceparent, ...withoutUndefined(context) };
  return new Run(open.host, open.host.home.generation(), request, given, null, resolve, open);
}

function withoutUndefined(context: CallContext): CallContext {
  return Object.fromEntries(Object.entries(context).filter(([, value]) => value !== undefined));
}

/** Whether the record's time has come: to expire, or for others to look after a host that is gone. */
export function isDue(record: ApprovalRecord, now: number): boolean {
  return now >= (record.leaseUntil ?? record.expiresAt);
}

/**
 * Does what the time of a record asks for. Resolves to the outcome when that ended the call, here or elsewhere; null
 * when it goes on, or may be run again by whoever has the ticket.
 */
export async function settleDue(open: Case, context?: CallContext): Promise<ToolOutcome | null> {
  const { record, host } = open;
  const { tool, state, idempotent, expiresAt } = record;
  const isOver = host.clock.now() >= expiresAt;
  switch (state) {
    case "pending":
      if (record.default === "approve" && (await approveByDefault(open))) return null;
      return endCase(open, context, "denied", "APPROVAL_EXPIRED", { tool });
    case "approved":
      return endCase(open, context, "denied", "APPROVAL_EXPIRED", { tool });
    case "denied":
      return endDenied(open, context);
    case "claimed":
      return isOver ? endCase(open, context, "denied", "APPROVAL_EXPIRED", { tool }) : null;
    case "started":
      return idempotent && !isOver ? null : endCase(open, context, "unknown", "OUTCOME_UNKNOWN", { tool });
    case "handed":
      return endCase(open, context, "unknown", "OUTCOME_UNKNOWN", { tool });
    case "ended":
    default:
      return null;
  }
}

function endDenied(open: Case, context: CallContext | undefined): Promise<ToolOutcome | null> {
  const { tool, decision } = open.record;
  const reason = decision?.reason ?? "the person asked said no";
  return endCase(open, context, "denied", "DENIED", { tool, reason });
}

function approveByDefault(open: Case): Promise<boolean> {
  const at = open.host.clock.now();
  const expiresAt = at + open.host.desk.options.keepMs;
  const decision = { decision: "approve", by: "the declared default", at } as const;
  return open.change(({ state }) =>
    state === "pending" ? { state: "approved", decision, expiresAt } : null,
  );
}

/**
 * Ends a call that will not run, through the same last hop as any other: one of many that try tells of it. Null when
 * its record changed meanwhile, so that there is no reason to end it any more.
 */
async function endCase<Code extends ErrorCode>(
  open: Case,
  context: CallContext | undefined,
  status: CallStatus,
  code: Code,
  details: ErrorDetails<Code>,
): Promise<ToolOutcome | null> {
  const { info, tool, shown, version } = open.record;
  open.endsAt = version;
  const request = { name: tool, arguments: shown };
  const given = context ?? { sessionId: info.sessionId, userId: info.userId };
  const outcome = await new Promise<ToolOutcome>((resolve) => {
    const run = runOf(open, request, given, resolve);
    run.tool = run.generation.find(tool) ?? null;
    run.arguments = shown;
    run.phase = code === "OUTCOME_UNKNOWN" ? "run" : "approve";
    end(run, status, code, details);
    run.host.begin(run);
  });
  open.endsAt = null;
  if (!open.lost) return outcome;
  open.lost = false;
  return open.record.state === "ended" ? pastOutcome(open) : null;
}

/** How a call ended, told once more to whoever has its ticket. */
function pastOutcome({ record, ticket, host: state }: Case): ToolOutcome {
  const opened = record.end?.sealed && ticket !== null ? unseal(record.end.sealed, ticket) : null;
  if (opened !== null) return opened.value as ToolOutcome;
  const { status = "unknown", code = "OUTCOME_UNKNOWN", at = state.clock.now() } = record.end ?? {};
  const error = record.end?.error ?? errorMessage("OUTCOME_UNKNOWN", { tool: record.tool });
  return bareOutcome(record, status, { error, code }, at);
}

function stillPending(open: Case, waitsFor: "approval" | "client" | "run"): ToolOutcome {
  const { record, ticket, host: state } = open;
  const error = errorMessage("PENDING", { tool: record.tool, waitsFor });
  const details = { waitsFor };
  const outcome = bareOutcome(record, "pending", { error, code: "PENDING", details }, state.clock.now());
  return { ...outcome, ticket: ticket! };
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
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(turnId === undefined ? {} : { turnId }),
    ...(userId === undefined ? {} : { userId }),
  };
}

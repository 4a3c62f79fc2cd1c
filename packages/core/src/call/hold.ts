import { errorMessage } from "../contract/errors.ts";
import type { CallContext, CallRequest } from "../contract/context.ts";
import type { ApprovalRecord, ApprovalState, ApprovalStore } from "../contract/stores.ts";
import { canonicalJson, digestOf } from "../json/canonical.ts";
import type { JsonObject } from "../json/json.ts";
import { argumentsDigest, type GrantedCall } from "../pending/grant.ts";
import { StoredCall } from "../pending/stored-call.ts";
import {
  encryptForHolder,
  encryptWithTicket,
  hashTicket,
  publicKeyOf,
  randomName,
} from "../pending/ticket.ts";
import { infoOf, type Call } from "./call.ts";
import { hasInnerLog } from "./inner-log.ts";
import { placeOf } from "../pending/place.ts";
import { endCall } from "./transitions.ts";

/** Makes the record of a call that begins to wait. The caller stores it with `add`. */
export function holdCall(
  call: Call,
  store: ApprovalStore,
  state: "pending" | "handed" | "suspended",
  more: object = {},
): StoredCall {
  const { host, approval } = call;
  const tool = call.tool!;
  const gateAsk = approval?.gateAsk ?? null;
  const { keepMs, leaseMs } = host.stores.options;
  const request = { ...requestToSeal(call), ...more };
  const byDefault = defaultAnswer(call);
  const question = [call.arguments, promptOf(call), [...(approval?.reasons ?? [])]];
  const [id, ticket] = [randomName(), randomName()];
  const [sealed, ticketHash] = [encryptWithTicket(request, ticket), hashTicket(ticket)];
  const now = host.clock.now();
  const masked = host.redact(question as never) as unknown;
  const [shown, prompt, reasons] = masked as [JsonObject, string, ApprovalRecord["reasons"]];
  const bound = grantedCallOf(call);
  const record: ApprovalRecord = {
    id,
    ticketHash,
    state,
    version: 1,
    tool: tool.name,
    info: { ...infoOf(call), callId: rootOf(call).callId },
    digest: digestOf(bound),
    definition: bound.definition,
    argumentsDigest: argumentsDigest(tool.name, call.arguments),
    sealed,
    ...(state === "pending" && openPart(call, { ticket, shown })),
    shown,
    prompt,
    reasons,
    ...(call.parent !== null && placeOf(call)),
    options: gateAsk?.approvalOptions ?? defaultOptions,
    default: byDefault,
    idempotent: tool.info.idempotent || (tool.definition.repeatable === true && hasInnerLog(call)),
    client: tool.info.execution === "client",
    createdAt: now,
    expiresAt: now + (gateAsk?.approvalTimeoutMs ?? keepMs),
    decision: null,
    leaseUntil: null,
    undeliveredUntil: state === "pending" && call.claimedId ? now + leaseMs : null,
    end: null,
  };
  return new StoredCall(host.stores, store, record, ticket);
}

/**
 * Returns the request with which the call is made again, and the parts of its context that policies compare it with. A nested
 * call gets the mounted name of its tool, because the calling tool may have its own name for it.
 */
export function requestToSeal({
  given: { prompts, parentSessionIds },
  callId,
  parent,
  request,
  tool,
}: Call): SealedRequest {
  const name = parent === null ? request.name : tool!.name;
  const words = prompts === undefined ? {} : { prompts };
  return {
    ...(parent !== null && { id: callId }), // the question has the id of the outermost call
    name,
    arguments: request.arguments ?? {},
    ...words,
    ...(parentSessionIds && { parentSessionIds }),
  };
}

/**
 * Returns what the host needs to make the call without its ticket. Empty for a client's tool, and if only the caller may have a
 * part of the request: a masked value, its user's prompts, or a place in a tool's run.
 */
function openPart(
  { host, parent, request, tool, given: { prompts, parentSessionIds } }: Call,
  { ticket, shown }: { readonly ticket: string; readonly shown: JsonObject },
): Pick<ApprovalRecord, "open"> {
  const isOwn = prompts !== undefined || parentSessionIds !== undefined || parent !== null;
  if (isOwn || tool!.info.execution === "client") return {};
  const own = JSON.parse(JSON.stringify(ownArguments(request))) as JsonObject;
  const text = canonicalJson(own);
  if (canonicalJson(host.redact(own)) !== text) return {};
  const isShown = text === canonicalJson(shown);
  return { open: { holder: publicKeyOf(ticket), ...(!isShown && { arguments: own }) } };
}

/** Returns the arguments as an object. Text of a model was valid JSON when the question was made, so it is parsed here. */
export function ownArguments({ arguments: given }: CallRequest): JsonObject {
  const own: unknown = typeof given === "string" ? JSON.parse(given.trim() || "{}") : given;
  return (own ?? {}) as JsonObject;
}

/** Encrypts a value for the caller that has the ticket; null where this host knows neither the ticket nor its public key. */
export function sealForCaller(value: unknown, { ticket, record: { open } }: StoredCall): string | null {
  if (ticket !== null) return encryptWithTicket(value, ticket);
  return open == null ? null : encryptForHolder(value, open.holder);
}

/** Ends a call here because another host runs it. Its caller reads the outcome with the ticket; nothing is reported here. */
export function leaveToOther(call: Call, stored: StoredCall): "next" {
  stored.lost = true;
  return suspend(call, stored);
}

/** The stored request from which a resumed call is made, with the parts of its context that policies need. */
export type SealedRequest = CallRequest & Pick<CallContext, "prompts" | "parentSessionIds">;

/** Returns the outermost call. A nested call's question is stored under the outermost call's id, where its caller looks for it. */
function rootOf(call: Call): Call {
  return call.parent === null ? call : rootOf(call.parent);
}

/** Ends the call as pending. The session resumes it with its ticket. */
export function suspend(call: Call, { record, store, ticket }: StoredCall): "next" {
  const waitsFor = record.state === "handed" ? "client" : "approval";
  call.ticket = ticket;
  call.host.stores.sweepAt(store, record.expiresAt);
  const details = waitsFor === "client" ? { waitsFor, arguments: call.arguments } : { waitsFor };
  return endCall(call, "pending", "PENDING", { tool: call.tool!.name, waitsFor }, details);
}

/** Records that the caller of a pending call has its ticket now. */
export function deliverTicket({ host, stored, runId }: Call): void {
  const delivered = stored!.deliver().catch((err: unknown) => {
    host.logger.error({ err, run_id: runId }, "it was not stored that the caller has its ticket");
  });
  void host.stores.track(delivered);
}

export const defaultOptions: readonly string[] = ["Allow", "Deny"];

/** The decider of a question whose time has passed, and whose default is to approve. */
export const defaultDecider = "the declared default";

/** The answer that counts when no approver answers in time. */
export function defaultAnswer({ approval }: Call): "approve" | "deny" {
  return approval?.gateAsk?.approvalDefault === "allow" ? "approve" : "deny";
}

/** Returns the facts of a call to which a person's approval is bound. If any of them changes, a new question is asked. */
export function grantedCallOf({ given: { sessionId, userId }, tool, arguments: given }: Call): GrantedCall {
  return { tool: tool!.name, definition: tool!.digest(), arguments: given!, sessionId, userId };
}

export function promptOf({ approval, tool }: Call): string {
  const reason = approval?.reasons[0]?.reason ?? "";
  return approval?.gateAsk?.approvalPrompt ?? `Run "${tool!.name}"? ${reason}`.trimEnd();
}

/** Makes a resumed call that could not run wait again under its ticket. Its approval was not used, so it stays valid. */
export function requeue(call: Call, stored: StoredCall): void {
  const { ending } = call;
  if (stored.record.state !== "claimed" || ending.result?.code !== "UNAVAILABLE") return;
  const { tool, fetchedAt, error } = ending.result;
  const waitsFor = "run";
  ending.status = "pending";
  call.ticket = stored.ticket;
  ending.result = {
    tool,
    fetchedAt,
    error: errorMessage("PENDING", { tool, waitsFor }),
    code: "PENDING",
    details: { waitsFor },
    warnings: [`${error}; nothing ran, so resume it again later`],
  };
}

/** Releases the record of a call that did not end, so that any host can resume it. When that fails, its lease expires. */
export async function releaseRecord(call: Call): Promise<void> {
  const { logger, stores } = call.host;
  const stored = call.stored!;
  stored.dropLease();
  try {
    await stored.change((record) =>
      (record.state === "claimed" || record.state === "started") && stored.owns(record)
        ? { state: stateBefore(record), leaseUntil: null }
        : null,
    );
    stores.sweepAt(stored.store, stored.record.expiresAt);
  } catch (err) {
    logger.error(
      { err, run_id: call.runId },
      "the record of a call was not released; its lease expires later",
    );
  }
}

/** The state that a call had before it was claimed. */
function stateBefore({ decision, client }: ApprovalRecord): ApprovalState {
  if (decision !== null) return "approved";
  return client ? "handed" : "suspended";
}

import type { CallRequest } from "../contract/context.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { ApprovalRecord, Grant } from "../contract/stores.ts";
import { canonicalJson } from "../json/canonical.ts";
import type { JsonObject } from "../json/json.ts";
import { argumentsDigest, grantForCall } from "../pending/grant.ts";
import type { StoredCall } from "../pending/stored-call.ts";
import { decryptWithTicket } from "../pending/ticket.ts";
import type { Call } from "./call.ts";
import { approvalOf } from "./call-state.ts";
import { defaultDecider, grantedCallOf, ownArguments, type SealedRequest } from "./hold.ts";
import { parseHop } from "./transitions.ts";

/** Adds a question about an approved list as a whole, or about a call that is not the next call of its list. */
export function askAsList(call: Call, reason: string): "next" {
  approvalOf(call).reasons.push({ source: "list", reason });
  return "next";
}

/** Gives a call the grant that it spends; no other function does. A gate's default is not a person's answer, so it is no grant. */
export function spend(call: Call, grant: Grant): void {
  if (grant.by === defaultDecider) approvalOf(call).allowedBy = grant.by;
  else approvalOf(call).grant = grant;
}

/** Returns the grant of a person who approves the call now, for exactly this call. */
export function grantNow(call: Call, by: string): Grant {
  const { host, stored, runId } = call;
  const id = stored?.record.id ?? runId;
  return grantForCall(grantedCallOf(call), { id, by, at: host.clock.now(), expiresAt: null });
}

/** Returns who approved the call and by which grant, or which rule or default allowed it without a person. */
export function yesOf({ approval }: Call): JsonObject {
  if (approval === null) return {};
  const { grant, allowedBy } = approval;
  if (grant !== null) return { approvedBy: grant.by, grant: { scope: grant.scope, at: grant.at } };
  return allowedBy === null ? {} : { allowedBy };
}

/** Returns the stored request of a call, with the arguments that its approver gave it. Throws `TICKET_INVALID`. */
export function openRequest({ record, ticket }: StoredCall): SealedRequest {
  const { open, tool: name, shown } = record;
  if (ticket === null && open != null)
    return editedRequest({ name, arguments: open.arguments ?? shown }, record);
  const request = ticket === null ? null : decryptWithTicket(record.sealed, ticket);
  if (request === null) throw new ToolmountError("TICKET_INVALID", {});
  return editedRequest(request.value as SealedRequest, record);
}

/** Sends a call that waited in this host back to the hop `parse`, with the arguments that its approver gave it. */
export function beginAgain(call: Call, record: ApprovalRecord): "next" {
  call.request = editedRequest(call.request, record);
  call.approval = null;
  call.hop = parseHop;
  return "next";
}

/**
 * Returns the digest of the arguments that the approver gave, as the tool parsed them; undefined if the approver changed none.
 * If a gate changes them afterwards, the call no longer matches this digest, because no person approved those arguments.
 */
export function editedDigest({ unmodified, tool, arguments: given }: Call, { edited }: ApprovalRecord) {
  return edited === undefined ? undefined : argumentsDigest(tool!.name, unmodified ?? given);
}

/**
 * Returns the request with the arguments that the call's approver gave; the request itself where the approver changed none.
 *
 * The approver saw the arguments with secrets masked. A member that is equal to the shown one keeps the call's own value.
 */
function editedRequest<Request extends CallRequest>(
  request: Request,
  { edited, shown }: ApprovalRecord,
): Request {
  if (edited === undefined) return request;
  const own = ownArguments(request);
  const members = Object.entries(edited).map(([name, value]) => {
    const isSame = name in own && name in shown && canonicalJson(shown[name]) === canonicalJson(value);
    return [name, isSame ? own[name] : value];
  });
  return { ...request, arguments: Object.fromEntries(members) as JsonObject };
}

/** Returns the model's warning that a person changed arguments of its call: the changed ones with their new values. */
export function editedWarning({ decision, shown }: ApprovalRecord): string {
  const given = decision?.arguments ?? {};
  const names = [...new Set([...Object.keys(shown), ...Object.keys(given)])];
  const changed = names.filter(
    (name) => canonicalJson(shown[name] ?? null) !== canonicalJson(given[name] ?? null),
  );
  const facts = changed.map(
    (name) => `${name} is ${name in given ? JSON.stringify(given[name]) : "left out"}`,
  );
  return `the approver changed the arguments before the call ran: ${facts.join(", ")}`;
}

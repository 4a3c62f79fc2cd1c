import type { CallRequest } from "../contract/context.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { ApprovalRecord } from "../contract/stores.ts";
import { canonicalJson } from "../json/canonical.ts";
import type { JsonObject } from "../json/json.ts";
import type { StoredCall } from "../pending/stored-call.ts";
import { decryptWithTicket } from "../pending/ticket.ts";
import type { Call } from "./call.ts";
import type { SealedRequest } from "./hold.ts";
import { parseHop } from "./transitions.ts";

/** The stored request of a call, with the arguments that its approver gave it. Throws `TICKET_INVALID`. */
export function openRequest({ record, ticket }: StoredCall): SealedRequest {
  const request = decryptWithTicket(record.sealed, ticket!);
  if (request === null) throw new ToolmountError("TICKET_INVALID", {});
  return editedRequest(request.value as SealedRequest, record);
}

/** A call that waits here is parsed and decided again, with the arguments that its approver gave it. */
export function beginAgain(call: Call, record: ApprovalRecord): "next" {
  call.request = editedRequest(call.request, record);
  call.approval = null;
  call.hop = parseHop;
  return "next";
}

/** A person approved other arguments for this tool, as it was then. Policies have judged them in the hop before. */
export function isSameTool({ tool }: Call, record: ApprovalRecord): boolean {
  return tool!.name === record.tool && tool!.digest() === record.definition;
}

/**
 * The request of a call with the arguments that its approver gave it; the call's own request where the approver changed none.
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

/** A model may have written them as text, which was parsed when the question was made. */
function ownArguments({ arguments: given }: CallRequest): Readonly<Record<string, unknown>> {
  const own: unknown = typeof given === "string" ? JSON.parse(given) : given;
  return (own ?? {}) as Readonly<Record<string, unknown>>;
}

/** Returns what a model reads of a call that ran with other arguments than its own: which of them a person changed. */
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

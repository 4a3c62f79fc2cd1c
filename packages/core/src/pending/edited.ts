import type { ApprovalRecord } from "../contract/stores.ts";
import type { CallRequest } from "../contract/context.ts";
import { canonicalJson } from "../json/canonical.ts";
import type { JsonObject } from "../json/json.ts";

/**
 * The request of a call with the arguments that its approver gave it; the call's own request where the approver changed none.
 *
 * The approver saw the arguments with secrets masked. A member that is equal to the shown one keeps the call's own value.
 */
export function editedRequest<Request extends CallRequest>(
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

/** What a model reads of a call that ran with other arguments than its own: which of them a person changed. */
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

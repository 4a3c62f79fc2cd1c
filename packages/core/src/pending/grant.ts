import type { ApprovalReason } from "../contract/ports.ts";
import type { ApprovalRecord, Grant } from "../contract/stores.ts";
import { digestOf } from "../json/canonical.ts";
import { matchesArguments } from "../text/match.ts";

/** The facts of a call to which a grant is bound. */
export interface GrantedCall {
  readonly tool: string;
  /** Digest of the tool's definition and code. */
  readonly definition: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
}

export function grantForCall(
  call: GrantedCall,
  { id, by, at, expiresAt }: Pick<Grant, "id" | "by" | "at" | "expiresAt">,
): Grant {
  const { tool, definition, sessionId = null, userId = null } = call;
  const bound = {
    tool,
    definition,
    argumentsDigest: argumentsDigest(tool, call.arguments),
    sessionId,
    userId,
  };
  return { id, by, at, expiresAt, scope: "call", pattern: null, ...bound };
}

/** Returns the grant that the answer to a stored question gives. An approver who edits the arguments approves the edited ones. */
export function grantOfAnswer(record: ApprovalRecord, edited = record.argumentsDigest): Grant {
  const { id, tool, definition, info, expiresAt, decision } = record;
  const { sessionId = null, userId = null } = info;
  const bound = { tool, definition, argumentsDigest: edited, sessionId, userId };
  const { by, at } = decision ?? { by: "", at: 0 };
  return { id, by, at, expiresAt, scope: "call", pattern: null, ...bound };
}

/** Compares a grant with a call; no other code does this. Returns null if it covers the call now, or else what differs. */
export function misfit(grant: Grant, call: GrantedCall, now: number): string | null {
  const { tool, definition, scope, pattern, sessionId, userId } = grant;
  if (isOver(grant, now)) return "it has expired";
  if (tool !== call.tool || definition !== call.definition) return "the tool changed";
  if (userId !== (call.userId ?? null)) return "it is for another user";
  const ownSession = call.sessionId ?? (scope === "call" ? null : undefined);
  if (isOfSession(scope) && sessionId !== ownSession) return "it is for another session";
  const isCovered =
    scope === "rule"
      ? pattern !== null && matchesArguments(pattern, call.arguments, "every")
      : grant.argumentsDigest === argumentsDigest(call.tool, call.arguments);
  return isCovered ? null : "it is for other arguments";
}

function isOfSession(scope: Grant["scope"]): boolean {
  return scope === "call" || scope === "session";
}

/** Whether a grant has expired. */
export function isOver({ expiresAt }: Pick<Grant, "expiresAt">, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Returns a digest that is equal for calls of one tool with the same arguments. */
export function argumentsDigest(tool: string, given: unknown): string {
  return digestOf({ tool, arguments: given });
}

/** Whether one answer can also count for later calls: only if every question comes from the tool or the level. */
export function areStanding(reasons: readonly ApprovalReason[]): boolean {
  return reasons.every(isStanding);
}

export function isStanding({ source }: ApprovalReason): boolean {
  return source === "confirmation" || source === "level";
}

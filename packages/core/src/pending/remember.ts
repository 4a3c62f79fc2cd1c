import { frozenCopy, NotJson } from "../json/freeze.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { ApprovalScope } from "../contract/ports.ts";
import type { ApprovalRecord, ApprovalStore } from "../contract/stores.ts";
import { grantOfAnswer, isStanding } from "./grant.ts";
import { randomName } from "./ticket.ts";

/** Stores an approval for later calls. Throws `OPTION_INVALID` for an invalid or too wide scope, and if a gate or rule asks. */
export async function rememberApproval(
  { record, store }: { readonly record: ApprovalRecord; readonly store: ApprovalStore },
  given: ApprovalScope,
  { by, at }: { readonly by: string; readonly at: number },
): Promise<void> {
  const scope = copyOfGiven("remember", given);
  requireScope(record, scope);
  const once = grantOfAnswer(record);
  await store.remember({
    ...once,
    id: randomName(),
    scope: scope.scope,
    ...(scope.scope === "rule" && { argumentsDigest: null, pattern: scope.arguments }),
    sessionId: scope.scope === "session" ? once.sessionId : null,
    by,
    at,
    expiresAt: scope.forMs === undefined ? null : at + scope.forMs,
    uses: 0,
    usedAt: null,
  });
}

/** Copies what an approver gave. Throws `OPTION_INVALID` if it is not JSON. */
export function copyOfGiven<Value>(option: "remember" | "arguments", value: Value): Value {
  try {
    return frozenCopy(value);
  } catch (error) {
    const problem = error instanceof NotJson ? `it ${error.message}` : "it cannot be read";
    throw new ToolmountError("OPTION_INVALID", { option, problem });
  }
}

function requireScope(record: ApprovalRecord, scope: ApprovalScope): void {
  const asker = record.reasons.find((reason) => !isStanding(reason));
  if (asker !== undefined)
    throw invalid(`a ${asker.source} asks about this call each time, so an approval cannot be remembered`);
  if (scope.scope === "session" && record.info.sessionId === undefined)
    throw invalid("the call has no session for which it could be remembered");
  if (scope.scope === "rule" && !narrows(scope.arguments))
    throw invalid(
      "the pattern must narrow at least one argument; a tool is never approved by its name alone",
    );
  if (!["arguments", "session", "rule"].includes(scope.scope))
    throw invalid("the scope must be arguments, session or rule");
  const { forMs = 1 } = scope;
  if (!Number.isSafeInteger(forMs) || forMs < 1 || forMs > maxForMs)
    throw invalid("forMs must be a whole number of milliseconds from 1 to those of ten years");
}

/** Longest time for which an approval can be remembered, in milliseconds: ten years. */
const maxForMs = 315_360_000_000;

function narrows(pattern: unknown): boolean {
  if (typeof pattern === "string") return /[^*]/.test(pattern);
  if (Array.isArray(pattern)) return pattern.length > 0 && pattern.every(narrows);
  if (typeof pattern !== "object" || pattern === null) return pattern !== undefined;
  return Object.values(pattern).some(narrows);
}

function invalid(problem: string): ToolmountError {
  return new ToolmountError("OPTION_INVALID", { option: "remember", problem });
}

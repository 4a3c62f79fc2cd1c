import type { Case } from "./pending-call.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { ApprovalScope } from "../contract/ports.ts";
import { randomName } from "./ticket.ts";
import type { ApprovalRecord } from "../contract/stores.ts";

/**
 * Remembers an approval for the like of a call. Throws `OPTION_INVALID` for a scope that would cover a tool by its name
 * alone, or a question that a gate or a rule asked, which is asked each time.
 */
export async function keepAlways(open: Case, scope: ApprovalScope, by: string): Promise<void> {
  const { record, store, host } = open;
  requireScope(record, scope);
  await store.remember({
    id: randomName(),
    tool: record.tool,
    definition: record.definition,
    scope: scope.scope,
    argumentsDigest: scope.scope === "rule" ? null : record.argumentsDigest,
    pattern: scope.scope === "rule" ? scope.arguments : null,
    sessionId: scope.scope === "session" ? record.info.sessionId! : null,
    userId: record.info.userId ?? null,
    by,
    at: host.clock.now(),
  });
}

function requireScope(record: ApprovalRecord, scope: ApprovalScope): void {
  const asker = record.reasons.find(({ source }) => source === "gate" || source === "rule");
  if (asker !== undefined)
    throw invalid(`a ${asker.source} asks about this each time, whatever is remembered`);
  if (scope.scope === "session" && record.info.sessionId === undefined)
    throw invalid("the call has no session to remember it for");
  if (scope.scope === "rule" && !narrows(scope.arguments))
    throw invalid(
      "a pattern has to narrow at least one argument; a tool is never approved by its name alone",
    );
  if (!["arguments", "session", "rule"].includes(scope.scope))
    throw invalid("the scope is arguments, session or rule");
}

function narrows(pattern: unknown): boolean {
  if (typeof pattern === "string") return /[^*]/.test(pattern);
  if (Array.isArray(pattern)) return pattern.length > 0 && pattern.every(narrows);
  if (typeof pattern !== "object" || pattern === null) return pattern !== undefined;
  return Object.values(pattern).some(narrows);
}

function invalid(problem: string): ToolmountError {
  return new ToolmountError("OPTION_INVALID", { option: "remember", problem });
}

import { isToolmountError, type ErrorCode } from "@toolmount/core";

/** Returns the text and code with which a model reads a delegation that failed. */
export function describeFailure(
  error: unknown,
  sessionId: string | undefined,
): { text: string; code: string } {
  if (!isToolmountError(error)) {
    const type = error instanceof Error ? error.name : "unknown";
    return { text: `Agent delegation failed (${type})`, code: "DELEGATION_FAILED" };
  }
  if (error.code === "SESSION_NOT_FOUND")
    return {
      text: `Session '${sessionId ?? ""}' not found. May have expired or never existed.`,
      code: "SESSION_UNKNOWN",
    };
  const { budget, limit } = error.details;
  if (budget === "levels of self-delegation")
    return {
      text: `Self-delegation depth limit (${String(limit)}) exceeded. Current depth: ${String(limit)}. Break the recursion by delegating to a named agent or completing the task.`,
      code: "SELF_DELEGATION_DEPTH_EXCEEDED",
    };
  return { text: `Delegation failed: ${error.message}`, code: ownCodes[error.code] ?? "DELEGATION_FAILED" };
}

/** The tool's codes for errors of the host, because a tool must not use the host's own codes. */
const ownCodes: Readonly<Partial<Record<ErrorCode, string>>> = {
  AGENT_BUDGET_EXHAUSTED: "DELEGATION_EXHAUSTED",
  AGENT_NOT_FOUND: "AGENT_UNKNOWN",
};

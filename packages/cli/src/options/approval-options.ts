import { ToolmountError, type ApprovalScope, type JsonObject } from "@toolmount/core";
import { refusalOf } from "@toolmount/core/json";

/** Reads the value of `--arguments`. Throws `USAGE_INVALID` if it is not a JSON object. */
export function readEdited(text: string): JsonObject {
  const refused = refusalOf(text);
  if (refused !== null) throw new ToolmountError("USAGE_INVALID", { problem: `--arguments has ${refused}` });
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Text that is not JSON gets the error below, which says what is expected.
  }
  const problem = `--arguments is a JSON object of all arguments, such as '{"amount":99}'`;
  throw new ToolmountError("USAGE_INVALID", { problem });
}

/**
 * Reads `--remember` and `--for`. Undefined without them. Throws `USAGE_INVALID` for `--for` alone, and for an unknown scope.
 */
export function readRemember({
  remember,
  for: forMs,
}: {
  readonly remember?: string;
  readonly for?: number;
}): ApprovalScope | undefined {
  if (remember !== undefined) return { ...readScope(remember), forMs };
  if (forMs === undefined) return undefined;
  throw new ToolmountError("USAGE_INVALID", {
    problem: "--for says how long an approval is remembered: write --remember, too",
  });
}

function readScope(text: string): ApprovalScope {
  if (text === "arguments" || text === "session") return { scope: text };
  try {
    return { scope: "rule", arguments: JSON.parse(text) as never };
  } catch (cause) {
    const problem = "--remember is arguments, session, or a JSON object of patterns";
    throw new ToolmountError("USAGE_INVALID", { problem }, { cause });
  }
}

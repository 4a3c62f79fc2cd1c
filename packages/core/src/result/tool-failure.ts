import { errorMessage, ToolError } from "../contract/errors.ts";
import { failure, type PartialResult } from "../contract/result.ts";

/** Returns the failure for a thrown value. The model reads only the messages of `ToolError`s: others may contain secrets. */
export function toolFailure(tool: string, thrown: unknown): PartialResult<never> {
  if (isToolError(thrown))
    return failure(thrown.message, { code: thrown.code ?? "TOOL_FAILED", details: thrown.details as never });
  return failure(errorMessage("TOOL_FAILED", { tool }), {
    code: "TOOL_FAILED",
    details: { type: typeName(thrown) },
  });
}

/** Whether a value is a ToolError. It compares names, so that an error from another copy of core is recognized. */
function isToolError(thrown: unknown): thrown is ToolError {
  return thrown instanceof ToolError || (thrown instanceof Error && thrown.name === "ToolError");
}

export function typeName(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.name.slice(0, 100);
  return thrown === null ? "null" : typeof thrown;
}

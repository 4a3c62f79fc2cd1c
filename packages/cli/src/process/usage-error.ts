import { ToolmountError } from "@toolmount/core/errors";

/** Returns an error that says why a command line cannot be run. */
export function usageError(problem: string): ToolmountError {
  return new ToolmountError("USAGE_INVALID", { problem });
}

import { ToolmountError } from "@toolmount/core/errors";

/** Returns the error of a command line that cannot be run as it is written. */
export function usageError(problem: string): ToolmountError {
  return new ToolmountError("USAGE_INVALID", { problem });
}

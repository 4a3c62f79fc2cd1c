import { ToolmountError } from "@toolmount/core/errors";

/**
 * Returns the id that a person means by its beginning. An id that matches none is returned as it is, so that the host reports it.
 * Throws `USAGE_INVALID` when several ids begin so.
 */
export function findByPrefix(written: string, ids: readonly string[]): string {
  const matches = ids.filter((id) => id.startsWith(written));
  if (matches.length === 0 || matches.includes(written)) return written;
  if (matches.length === 1) return matches[0]!;
  const problem = `${matches.length} ids begin with ${written}; write more of it`;
  throw new ToolmountError("USAGE_INVALID", { problem });
}

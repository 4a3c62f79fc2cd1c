import { ToolmountError } from "@toolmount/core/errors";

/**
 * Returns the id that begins with `written`. If none does, `written` is returned unchanged, so that the host reports it as
 * unknown. Throws `USAGE_INVALID` if several ids begin with it.
 */
export function findByPrefix(written: string, ids: readonly string[]): string {
  const matches = ids.filter((id) => id.startsWith(written));
  if (matches.length === 0 || matches.includes(written)) return written;
  if (matches.length === 1) return matches[0]!;
  const problem = `${matches.length} ids begin with ${written}; write more of it`;
  throw new ToolmountError("USAGE_INVALID", { problem });
}

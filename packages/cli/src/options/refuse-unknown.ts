import { printable } from "../screen/printable.ts";

/** How many known names an error lists. */
const maxShown = 10;

/**
 * Throws `USAGE_INVALID` if `name` is given and not known. The error suggests the nearest known name or, if none is near, lists
 * some.
 */
export async function refuseUnknown(option: string, name: string | undefined, known: readonly string[]) {
  if (name === undefined || known.includes(name)) return;
  const [{ nearestNames }, { usageError }] = await Promise.all([
    import("@toolmount/core/text"),
    import("../process/usage-error.ts"),
  ]);
  const [near] = nearestNames(name, [...new Set(known)]);
  const there = [...new Set(known)].slice(0, maxShown).map(printable).join(", ");
  const hint = near === undefined ? `; there is ${there || "none"}` : `; did you mean "${printable(near)}"?`;
  throw usageError(`--${option}: there is no ${option} "${printable(name)}"${hint}`);
}

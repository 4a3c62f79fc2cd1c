import { printable } from "../screen/printable.ts";

/** Most names that an error lists. */
const maxShown = 10;

/** Throws `USAGE_INVALID` for a filter with an unknown name, with the nearest known name, or else some known names. */
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

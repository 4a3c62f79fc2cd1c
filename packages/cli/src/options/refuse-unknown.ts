import { printable } from "../screen/printable.ts";

/** Most names that an error lists. */
const maxShown = 10;

/** Refuses a filter by a name that does not exist, and suggests the nearest one, or lists what there is. Throws `USAGE_INVALID`. */
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

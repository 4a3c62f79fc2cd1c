import { printable } from "../screen/printable.ts";

/** Refuses a filter by a name that does not exist, and suggests the nearest one. Throws `USAGE_INVALID`. */
export async function refuseUnknown(option: string, name: string | undefined, known: readonly string[]) {
  if (name === undefined || known.includes(name)) return;
  const [{ nearestNames }, { usageError }] = await Promise.all([
    import("@toolmount/core/text"),
    import("../process/usage-error.ts"),
  ]);
  const [near] = nearestNames(name, [...new Set(known)]);
  const hint = near === undefined ? "" : `; did you mean "${printable(near)}"?`;
  throw usageError(`--${option}: there is no ${option} "${printable(name)}"${hint}`);
}

import { printable } from "../screen/printable.ts";

/** Refuses the name of a filter that names nothing, with the nearest one that exists. Throws `USAGE_INVALID`. */
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

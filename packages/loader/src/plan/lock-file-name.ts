import { basename, dirname, extname, join } from "node:path";

/** Returns the path of a plan's lock file, in the same folder: for `plan.yaml` with the overlay `ci` it is `plan.ci.lock.json`. */
export function lockFileOf(plan: string, overlays: readonly string[] = []): string {
  const name = basename(plan, extname(plan));
  return join(dirname(plan), `${[name, ...overlays].join(".")}.lock.json`);
}

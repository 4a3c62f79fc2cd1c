import { basename, dirname, extname, join } from "node:path";

/** Returns the lock file of a plan: for `plan.yaml` with the overlay `ci` it is `plan.ci.lock.json` beside it. */
export function lockFileOf(plan: string, overlays: readonly string[] = []): string {
  const name = basename(plan, extname(plan));
  return join(dirname(plan), `${[name, ...overlays].join(".")}.lock.json`);
}

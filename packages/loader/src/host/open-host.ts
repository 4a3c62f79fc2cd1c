import { fillOptions } from "./defaults.ts";
import type { PlanInput } from "../mount/load-plan.ts";
import type { OpenedHost } from "./opened-host.ts";
import type { OpenHostOptions } from "./options.ts";

/**
 * Opens a host from a mount plan: a path to a file or folder, a plan as a value, or nothing, when it is to be found
 * from `options.cwd`.
 *
 * Rejects with `PLAN_NOT_FOUND`, or with `PLAN_INVALID` and every problem; nothing is left mounted then.
 */
export async function openHost(input?: PlanInput, options: OpenHostOptions = {}): Promise<OpenedHost> {
  const { openFilled } = await import("./opened-host.ts");
  return openFilled(input, fillOptions(options));
}

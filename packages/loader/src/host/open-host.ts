import { ToolmountError } from "@toolmount/core/errors";
import { fillOptions } from "./defaults.ts";
import type { PlanInput } from "../mount/load-plan.ts";
import type { OpenedHost } from "./opened-host.ts";
import type { OpenHostOptions } from "./options.ts";

/**
 * Opens a host from a mount plan: the path of a file or folder, or a plan as a value. Without an input, the plan is searched from
 * `options.cwd` upward.
 *
 * Rejects with `PLAN_NOT_FOUND`, or with `PLAN_INVALID` and all problems. No module stays mounted then.
 */
export async function openHost(input?: PlanInput, options: OpenHostOptions = {}): Promise<OpenedHost> {
  requireRuntime();
  const { openWithDefaults } = await import("./opened-host.ts");
  return openWithDefaults(input, fillOptions(options));
}

/** Throws a clear error in older versions of Node, because their own errors would not say that Node is too old. */
function requireRuntime(): void {
  if ((Map.groupBy as typeof Map.groupBy | undefined) !== undefined) return;
  const problem = `toolmount needs Node 22.19 or later; this is Node ${process.versions.node}`;
  throw new ToolmountError("USAGE_INVALID", { problem });
}

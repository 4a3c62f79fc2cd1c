import { ToolmountError } from "@toolmount/core";
import type { Environment } from "../plan/interpolate.ts";

/** The variable with the plans of the hosts whose programs started this process, as a JSON array of paths. */
const variable = "TOOLMOUNT_PLANS";

/**
 * Returns the variables that name this plan to the programs that its hosts start. Throws `PLAN_SERVES_ITSELF` when one of
 * those hosts has this plan already: the plan would start itself again and again.
 */
export function extendChain(file: string | undefined, env: Environment): Readonly<Record<string, string>> {
  const plans = readChain(env[variable]);
  if (file !== undefined && plans.includes(file))
    throw new ToolmountError("PLAN_SERVES_ITSELF", { path: file });
  const all = file === undefined ? plans : [...plans, file];
  return all.length === 0 ? {} : { [variable]: JSON.stringify(all) };
}

/** A text that this host did not write names no plan. */
function readChain(text: string | undefined): readonly unknown[] {
  if (text === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

// What commands do with plans. Each imports its work when it is used: a host that only calls tools pays for none of it.
import type { EffectivePlan } from "./effective.ts";
import type { ExplainOptions, Explanation } from "./explain.ts";
import type { InspectedPlan } from "./inspect.ts";
import type { InstallOptions, InstallReport } from "./install.ts";
import type { PlanInput } from "./load-plan.ts";
import type { OpenHostOptions } from "./options.ts";
import type { PlanSchemaParts } from "./plan-json-schema.ts";

/**
 * Looks at a plan: reads it, finds its modules, checks configs and names against manifests. Of modules only those are
 * imported that sections of the plan stand for. Throws `PLAN_NOT_FOUND`, and `PLAN_INVALID` for a text that is no plan.
 */
export async function inspectPlan(input?: PlanInput, options?: OpenHostOptions): Promise<InspectedPlan> {
  return (await import("./inspect.ts")).inspectPlan(input, options);
}

/**
 * Explains a tool of a plan by its offered or its declared name: which file and line mounted, left out, renamed,
 * described and limited it, and what the plan's policies would say of a call. No tool's code is run.
 */
export async function explainTool(
  name: string,
  input?: PlanInput,
  options?: ExplainOptions,
): Promise<Explanation> {
  return (await import("./explain.ts")).explainTool(name, input, options);
}

/** Puts the layers of a plan together, and tells where each value comes from. No module is looked for. */
export async function readEffectivePlan(
  input?: PlanInput,
  options?: OpenHostOptions,
): Promise<EffectivePlan> {
  return (await import("./effective.ts")).readEffectivePlan(input, options);
}

/**
 * Fetches what the plan's `npm:name@range` and `git+…` sources name, with npm and git, into a folder beside the plan. No
 * install script runs, and nothing of the packages is imported. What is there is not fetched again.
 *
 * Throws `PLAN_NOT_FOUND`, `PLAN_INVALID`, and `INSTALL_FAILED` with what npm or git said.
 */
export async function installSources(input?: PlanInput, options?: InstallOptions): Promise<InstallReport> {
  return (await import("./install.ts")).installSources(input, options);
}

/** The schemas by which the loader checks plans, as JSON Schema (draft 7). */
export async function printPlanSchemas(): Promise<PlanSchemaParts> {
  return (await import("./plan-json-schema.ts")).printPlanSchemas();
}

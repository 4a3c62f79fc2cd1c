// What commands do with plans. Each imports its work when it is used: a host that only calls tools pays for none of it.
import type { EditOptions, EditReport, NewEntry } from "./edit-plan.ts";
import type { EffectivePlan } from "./effective-plan.ts";
import type { PackageDoubt } from "./examine-packages.ts";
import type { ExplainOptions, Explanation } from "./explain.ts";
import type { InspectedEntry, InspectedPlan } from "./inspect.ts";
import type { InstallOptions, InstallReport } from "./install-sources.ts";
import type { PlanInput } from "../mount/load-plan.ts";
import type { LockOptions, LockReport } from "./lock-plan.ts";
import type { ServerList } from "./import-mcp-servers.ts";
import type { OpenHostOptions } from "../host/options.ts";
import type { PlanSchemaParts } from "./json-schema.ts";

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
  return (await import("./effective-plan.ts")).readEffectivePlan(input, options);
}

/**
 * Fetches what the plan's `npm:name@range` and `git+…` sources name, with npm and git, into a folder beside the plan. No
 * install script runs, and nothing of the packages is imported. What is there is not fetched again.
 *
 * Throws `PLAN_NOT_FOUND`, `PLAN_INVALID`, and `INSTALL_FAILED` with what npm or git said.
 */
export async function installSources(input?: PlanInput, options?: InstallOptions): Promise<InstallReport> {
  return (await import("./install-sources.ts")).installSources(input, options);
}

/** The schemas by which the loader checks plans, as JSON Schema (draft 7). */
export async function printPlanSchemas(): Promise<PlanSchemaParts> {
  return (await import("./json-schema.ts")).printPlanSchemas();
}

/**
 * Adds entries at the end of a plan's list, as YAML in the style of the file; comments and everything else stay. One
 * whose id (default its module) is there already is left as it is.
 *
 * Throws `PLAN_NOT_FOUND`, and `PLAN_INVALID` when the file is no plan, before or after.
 */
export async function addEntries(
  plan: string | undefined,
  entries: readonly NewEntry[],
  options: EditOptions,
): Promise<EditReport> {
  return (await import("./edit-plan.ts")).addEntries(plan, entries, options);
}

/** Takes an entry out of a plan by its id, or its module. Throws `PLAN_VALUE_INVALID` when there is none. */
export async function removeEntry(
  plan: string | undefined,
  id: string,
  options: EditOptions,
): Promise<EditReport> {
  return (await import("./edit-plan.ts")).removeEntry(plan, id, options);
}

/**
 * Reads the list of MCP servers of Claude Desktop, Cursor or VS Code as entries of a plan. A value under the name of a
 * secret becomes a variable. Throws `USAGE_INVALID` when the text is no such list.
 */
export async function readServerList(text: string): Promise<ServerList> {
  return (await import("./import-mcp-servers.ts")).readServerList(text);
}

/** Looks at the packages of a plan's entries: engines that this Node is not, peers that are not there, entries of no use. */
export async function examineEntries(
  entries: readonly InspectedEntry[],
  nodeVersion: string,
): Promise<readonly PackageDoubt[]> {
  return (await import("./examine-packages.ts")).examineEntries(entries, nodeVersion);
}

/**
 * Mounts a plan and compares its tools with its lock; with `accept`, or where there is no lock yet, writes them down. While a
 * plan has a lock, a call of a tool that is not in it, or not as it is in it, is `LOCK_DRIFT`, and no model is offered it.
 */
export async function lockPlan(input?: string, options?: LockOptions): Promise<LockReport> {
  return (await import("./lock-plan.ts")).lockPlan(input, options);
}

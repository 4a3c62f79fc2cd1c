import { silentLogger, type ToolInfo } from "@toolmount/core";
import { isToolmountError } from "@toolmount/core/errors";
import type { LockedTool, ManifestTool } from "@toolmount/loader/commands";
import { problemsOf } from "../render/failure.ts";
import type { Shell } from "../process/shell.ts";
import { verdictOf, type CallVerdict } from "../host/call-verdicts.ts";
import { defaultState } from "../host/default-state.ts";
import { loaderOptions } from "../host/loader-options.ts";

/** What the files of a plan say about its tools and about the calls that wait. */
export interface PlanOutlook {
  readonly file: string;
  /** How many problems keep the plan from being mounted. */
  readonly problems: number;
  readonly tools: readonly PlannedTool[];
  /** Modules and servers with unknown tools, because neither a manifest nor the lock file has them. */
  readonly unknown: readonly string[];
  /** The number of calls that wait for an answer; null if it cannot be read from a file, for example with a Postgres store. */
  readonly waiting: number | null;
}

export type PlannedTool = Pick<ManifestTool, "name" | "description" | "category" | "inputSchema"> & {
  readonly calls: CallVerdict | undefined;
};

/**
 * Reads the plan that applies here, with its manifests, its lock file and the file of its store. Runs no code of tools, starts no
 * server and writes nothing. Undefined if there is no plan.
 */
export async function readOutlook(shell: Shell): Promise<PlanOutlook | undefined> {
  const { findPlan } = await import("@toolmount/loader/commands");
  let file: string;
  try {
    file = await findPlan(shell.settings.plan, shell.cwd);
  } catch (error) {
    if (isToolmountError(error) && error.code === "PLAN_NOT_FOUND") return undefined;
    throw error;
  }
  try {
    return await outlookOf(file, shell);
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === undefined) throw error;
    return { file, problems: problems.length, tools: [], unknown: [], waiting: 0 };
  }
}

async function outlookOf(file: string, shell: Shell): Promise<PlanOutlook> {
  const { askAboutTools, inspectPlan, lockFileOf, readLock } = await import("@toolmount/loader/commands");
  const options = { ...loaderOptions({}, shell), logger: silentLogger };
  const { plan, problems, unknown } = await inspectPlan(file, options);
  const { written, folder } = plan;
  const waiting = await waitingIn(written["state"] ?? defaultState, folder);
  if (problems.length > 0) return { file, problems: problems.length, tools: [], unknown: [], waiting };
  const lock = await readLock(lockFileOf(file));
  const locked = Object.entries(lock?.tools ?? {}).flatMap(toInfo);
  const judged = await askAboutTools(file, { ...options, tools: locked });
  const tools = judged.map(({ tool, answers }) => ({ ...tool, calls: verdictOf(tool, answers) }));
  const known = new Set(judged.map(({ tool }) => tool.owner));
  return { file, problems: 0, tools, unknown: unknown.filter((id) => !known.has(id)), waiting };
}

/** Returns a tool with the definition in the lock file, which a person accepted. Empty if the lock has only a digest of it. */
function toInfo([name, { module, definition }]: readonly [string, LockedTool]): ToolInfo[] {
  return definition === undefined ? [] : [{ ...definition, name, owner: module } as unknown as ToolInfo];
}

async function waitingIn(state: unknown, folder: string): Promise<number | null> {
  if (typeof state !== "string" || state.includes("${")) return null;
  const { countWaiting } = await import("@toolmount/store");
  return countWaiting(state, folder);
}

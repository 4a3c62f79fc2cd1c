import type { Json, PlanPosition } from "@toolmount/core";
import type { LoadedPlan } from "../mount/load-plan.ts";
import type { ManifestTool } from "../modules/manifest.ts";
import { choosesTool } from "../mount/offered-name.ts";
import { overridesOf, type PlanEntry } from "../plan/check-entries.ts";
import { findHistory, findPosition, showPath, type Path } from "../diagnostics/positions.ts";

/** A setting of the plan that applies to a tool, such as its description. */
export interface ToolOrigin {
  readonly what:
    | "mounted"
    | "included"
    | "left out"
    | "renamed"
    | "described"
    | "limited"
    | "argument"
    | "runs"
    | "replaces"
    | "in mode";
  /** The setting as the plan writes it. */
  readonly value: Json;
  /** The path of the setting in the plan's value. */
  readonly path: string;
  readonly position: PlanPosition | undefined;
  /** The places at which lower parts of the plan had another value, the nearest part first. */
  readonly before: readonly PlanPosition[];
}

type Add = (what: ToolOrigin["what"], value: Json | undefined, path: Path) => void;

export function findOrigins(
  entry: PlanEntry,
  tool: Pick<ManifestTool, "name" | "category" | "tags">,
  { plan, map }: Pick<LoadedPlan, "plan" | "map">,
): ToolOrigin[] {
  const origins: ToolOrigin[] = [];
  const add: Add = (what, value, path) => {
    if (value === undefined) return;
    const before = findHistory(map, path).slice(1);
    origins.push({ what, value, path: showPath(path), position: findPosition(map, path), before });
  };
  const own = [...entry.path, "tools", tool.name];
  const { as, description, limits, arguments: shapes } = new Map(overridesOf(entry)).get(tool.name) ?? {};
  add("mounted", entry.module, [...entry.path, "module"]);
  addChoice(entry, tool, add);
  if (as === undefined)
    add("renamed", entry.prefix && `${entry.prefix}${tool.name}`, [...entry.path, "prefix"]);
  else add("renamed", as, [...own, "as"]);
  add("described", description, [...own, "description"]);
  addLimits({ own, limits }, entry, plan.limits, add);
  for (const [name, shape] of Object.entries(shapes ?? {}))
    add("argument", { [name]: shape } as Json, [...own, "arguments", name]);
  add("runs", entry.run?.in, [...entry.path, "run", "in"]);
  if (entry.override) add("replaces", true, [...entry.path, "override"]);
  return origins;
}

function addChoice({ tools = {}, path }: PlanEntry, tool: Parameters<typeof choosesTool>[1], add: Add): void {
  const first = (list: readonly unknown[] | undefined) =>
    (list ?? []).findIndex((item) => choosesTool(item, tool));
  const [out, within] = [first(tools.exclude), first(tools.include)];
  if (out >= 0) return add("left out", tools.exclude?.[out], [...path, "tools", "exclude", out]);
  if (within >= 0) return add("included", tools.include?.[within], [...path, "tools", "include", within]);
  if (tools.include !== undefined) add("left out", tools.include, [...path, "tools", "include"]);
}

const limitKeys = { timeout: "timeoutMs", outputBytes: "outputBytes", concurrent: "concurrent" } as const;

/** Adds the setting that counts for each limit: that of the tool, else that of the entry, else that of the plan. */
function addLimits(
  tool: { readonly own: Path; readonly limits: PlanEntry["limits"] },
  entry: PlanEntry,
  planLimits: LoadedPlan["plan"]["limits"],
  add: Add,
): void {
  for (const key of Object.keys(limitKeys) as (keyof typeof limitKeys)[]) {
    if (tool.limits?.[key] !== undefined)
      add("limited", { [key]: tool.limits[key] }, [...tool.own, "limits", key]);
    else if (entry.limits?.[key] !== undefined)
      add("limited", { [key]: entry.limits[key] }, [...entry.path, "limits", key]);
    else if (planLimits[limitKeys[key]] !== undefined)
      add("limited", { [key]: planLimits[limitKeys[key]]! }, ["policy", "limits", key]);
  }
}

import type { Json, PlanPosition } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";
import type { LoadedPlan } from "../mount/load-plan.ts";
import type { ManifestTool } from "../modules/manifest.ts";
import { choosesTool } from "../mount/offered-name.ts";
import { overridesOf, type PlanEntry } from "../plan/check-plan.ts";
import { findHistory, findPosition, showPath, type Path } from "../diagnostics/positions.ts";

/** One thing that the plan says of a tool. */
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
  /** As the plan writes it. */
  readonly value: Json;
  /** Where in the plan's value. */
  readonly path: string;
  readonly position: PlanPosition | undefined;
  /** Where lower layers said something else, the nearest first. */
  readonly before: readonly PlanPosition[];
}

type Say = (what: ToolOrigin["what"], value: Json | undefined, path: Path) => void;

/** Everything that the plan says of one tool of an entry, and where. */
export function findOrigins(
  entry: PlanEntry,
  tool: Pick<ManifestTool, "name" | "category" | "tags">,
  { plan, map }: Pick<LoadedPlan, "plan" | "map">,
): ToolOrigin[] {
  const origins: ToolOrigin[] = [];
  const say: Say = (what, value, path) => {
    if (value === undefined) return;
    const before = findHistory(map, path).slice(1);
    origins.push({ what, value, path: showPath(path), position: findPosition(map, path), before });
  };
  const own = [...entry.path, "tools", tool.name];
  const { as, description, limits, arguments: shapes } = new Map(overridesOf(entry)).get(tool.name) ?? {};
  say("mounted", entry.module, [...entry.path, "module"]);
  sayChoice(entry, tool, say);
  if (as === undefined)
    say("renamed", entry.prefix && `${entry.prefix}${tool.name}`, [...entry.path, "prefix"]);
  else say("renamed", as, [...own, "as"]);
  say("described", description, [...own, "description"]);
  sayLimits({ own, limits }, entry, plan.limits, say);
  for (const [name, shape] of Object.entries(shapes ?? {}))
    say("argument", { [name]: shape } as Json, [...own, "arguments", name]);
  say("runs", entry.run?.in, [...entry.path, "run", "in"]);
  if (entry.override) say("replaces", true, [...entry.path, "override"]);
  return origins;
}

function sayChoice({ tools = {}, path }: PlanEntry, tool: Parameters<typeof choosesTool>[1], say: Say): void {
  const first = (list: readonly unknown[] | undefined) =>
    (list ?? []).findIndex((item) => choosesTool(item, tool));
  const [out, within] = [first(tools.exclude), first(tools.include)];
  if (out >= 0) return say("left out", tools.exclude?.[out], [...path, "tools", "exclude", out]);
  if (within >= 0) return say("included", tools.include?.[within], [...path, "tools", "include", within]);
  if (tools.include !== undefined) say("left out", tools.include, [...path, "tools", "include"]);
}

const limitKeys = { timeout: "timeoutMs", outputBytes: "outputBytes", concurrent: "concurrent" } as const;

/** Of each bound the nearest word counts: the tool's in the plan, the entry's, the plan's. */
function sayLimits(
  tool: { readonly own: Path; readonly limits: PlanEntry["limits"] },
  entry: PlanEntry,
  planLimits: LoadedPlan["plan"]["limits"],
  say: Say,
): void {
  for (const key of Object.keys(limitKeys) as (keyof typeof limitKeys)[]) {
    if (tool.limits?.[key] !== undefined)
      say("limited", { [key]: tool.limits[key] }, [...tool.own, "limits", key]);
    else if (entry.limits?.[key] !== undefined)
      say("limited", { [key]: entry.limits[key] }, [...entry.path, "limits", key]);
    else if (planLimits[limitKeys[key]] !== undefined)
      say("limited", { [key]: planLimits[limitKeys[key]]! }, ["policy", "limits", key]);
  }
}

/** Whether a value is a map or a list with something in it. */
export function hasParts(value: Json): boolean {
  return (isRecord(value) || Array.isArray(value)) && Object.keys(value).length > 0;
}

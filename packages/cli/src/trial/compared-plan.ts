import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject, ToolInfo } from "@toolmount/core";
import type { LockChange } from "@toolmount/loader/commands";
import type { PlanOptions } from "../options/plan-options.ts";
import { loaderOptions, type LoaderShell } from "../host/loader-options.ts";
import { verdictsOfHost, type CallVerdict } from "../host/call-verdicts.ts";

/** What a plan offers. The plan is a file, or it runs on a server. */
export interface ComparedPlan {
  readonly name: string;
  readonly tools: readonly ToolInfo[];
  /** What happens to a call of each tool, before its arguments are known. */
  readonly calls: ReadonlyMap<string, CallVerdict | undefined>;
  /** The effective plan, merged from all its parts. Values whose names suggest a secret are masked. */
  readonly plan: JsonObject;
}

/** The differences between two plans. */
export interface PlanDifference {
  readonly before: string;
  readonly now: string;
  readonly tools: readonly LockChange[];
  /** Tools of both plans whose calls have another verdict now: for example, a person is now asked or no longer asked. */
  readonly calls: readonly {
    readonly tool: string;
    readonly before?: CallVerdict;
    readonly now?: CallVerdict;
  }[];
  /** Values that differ, by their path; an entry of a list is named by its module. */
  readonly values: readonly { readonly path: string; readonly before?: Json; readonly now?: Json }[];
}

/** Mounts a plan and reads what it offers. Runs no tool. */
export async function readPlanSide(
  plan: string | undefined,
  { env }: PlanOptions,
  shell: LoaderShell,
): Promise<ComparedPlan> {
  const [{ openHost }, { readEffectivePlan }] = await Promise.all([
    import("@toolmount/loader"),
    import("@toolmount/loader/commands"),
  ]);
  const options = { ...loaderOptions({ ...(env && { env }) }, shell), ignoreLock: true };
  const { value } = await readEffectivePlan(plan, options);
  const host = await openHost(plan, options);
  try {
    const tools = host.tools();
    const calls = await verdictsOfHost(host, tools, undefined);
    return { name: host.plan.file ?? "the plan", tools, calls, plan: value };
  } finally {
    await host.close();
  }
}

/** Compares the tools, the verdicts on their calls, and the values of two plans. */
export async function comparePlans(before: ComparedPlan, now: ComparedPlan): Promise<PlanDifference> {
  const { compareLocks, makeLock } = await import("@toolmount/loader/commands");
  const lockOf = ({ tools }: ComparedPlan) => makeLock(tools, new Map());
  const calls = [...now.calls].flatMap(([tool, is]) => {
    const was = before.calls.get(tool);
    if (!before.calls.has(tool) || was === is) return [];
    return [{ tool, ...(was !== undefined && { before: was }), ...(is !== undefined && { now: is }) }];
  });
  return {
    before: before.name,
    now: now.name,
    tools: compareLocks(lockOf(before), lockOf(now)),
    calls,
    values: [...valuesOf(before.plan, now.plan, "")],
  };
}

function* valuesOf(
  before: Json | undefined,
  now: Json | undefined,
  path: string,
): Iterable<PlanDifference["values"][number]> {
  if (isDeepStrictEqual(before, now)) return;
  const [were, are] = [membersOf(before), membersOf(now)];
  if (were === null || are === null) {
    yield { path, ...(before !== undefined && { before }), ...(now !== undefined && { now }) };
    return;
  }
  for (const key of new Set([...were.keys(), ...are.keys()]))
    yield* valuesOf(were.get(key), are.get(key), path === "" ? key : `${path}.${key}`);
}

/**
 * Returns the members of an object or list by key; null for other values. Entries of a list get the names of their modules, so
 * that the later ones keep their names if one is inserted.
 */
function membersOf(value: Json | undefined): ReadonlyMap<string, Json> | null {
  if (typeof value !== "object" || value === null) return null;
  if (!Array.isArray(value)) return new Map(Object.entries(value as JsonObject));
  const names = value.map((item) => (item as { module?: Json } | null)?.module);
  if (value.length === 0 || !names.every((name) => typeof name === "string")) return null;
  const seen = new Map<string, number>();
  return new Map(
    value.map((item, at) => {
      const name = String(names[at]);
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      return [count === 1 ? name : `${name}#${count}`, item];
    }),
  );
}

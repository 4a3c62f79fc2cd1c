import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject, ToolInfo } from "@toolmount/core";
import type { LockChange } from "@toolmount/loader/commands";
import type { PlanOptions } from "../options/plan-options.ts";
import { loaderOptions, type LoaderShell } from "../host/loader-options.ts";
import { verdictsOfHost, type CallVerdict } from "../host/call-verdicts.ts";

/** What a plan offers, or a server that runs one. */
export interface ComparedPlan {
  readonly name: string;
  readonly tools: readonly ToolInfo[];
  /** What becomes of a call of each tool, before its arguments are known. */
  readonly calls: ReadonlyMap<string, CallVerdict | undefined>;
  /** The plan of all its parts. Values under names of secrets are masked. */
  readonly plan: JsonObject;
}

/** What differs between two plans. */
export interface PlanDifference {
  readonly before: string;
  readonly now: string;
  readonly tools: readonly LockChange[];
  /** Tools of both whose calls end otherwise: a person is asked, or no longer. */
  readonly calls: readonly {
    readonly tool: string;
    readonly before?: CallVerdict;
    readonly now?: CallVerdict;
  }[];
  /** Values of the plans, by their path; an entry of a list is named by its module. */
  readonly values: readonly { readonly path: string; readonly before?: Json; readonly now?: Json }[];
}

/** Mounts a plan, and reads what it offers. No tool is called. */
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

/** Compares tools, who is asked, and the values of the plans. */
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

/** Members by their keys. Entries of a list are named by their modules, so that one more does not rename those behind it. */
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

import type { Json } from "@toolmount/core";
import type { Reporter } from "../diagnostics/problems.ts";
import { modesSchema, type PlanModes } from "./schema.ts";

/** The modes of a plan. Problems of the schema were reported with the plan; these compare modes with each other. */
export function checkModes(value: Json | undefined, { report }: Reporter): PlanModes | undefined {
  const parsed = modesSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { catalog } = parsed.data;
  const wrong = (index: number, key: string, problem: string) =>
    report("PLAN_VALUE_INVALID", { problem }, { path: ["modes", "catalog", index, key] });
  for (const [index, { key }] of catalog.entries())
    if (catalog.findIndex((other) => other.key === key) < index)
      wrong(index, "key", `another mode has the key "${key}"`);
  const last = catalog.findLastIndex(({ isDefault }) => isDefault);
  if (last !== catalog.findIndex(({ isDefault }) => isDefault))
    wrong(last, "isDefault", "only one mode can be the default");
  return parsed.data;
}

import { nearestNames } from "@toolmount/core";
import type { PlanMap } from "./plan-map.ts";
import { createReporter, type Problem } from "./problems.ts";
import type { Unit } from "./unit.ts";

/** What `uses` says of tools that nobody offers. */
export function findLooseUses(
  units: readonly Unit[],
  offered: ReadonlySet<string>,
  map: PlanMap,
): readonly Problem[] {
  const { report, problems } = createReporter(map);
  for (const { entry } of units)
    for (const [declared, name] of Object.entries(entry?.uses ?? {})) {
      if (offered.has(name) || entry === null) continue;
      const [near] = nearestNames(name, offered);
      const hint = near === undefined ? "" : `; did you mean "${near}"?`;
      const problem = `no tool is offered as "${name}"${hint}`;
      report("PLAN_VALUE_INVALID", { problem }, { path: [...entry.path, "uses", declared] });
    }
  return problems;
}

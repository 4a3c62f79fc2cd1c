import type { JsonObject, ToolInfo } from "@toolmount/core";
import type { Path, PlanMap } from "../diagnostics/positions.ts";
import type { PreparedUse } from "../mount/prepare-module.ts";
import { pathInPlan } from "../mount/module-use.ts";
import { createReporter, type Problem } from "../diagnostics/problems.ts";

/**
 * The function that the module of a section may export as `lint`. It compares its parsed config with the tools of the plan and
 * returns the settings that have no effect. Paths start at the config.
 */
export type Lint = (
  config: JsonObject,
  plan: { readonly tools: readonly ToolInfo[] },
) => readonly { readonly path: Path; readonly problem: string }[];

/** Asks the modules of sections which of their settings have no effect on these tools. */
export function lintSections(
  sections: readonly PreparedUse[],
  tools: readonly ToolInfo[],
  map: PlanMap,
): readonly Problem[] {
  const { report, problems } = createReporter(map);
  for (const { use, module, config } of sections) {
    const lint = module.kind === "mount" ? module.exports["lint"] : undefined;
    if (typeof lint !== "function") continue;
    for (const { path, problem } of (lint as Lint)(config, { tools }))
      report("PLAN_VALUE_INVALID", { problem }, { path: pathInPlan(use, path) });
  }
  return problems;
}

import type { JsonObject, ToolInfo } from "@toolmount/core";
import type { Path, PlanMap } from "../diagnostics/positions.ts";
import type { PreparedUse } from "../mount/prepare-module.ts";
import { pathInPlan } from "../mount/module-use.ts";
import { createReporter, type Problem } from "../diagnostics/problems.ts";

/**
 * The function `lint` that the module of a section may export. It compares the section's parsed config with the plan's tools, and
 * returns the settings that have no effect. Its paths begin in the config.
 */
export type Lint = (
  config: JsonObject,
  plan: { readonly tools: readonly ToolInfo[] },
) => readonly { readonly path: Path; readonly problem: string }[];

/** Asks the modules of sections which settings have no effect on `tools`, and returns these as problems. */
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

import type { JsonObject, ToolInfo } from "@toolmount/core";
import type { Path, PlanMap } from "../diagnostics/positions.ts";
import type { PreparedUnit } from "../mount/prepare-unit.ts";
import { createReporter, type Problem } from "../diagnostics/problems.ts";

/**
 * What a module that a section stands for may export as `lint`: looks at its parsed config beside the tools that the plan
 * offers, and tells what can have no effect. Paths start at the config.
 */
export type Lint = (
  config: JsonObject,
  plan: { readonly tools: readonly ToolInfo[] },
) => readonly { readonly path: Path; readonly problem: string }[];

/** Asks the modules of sections what of them can have no effect on these tools. */
export function lintSections(
  sections: readonly PreparedUnit[],
  tools: readonly ToolInfo[],
  map: PlanMap,
): readonly Problem[] {
  const { report, problems } = createReporter(map);
  for (const { unit, module, config } of sections) {
    const lint = module.kind === "mount" ? module.exports["lint"] : undefined;
    if (typeof lint !== "function") continue;
    for (const { path, problem } of (lint as Lint)(config, { tools }))
      report("PLAN_VALUE_INVALID", { problem }, { path: [...unit.configPath, ...path] });
  }
  return problems;
}

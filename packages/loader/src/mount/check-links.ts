import type { ToolInfo } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/text";
import type { PlanMap } from "../diagnostics/positions.ts";
import { createReporter, type Problem } from "../diagnostics/problems.ts";
import type { ModuleUse } from "./module-use.ts";

export function findLooseUses(
  modules: readonly ModuleUse[],
  offered: ReadonlySet<string>,
  map: PlanMap,
): readonly Problem[] {
  const { report, problems } = createReporter(map);
  for (const { entry } of modules)
    for (const [declared, name] of Object.entries(entry?.uses ?? {})) {
      if (offered.has(name) || entry === null) continue;
      const [near] = nearestNames(name, offered);
      const hint = near === undefined ? "" : `; did you mean "${near}"?`;
      const problem = `no tool is offered as "${name}"${hint}`;
      report("PLAN_VALUE_INVALID", { problem }, { path: [...entry.path, "uses", declared] });
    }
  return problems;
}

/**
 * Finds tools that depend on a tool which is not mounted under that name, and which `uses` of their entry does not replace by
 * another tool.
 */
export function findLooseDependencies(
  tools: readonly ToolInfo[],
  usesOf: (owner: string) => Readonly<Record<string, string>> | undefined,
): { readonly tool: string; readonly needs: string }[] {
  const known = new Set(tools.flatMap(({ name, declaredName, aliases }) => [name, declaredName, ...aliases]));
  return tools.flatMap(({ name, owner, dependsOn }) =>
    dependsOn
      .filter((needs) => !known.has(needs) && !Object.hasOwn(usesOf(owner) ?? {}, needs))
      .map((needs) => ({ tool: name, needs })),
  );
}

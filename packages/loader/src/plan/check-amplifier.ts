import type { Json, JsonObject } from "@toolmount/core";
import { isList, isRecord } from "../diagnostics/json.ts";
import type { Path } from "../diagnostics/positions.ts";
import type { Reporter } from "../diagnostics/problems.ts";

/** Checks the sections that only Amplifier plans have. Source: Amplifier's structural validation of mount plans. */
export function checkAmplifier(plan: JsonObject, { report }: Reporter): void {
  const wrong = (path: Path, problem: string) => void report("PLAN_VALUE_INVALID", { problem }, { path });
  const isGiven = (key: string) => plan[key] !== undefined && plan[key] !== null;
  const { providers, agents } = plan;
  if (isGiven("providers") && !isList(providers)) wrong(["providers"], "providers is a list of modules");
  if (isGiven("agents") && !isRecord(agents)) wrong(["agents"], "agents is a map");
  for (const key of ["orchestrator", "context"])
    if (isGiven(key) && !isRecord(plan[key])) wrong([key], `${key} is a map with "config"`);
  for (const index of isList(providers) ? findUnnamed(providers) : [])
    wrong(["providers", index], "only one use of a module may omit instance_id");
}

/** Providers without an id whose module an earlier provider without an id uses already. */
function findUnnamed(providers: readonly Json[]): number[] {
  const unnamed = providers.map((provider) => {
    const isUnnamed =
      isRecord(provider) && provider["instance_id"] === undefined && provider["id"] === undefined;
    return isUnnamed ? provider["module"] : undefined;
  });
  return [...unnamed.keys()].filter(
    (index) => unnamed[index] !== undefined && unnamed.indexOf(unnamed[index]) < index,
  );
}

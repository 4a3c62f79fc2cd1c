import type { JsonObject, Logger } from "@toolmount/core";
import { readIssues } from "../diagnostics/schema-issues.ts";
import { deepFreeze } from "../diagnostics/json.ts";
import type { LoadedModule } from "../modules/recognize.ts";
import type { Reporter } from "../diagnostics/problems.ts";
import type { Unit } from "./list-units.ts";

/**
 * Parses the config of one use of a module by the module's own schema, and freezes it. Null when it does not fit: then
 * each complaint is a `CONFIG_INVALID` at its key in the plan.
 */
export async function parseConfig(
  unit: Unit,
  module: LoadedModule,
  { report }: Reporter,
  logger: Logger,
): Promise<JsonObject | null> {
  const given = deepFreeze(unit.config);
  const empty = Object.keys(given).length === 0;
  if (module.kind === "tools") {
    if (empty) return given;
    report(
      "CONFIG_INVALID",
      { module: unit.id, problem: "a module that only exports tools takes no config" },
      { path: unit.configPath },
    );
    return null;
  }
  if (module.config === undefined) {
    if (!empty)
      logger.warn(
        { module: unit.id },
        "the module exports no config schema; its config is passed on unchecked",
      );
    return given;
  }
  const { config } = module;
  const parsed = await config["~standard"].validate(given);
  if (parsed.issues === undefined) return deepFreeze(parsed.value) as JsonObject;
  for (const { path, part, problem } of readIssues(config, parsed.issues)) {
    report("CONFIG_INVALID", { module: unit.id, problem }, { path: [...unit.configPath, ...path], part });
  }
  return null;
}

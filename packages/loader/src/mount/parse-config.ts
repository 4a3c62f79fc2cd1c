import type { JsonObject, JsonSchema, Logger } from "@toolmount/core";
import type { ZodType } from "zod";
import { deepFreeze } from "../diagnostics/json.ts";
import type { Reporter } from "../diagnostics/problems.ts";
import { readIssues, type SchemaIssue } from "../diagnostics/schema-issues.ts";
import type { LoadedModule } from "@toolmount/core/modules";
import { plainWords, validateStandard, zodSize } from "@toolmount/core/schemas";
import { pathInPlan, type ModuleUse } from "./module-use.ts";
import { typeVariables } from "../diagnostics/typed-variables.ts";

/**
 * Parses and freezes the config of a use. Returns null if the config is invalid; its issues are then reported as
 * `CONFIG_INVALID`.
 */
export async function parseConfig(
  use: ModuleUse,
  module: LoadedModule,
  reporter: Reporter,
  logger: Logger,
): Promise<JsonObject | null> {
  const given = deepFreeze(use.config);
  const isEmpty = Object.keys(given).length === 0;
  if (module.kind === "tools") {
    if (isEmpty) return given;
    const problem = "a module that only exports tools takes no config";
    reporter.report("CONFIG_INVALID", { module: use.id, problem }, { path: use.configPath });
    return null;
  }
  if (module.kind === "foreign") return given;
  const { config } = module;
  if (config === undefined) {
    if (!isEmpty)
      logger.warn({ module: use.id }, "the module exports no config schema; it gets its config unchecked");
    return given;
  }
  const first = await validateStandard(config, given);
  const typed = typeVariables(given, first.issues ?? [], (path) =>
    reporter.isVariable(pathInPlan(use, path)),
  );
  const parsed = typed === null ? first : await validateStandard(config, deepFreeze(typed));
  if (parsed.issues === undefined) return deepFreeze(parsed.value) as JsonObject;
  reportIssues(use, readIssues(config, parsed.issues), reporter);
  return null;
}

/**
 * Checks the config of an entry with the schema in the module's manifest, so that the module need not be imported. Reports
 * issues. Resolves to the config, in which variables are numbers and booleans where the schema wants them.
 */
export async function checkByManifest(
  use: ModuleUse,
  json: JsonSchema,
  reporter: Reporter,
): Promise<JsonObject> {
  const schema = await readSchema(json);
  const first = schema?.safeParse(use.config, plainWords);
  if (schema === undefined || first === undefined || first.success) return use.config;
  const typed = typeVariables(use.config, first.error.issues, (path) =>
    reporter.isVariable(pathInPlan(use, path)),
  );
  const parsed = typed === null ? first : schema.safeParse(typed, plainWords);
  if (parsed.success) return typed ?? use.config;
  reportIssues(use, readIssues(schema, parsed.error.issues), reporter);
  return use.config;
}

/** Maximum number of parts of a manifest's schema, counted with each reference replaced, because a check may visit all of them. */
const maxParts = 10_000;

/**
 * Reads a schema. Returns undefined if Zod cannot read it, or if its references make it too large. The config is then checked
 * only when the module is mounted.
 */
async function readSchema(json: JsonSchema): Promise<ZodType | undefined> {
  const { z } = await import("zod");
  try {
    const schema = z.fromJSONSchema(json);
    return zodSize(schema) > maxParts ? undefined : schema;
  } catch {
    return undefined;
  }
}

function reportIssues(use: ModuleUse, issues: readonly SchemaIssue[], { report }: Reporter): void {
  for (const { path, part, problem } of issues)
    report("CONFIG_INVALID", { module: use.id, problem }, { path: pathInPlan(use, path), part });
}

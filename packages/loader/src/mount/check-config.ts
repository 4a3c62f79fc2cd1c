import type { JsonSchema } from "@toolmount/core";
import { z } from "zod";
import { readIssues } from "../diagnostics/schema-issues.ts";
import type { Reporter } from "../diagnostics/problems.ts";
import type { Unit } from "./list-units.ts";

/** Checks the config of an entry by its manifest, so that the module need not be imported. */
export function checkByManifest(unit: Unit, json: JsonSchema, { report }: Reporter): void {
  const schema = readSchema(json);
  const parsed = schema?.safeParse(unit.config);
  if (schema === undefined || parsed === undefined || parsed.success) return;
  for (const { path, part, problem } of readIssues(schema, parsed.error.issues))
    report("CONFIG_INVALID", { module: unit.id, problem }, { path: [...unit.configPath, ...path], part });
}

/** Undefined for keywords that Zod does not read: the module's own schema will look when it is mounted. */
function readSchema(json: JsonSchema): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(json);
  } catch {
    return undefined;
  }
}

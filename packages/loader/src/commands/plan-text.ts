import type { JsonObject } from "@toolmount/core";
import { planError } from "../diagnostics/problems.ts";
import { createPlanText, type PlanText } from "../diagnostics/source-text.ts";
import { isJsonPlan, readJsonText } from "../plan/json-text.ts";
import { findPlan } from "../plan/find-plan.ts";
import { readPlanText } from "../plan/read-plan.ts";

/** The text of a plan's file. */
export interface PlanFile {
  readonly file: string;
  readonly text: string;
  readonly isJson: boolean;
  /** The text as YAML. For a JSON plan, it is the text with spaces in place of comments. */
  readonly yaml: string;
}

/** Finds a plan and reads its text. Throws `PLAN_NOT_FOUND`, and `PLAN_INVALID` for a file that is not a plan. */
export async function readPlanFile(plan: string | undefined, cwd: string): Promise<PlanFile> {
  const file = await findPlan(plan, cwd);
  const read = await readPlanText(file);
  if (!read.ok) throw planError(read.problems);
  await parse(read.text);
  const { text } = read.text;
  const json = isJsonPlan(read.text) ? readJsonText(text) : undefined;
  return { file, text, isJson: json !== undefined, yaml: json?.ok === true ? json.text : text };
}

/**
 * Returns the value of a text that is a plan, or a section of a plan. Throws `PLAN_INVALID` for other texts. It loads the YAML
 * library, which only edits need.
 */
export function parsePlanText(file: string, text: string): Promise<JsonObject> {
  return parse(createPlanText(file, text));
}

async function parse(text: PlanText): Promise<JsonObject> {
  const { parsePlan } = await import("../plan/parse-yaml.ts");
  const parsed = parsePlan(text);
  if (!parsed.ok) throw planError(parsed.problems);
  return parsed.value;
}

import type { Path } from "../diagnostics/positions.ts";
import type { Reporter } from "../diagnostics/problems.ts";
import { readIssues } from "../diagnostics/schema-issues.ts";

/** Reports a schema's issues with a part of the plan. */
export function reportIssues(
  schema: Parameters<typeof readIssues>[0],
  issues: Parameters<typeof readIssues>[1],
  base: Path,
  { report }: Reporter,
): void {
  for (const { path, part, problem, unknownKey } of readIssues(schema, issues)) {
    const at = { path: [...base, ...path], part };
    if (unknownKey === undefined) report("PLAN_VALUE_INVALID", { problem }, at);
    else report("PLAN_KEY_UNKNOWN", unknownKey, at);
  }
}

import type { ToolInfo } from "@toolmount/core";
import type { PolicyConfig } from "./config.ts";
import { createRule } from "./rule.ts";

/** What of a `policy:` section can have no effect on the tools that a plan offers; paths start at the section. */
export function lint(
  { rules }: PolicyConfig,
  { tools }: { readonly tools: readonly ToolInfo[] },
): { readonly path: readonly (string | number)[]; readonly problem: string }[] {
  return rules.flatMap((rule, index) => {
    const policy = createRule(rule, index);
    if (tools.some((tool) => policy.prepare(tool) !== null)) return [];
    const problem = "this rule can never match: the plan offers no tool that fits it";
    return [{ path: ["rules", index, "match"], problem }];
  });
}

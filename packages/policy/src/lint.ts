import type { Policy, ToolInfo } from "@toolmount/core";
import type { PolicyConfig } from "./config.ts";
import { createListPolicy, listNames } from "./list-policy.ts";
import { lintFlows } from "./flows/lint-flows.ts";
import { createRule } from "./rule.ts";

interface Found {
  readonly path: readonly (string | number)[];
  readonly problem: string;
}

/**
 * Finds the parts of a `policy:` section that can have no effect on the tools that a plan offers. Paths start at the section.
 */
export function lint(
  settings: PolicyConfig,
  { tools }: { readonly tools: readonly ToolInfo[] },
): readonly Found[] {
  const isDead = (policy: Policy) => tools.every((tool) => policy.prepare(tool) === null);
  const problem = "this rule can never match: the plan offers no tool that fits it";
  const rules = settings.rules.flatMap((rule, index): Found[] =>
    isDead(createRule(rule, index)) ? [{ path: ["rules", index, "match"], problem }] : [],
  );
  const lists = listNames.flatMap((list) =>
    settings[list].flatMap((written, index): Found[] =>
      isDead(createListPolicy(list, written)) ? [{ path: [list, index], problem }] : [],
    ),
  );
  return [...rules, ...lists, ...lintFlows(settings.flows, tools)];
}

import type { Policy, ToolInfo } from "@toolmount/core";
import { matchesGlob, nearestNames } from "@toolmount/core/text";
import type { PolicyConfig } from "./config.ts";
import { createListPolicy, listNames } from "./list-policy.ts";
import { lintFlows } from "./flows/lint-flows.ts";
import { createRule } from "./rule.ts";
import { argumentOf, readKind, readToolPattern } from "./match/tool-pattern.ts";

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
  const meant = (written: unknown) => `${problem}${nearOf(written, tools)}`;
  const rules = settings.rules.flatMap((rule, index): Found[] =>
    isDead(createRule(rule, index))
      ? [{ path: ["rules", index, "match"], problem: meant(rule.match.tool) }]
      : [],
  );
  const lists = listNames.flatMap((list) =>
    settings[list].flatMap((written, index): Found[] =>
      isDead(createListPolicy(list, written))
        ? [{ path: [list, index], problem: withoutArgument(written, tools) ?? meant(written) }]
        : [],
    ),
  );
  return [...rules, ...lists, ...lintFlows(settings.flows, tools)];
}

/** Returns the problem of a line about an argument that its tool does not have; undefined for other lines. */
function withoutArgument(written: string, tools: readonly ToolInfo[]): string | undefined {
  if (readKind(written) !== null) return undefined;
  const pattern = readToolPattern(written);
  const tool = tools.find(({ name }) => matchesGlob(pattern.tool, name));
  if (tool === undefined || argumentOf(pattern, tool) !== null) return undefined;
  const { properties = {} } = tool.inputSchema as { readonly properties?: object };
  const known = Object.keys(properties).join(", ");
  const has = known === "" ? "it has no arguments" : `it has ${known}`;
  const which = pattern.argument === undefined ? "no argument" : `no argument "${pattern.argument}"`;
  return `this rule can never match: ${tool.name} has ${which}; ${has}`;
}

/** Returns a hint with the tool whose name is most similar to that of a line. */
function nearOf(written: unknown, tools: readonly ToolInfo[]): string {
  const [, name = ""] = /^([\w.-]+)/.exec(String(written)) ?? [];
  const [near] = nearestNames(
    name,
    tools.map((tool) => tool.name),
  );
  return near === undefined ? "" : `; did you mean ${near}?`;
}

import type { Json, JsonObject } from "@toolmount/core";
import type { Mutant } from "./mutant.ts";
import { mutateFlows } from "./mutate-flows.ts";

const flipped: Readonly<Record<string, string>> = { allow: "deny", ask: "deny", deny: "ask" };

/** Returns all plans that differ in one rule. If the tests of a plan pass for all of them, they do not test its policy. */
export function listMutants(plan: JsonObject): Mutant[] {
  const policy = plan["policy"] as JsonObject | undefined;
  if (policy === undefined) return [];
  return [
    ...mutateRules(plan, policy),
    ...Object.keys(flipped).flatMap((list) => mutateList(plan, policy, list)),
    ...mutateFlows(plan, policy),
  ];
}

function mutateRules(plan: JsonObject, policy: JsonObject): Mutant[] {
  const { rules } = policy;
  if (!Array.isArray(rules)) return [];
  return (rules as JsonObject[]).flatMap((rule, at) => {
    const answer = rule["answer"] as string;
    const other = flipped[answer];
    if (other === undefined) return [];
    const { waives: _, ...rest } = rule;
    const changed = rules.map((one: JsonObject, index) => (index === at ? { ...rest, answer: other } : one));
    return {
      plan: { ...plan, policy: { ...policy, rules: changed } },
      path: ["policy", "rules", at],
      change: `${answer} → ${other}`,
    };
  });
}

/** Moves each line of `allow`, `ask` or `deny` to another list, one at a time. */
function mutateList(plan: JsonObject, policy: JsonObject, list: string): Mutant[] {
  const other = flipped[list]!;
  const linesOf = (name: string): readonly Json[] => {
    const lines = policy[name];
    return Array.isArray(lines) ? lines : [];
  };
  return linesOf(list).map((line, at) => {
    const rest = linesOf(list).filter((_, index) => index !== at);
    const changed = { ...policy, [list]: rest, [other]: [...linesOf(other), line] };
    return { plan: { ...plan, policy: changed }, path: ["policy", list, at], change: `${list} → ${other}` };
  });
}

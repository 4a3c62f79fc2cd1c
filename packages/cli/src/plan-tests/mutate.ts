import type { JsonObject } from "@toolmount/core";

/** A plan in which one rule says something else. */
export interface Mutant {
  readonly plan: JsonObject;
  readonly rule: number;
  /** What was done to it: `ask → deny`. */
  readonly change: string;
}

const flipped: Readonly<Record<string, string>> = { allow: "deny", ask: "deny", deny: "ask" };

/** Every plan that differs in the answer of one rule. A plan whose tests hold for all of them tests nothing of it. */
export function listMutants(plan: JsonObject): Mutant[] {
  const policy = plan["policy"] as JsonObject | undefined;
  const rules = policy?.["rules"];
  if (!Array.isArray(rules)) return [];
  return (rules as JsonObject[]).flatMap((rule, at) => {
    const answer = rule["answer"] as string;
    const other = flipped[answer];
    if (other === undefined) return [];
    const { waives: _, ...rest } = rule;
    const changed = rules.map((one: JsonObject, index) => (index === at ? { ...rest, answer: other } : one));
    return {
      plan: { ...plan, policy: { ...policy, rules: changed } },
      rule: at,
      change: `${answer} → ${other}`,
    };
  });
}

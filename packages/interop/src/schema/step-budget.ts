import type { Ajv, CodeKeywordDefinition, KeywordCxt } from "ajv";
import type * as Engines from "../carried/ajv.ts";

/** References that a check may follow, and additional ones for each member of the value. */
const baseSteps = 50_000;
const stepsForEachMember = 20;

/** The error of a check that follows more references than are allowed for its value. */
export class TooManySteps extends Error {}

/** Limits the references that checks of values follow, because without references no part is compared with a value twice. */
export interface StepBudget {
  /** Runs a check. Throws `TooManySteps` if it follows too many references. */
  limit<Result>(value: unknown, check: () => Result): Result;
}

const keywords = ["$ref", "$dynamicRef", "$recursiveRef"];

/** Makes an engine count each reference that its checks follow. */
export function countSteps(ajv: Ajv, { _ }: Pick<typeof Engines, "_">): StepBudget {
  let left = Number.POSITIVE_INFINITY;
  /** Returns the steps for the members of the value, which are counted only if a check takes more than the basic steps. */
  let more = () => 0;
  const steps = {
    take() {
      if (--left >= 0) return;
      left = more();
      more = () => 0;
      if (--left < 0) throw new TooManySteps();
    },
  };
  for (const rule of keywords.map((keyword) => ajv.RULES.all[keyword])) {
    if (typeof rule !== "object") continue;
    const definition = rule.definition as CodeKeywordDefinition;
    const code = (cxt: KeywordCxt, ruleType?: string) => {
      cxt.gen.code(_`${cxt.gen.scopeValue("obj", { ref: steps })}.take()`);
      definition.code(cxt, ruleType);
    };
    rule.definition = { ...definition, code } as typeof rule.definition;
  }
  return {
    limit(value, check) {
      left = baseSteps;
      more = () => stepsForEachMember * countMembers(value);
      try {
        return check();
      } finally {
        left = Number.POSITIVE_INFINITY;
      }
    },
  };
}

/** Counts the members of a value at all depths, up to a limit. */
export function countMembers(value: unknown, limit = Number.POSITIVE_INFINITY): number {
  let count = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0 && count < limit) {
    const next = rest.pop();
    count++;
    if (typeof next === "object" && next !== null)
      for (const member of Object.values(next).slice(0, limit)) rest.push(member);
  }
  return count;
}

import type { PendingCall, Policy, PolicyAnswer } from "@toolmount/core";
import type { Rule } from "./config.ts";
import { fitsTool } from "./match/match.ts";
import { fitsArguments, fitsName, type Members } from "./match/pattern.ts";

/**
 * Creates the policy of one rule. All rules that fit a call count, whatever their order: any deny wins, and an allow removes
 * only what the level asks, or with `waives` also what the tool asks. `where` returns where the rule is written.
 */
export function createRule(
  rule: Rule,
  index: number,
  where: () => string | undefined = () => undefined,
): Policy {
  return {
    name: `rule ${index + 1}`,
    prepare(tool) {
      if (!fitsTool(rule.match, tool, membersOf(rule.answer))) return null;
      return (call) => (fitsCall(rule, call) ? answerOf(rule, where() ?? `rule ${index + 1}`) : null);
    },
  };
}

function fitsCall({ match, answer }: Rule, { info, arguments: given }: PendingCall): boolean {
  const { mode, user, arguments: wanted } = match;
  const members = membersOf(answer);
  return (
    (mode === undefined || fitsName(mode, info.mode, members)) &&
    (user === undefined || fitsName(user, info.userId, members)) &&
    (wanted === undefined || fitsArguments(wanted, given, members))
  );
}

/** Returns how lists of values count: an allow rule must hold for every member, other rules for some member. */
function membersOf(answer: Rule["answer"]): Members {
  return answer === "allow" ? "every" : "some";
}

function answerOf(rule: Rule, where: string): PolicyAnswer {
  const { answer, reason } = rule;
  if (answer === "allow") return { answer, rule: where, reason, waives: rule.waives };
  const fallback = answer === "ask" ? "a rule of the plan asks" : "a rule of the plan denies it";
  return { answer, rule: where, reason: reason ?? fallback };
}

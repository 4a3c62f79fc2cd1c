import type { PendingCall, Policy, PolicyAnswer, ToolInfo } from "@toolmount/core";
import { matchesArguments, matchesGlob } from "@toolmount/core/text";
import type { Rule } from "./config.ts";

/**
 * A rule as a policy of its own. All rules that fit a call count, wherever they stand: any deny wins, and an allow
 * takes away only what the level asks, or with `waives` what the tool asks. `where` says where the rule is written.
 */
export function createRule(
  rule: Rule,
  index: number,
  where: () => string | undefined = () => undefined,
): Policy {
  return {
    name: `rule ${index + 1}`,
    prepare(tool) {
      if (!fitsTool(rule, tool)) return null;
      return (call) => (fitsCall(rule, call) ? answerOf(rule, where() ?? `rule ${index + 1}`) : null);
    },
  };
}

type Match = Rule["match"];

/** The parts of a rule that depend on the tool alone. */
function fitsTool({ match }: Rule, tool: ToolInfo): boolean {
  return (
    fitsGlob(match.tool, tool.name) &&
    (match.tag === undefined || tool.tags.some((tag) => fitsGlob(match.tag, tag))) &&
    fitsWord(match.category, tool.category) &&
    fitsWord(match.consequence, tool.consequenceLevel)
  );
}

function fitsCall({ match, answer }: Rule, { info, arguments: given }: PendingCall): boolean {
  return (
    fitsSome(match.mode, info.mode) &&
    fitsSome(match.user, info.userId) &&
    // What allows must hold for every member of a list; what denies or asks, for one.
    (match.arguments === undefined ||
      matchesArguments(match.arguments, given, answer === "allow" ? "every" : "some"))
  );
}

function fitsSome(globs: Match["mode"], text: string | undefined): boolean {
  return globs === undefined || (text !== undefined && fitsGlob(globs, text));
}

function fitsGlob(globs: Match["tool"], text: string): boolean {
  return globs === undefined || listOf(globs).some((glob) => matchesGlob(glob, text));
}

function fitsWord<Word extends string>(words: Word | Word[] | undefined, word: string | undefined): boolean {
  return words === undefined || listOf(words).some((one) => one === (word ?? "unclassified"));
}

function listOf<Item>(value: Item | Item[]): Item[] {
  return Array.isArray(value) ? value : [value];
}

function answerOf(rule: Rule, where: string): PolicyAnswer {
  const { answer, reason } = rule;
  if (answer === "allow") return { answer, rule: where, reason, waives: rule.waives };
  const fallback = answer === "ask" ? "a rule of the plan asks" : "a rule of the plan denies it";
  return { answer, rule: where, reason: reason ?? fallback };
}

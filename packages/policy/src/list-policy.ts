import type { Policy, PolicyAnswer, ToolInfo } from "@toolmount/core";
import { matchesGlob } from "@toolmount/core/text";
import { fitsTool } from "./match/match.ts";
import type { Members } from "./match/pattern.ts";
import { argumentOf, fitsText, readKind, readToolPattern } from "./match/tool-pattern.ts";

/** The lists of a policy, in order of precedence. */
export const listNames = ["deny", "ask", "allow"] as const;

/** The name of a list of the policy. */
export type ListName = (typeof listNames)[number];

/**
 * Creates the policy of one line of the lists `allow`, `ask` and `deny`. As with rules, all lines count: any deny wins, an ask
 * is asked whatever allows the call, and an allow removes the questions of the level and of the tool.
 */
export function createListPolicy(
  list: ListName,
  written: string,
  where: () => string | undefined = () => undefined,
): Policy {
  const answer = () => answerOf(list, written, where() ?? `${list}: ${written}`);
  const pattern = readToolPattern(written);
  const { tool: name, glob } = pattern;
  const kind = readKind(written);
  const members: Members = list === "allow" ? "every" : "some";
  const fits = (tool: ToolInfo) =>
    kind === null ? matchesGlob(name, tool.name) : fitsTool(kind, tool, members);
  const isWhole = kind !== null || glob === undefined;
  return {
    name: `${list} ${written}`,
    prepare(tool) {
      if (!fits(tool)) return null;
      if (isWhole) return answer;
      const argument = argumentOf(pattern, tool);
      if (argument === null) return null;
      const how = { isShell: isShellText(tool, argument), members };
      return ({ arguments: given }) =>
        Object.hasOwn(given, argument) && fitsText(glob, given[argument], how) ? answer() : null;
    },
    hides: (tool) => list === "deny" && isWhole && fits(tool),
  };
}

/** Whether an argument is a text that a shell runs, by the tool's tag or by the usual name of such an argument. */
function isShellText({ tags }: ToolInfo, argument: string): boolean {
  return tags.includes("shell") || argument === "command";
}

function answerOf(list: ListName, written: string, rule: string): PolicyAnswer {
  if (list === "allow") return { answer: "allow", rule, waives: "confirmation" };
  return { answer: list, rule, reason: `the plan ${list === "ask" ? "asks about" : "denies"} ${written}` };
}

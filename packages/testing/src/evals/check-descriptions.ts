import type { ToolInfo } from "@toolmount/core";
import type { EvalExpectation } from "./judge-turn.ts";

/** The parts of an evaluation that are compared with descriptions. */
export interface EvalPrompt {
  readonly prompt: string;
  readonly expect: EvalExpectation;
}

/** Matches words that make a sentence vague. Source: Tool-Forge's rule for summaries. */
const hedging =
  /\b(may|might|could|can help|maybe|perhaps|possibly|probably|usually|sometimes|various|etc)\b/i;

/** Maximum number of characters of a summary. Source: Tool-Forge's rule for summaries. */
const maxSummary = 120;

/**
 * Returns what descriptions and evaluations lack, one sentence each, without using a model. It finds tools that no evaluation
 * expects (completeness), tools that no evaluation forbids for its prompt (negative), prompts that share no word with the
 * description of the expected tool (keyword), and summaries that are long, vague or of several sentences.
 */
export function checkDescriptions(
  tools: readonly Pick<ToolInfo, "name" | "description" | "summary">[],
  evaluations: readonly EvalPrompt[],
): string[] {
  const expected = new Set(evaluations.flatMap(({ expect }) => toolsOf(expect)));
  const kept = evaluations.filter(({ expect }) => expect.tools !== undefined || expect.not !== undefined);
  const problems: string[] = [];
  for (const { name, summary } of tools) {
    if (!expected.has(name)) problems.push(`${name}: no evaluation expects it`);
    if (!kept.some(({ expect }) => isKept(expect, name)))
      problems.push(`${name}: no evaluation has a prompt for which it must not be called`);
    if (summary !== undefined) problems.push(...checkSummary(name, summary));
  }
  for (const { prompt, expect } of evaluations)
    for (const tool of tools.filter(({ name }) => toolsOf(expect).includes(name)))
      if (!sharesWord(prompt, `${tool.name} ${tool.description}`))
        problems.push(
          `${tool.name}: its description has no word of the prompt ${JSON.stringify(prompt.slice(0, 80))}`,
        );
  return problems;
}

function toolsOf({ tools = [], oneOf = [], calls = [] }: EvalExpectation): readonly string[] {
  return [...tools, ...oneOf.flat(), ...calls.map(({ tool }) => tool)];
}

function isKept({ tools, not = [] }: EvalExpectation, name: string): boolean {
  return not.includes(name) || (tools !== undefined && !tools.includes(name));
}

function checkSummary(name: string, summary: string): string[] {
  const problems: string[] = [];
  if (summary.length > maxSummary)
    problems.push(`${name}: its summary has ${summary.length} characters, more than ${maxSummary}`);
  if (/[.!?]\s+\S/.test(summary)) problems.push(`${name}: its summary has more than one sentence`);
  const [vague] = hedging.exec(summary) ?? [];
  if (vague !== undefined) problems.push(`${name}: its summary says ${JSON.stringify(vague)}`);
  return problems;
}

function sharesWord(one: string, other: string): boolean {
  const words = new Set(wordsOf(other));
  return wordsOf(one).some((word) => words.has(word));
}

/** Returns the words of four letters and more, without plural endings, in lower case. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).map((word) => word.replace(/e?s$/, ""));
}

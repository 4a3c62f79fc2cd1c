import type { ToolInfo } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/text";
import { declare } from "./declarations.ts";

/** Longest text of declarations, in characters, which is about 3,000 tokens. */
const maxText = 12_000;

/** Maximum number of tools that a query returns. */
const maxFound = 8;

/** Returns the declarations of the named tools, or the names most similar to one that is missing. */
export function describeNamed(
  names: readonly string[],
  tools: readonly ToolInfo[],
): { readonly text: string } | { readonly missing: string; readonly nearest: readonly string[] } {
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const missing = names.find((name) => !known.has(name));
  if (missing !== undefined) return { missing, nearest: nearestNames(missing, known.keys()) };
  return { text: declare(names.map((name) => known.get(name)!)) };
}

/** Returns the declarations of all tools, or one line for each tool if the declarations are too long. */
export function describeAll(tools: readonly ToolInfo[]): string {
  const text = declare(tools);
  return text.length <= maxText ? text : tools.map(lineOf).join("\n").slice(0, maxText);
}

/** Returns the tools that have the most words in common with a query, where rare words count more. */
export function findTools(query: string, tools: readonly ToolInfo[]): readonly ToolInfo[] {
  const pages = tools.map((tool) => ({
    tool,
    words: wordsOf(`${tool.name} ${tool.name} ${tool.description}`),
  }));
  const weightOf = (word: string) =>
    Math.log(1 + pages.length / (1 + pages.filter(({ words }) => words.has(word)).length));
  const wanted = [...wordsOf(query)].map((word) => [word, weightOf(word)] as const);
  return pages
    .map(({ tool, words }) => ({
      tool,
      score: wanted.reduce((sum, [word, weight]) => sum + (words.has(word) ? weight : 0), 0),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxFound)
    .map(({ tool }) => tool);
}

function lineOf({ name, summary, description }: ToolInfo): string {
  return `${name}: ${(summary ?? description).replaceAll(/\s+/g, " ").slice(0, 120)}`;
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  // Word ends are removed, so that `files` is found by `file`, and `boxes` by `box`.
  return new Set(words.filter((word) => word.length > 2).map((word) => word.replace(/(?:es?|s)$/, "")));
}

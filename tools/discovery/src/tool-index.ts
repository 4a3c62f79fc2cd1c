import type { ToolInfo } from "@toolmount/core";
import { summaryOf } from "@toolmount/core/sessions";
import { candidates, createOrder } from "./order.ts";
import { WordTable } from "./word-table.ts";
import { partsOf } from "./words.ts";

/** An index of tools by the texts about them. */
export interface ToolIndex {
  /** Returns at most `limit` matching tools, the best first, among those that `accepts` takes. */
  search(query: string, limit: number, accepts?: (tool: ToolInfo) => boolean): readonly ToolInfo[];
}

/**
 * Weight of a word by its place. A usage text also names other tools, so it counts little. The owner is the entry of the plan,
 * such as the MCP server `word-documents`, whose tools say only "adds a paragraph".
 */
const weights = {
  name: 6,
  summary: 1,
  description: 1,
  owner: 2,
  tags: 1,
  arguments: 0.3,
  usage: 0.3,
};

type Page = Readonly<Record<keyof typeof weights, string>>;

/** Number of characters of a query that are used. */
export const maxQueryLength = 500;

/**
 * Makes an index of tools. A search ranks tools by BM25 over the texts about them, also by words with the same meaning, and
 * then puts the best ones into a better order.
 */
export function createToolIndex(tools: readonly ToolInfo[]): ToolIndex {
  const table = new WordTable(tools.map(pageOf), weights);
  const inOrder = createOrder(tools);
  return {
    search(query, limit, accepts = () => true) {
      if (limit < 1) return [];
      const isChosen = (at: number) => accepts(tools[at]!);
      const parts = partsOf(query.slice(0, maxQueryLength));
      const found = table.find(parts, Math.max(limit, candidates), isChosen);
      return interleave(found.map((list, part) => inOrder(list, parts[part]!)))
        .slice(0, limit)
        .map((at) => tools[at]!);
    },
  };
}

/** Merges lists: the best of each part come first, then the second ones, so that a query for two things gets tools for both. */
function interleave(lists: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  const ranks = Array.from({ length: longest }, (_, rank) => lists.flatMap((list) => list[rank] ?? []));
  return [...new Set(ranks.flat())];
}

function pageOf(tool: ToolInfo): Page {
  const [prefix, own] = prefixAndName(tool);
  return {
    name: [own, ...tool.aliases].join(" "),
    summary: summaryOf(tool),
    description: tool.description,
    owner: [...new Set([tool.owner, prefix])].join(" "),
    tags: tool.tags.join(" "),
    arguments: schemaText(tool.inputSchema),
    usage: tool.usage ?? "",
  };
}

/**
 * Separates a plan's prefix from a name. The prefix says to whom the tool belongs, like its owner, and often is the owner's
 * name.
 */
function prefixAndName({ name, declaredName }: ToolInfo): [prefix: string, name: string] {
  if (!name.endsWith(declaredName)) return ["", name];
  return [name.slice(0, -declaredName.length).replace(/[_.-]+$/, ""), declaredName];
}

/** Deepest level of a schema that is read. */
const maxDepth = 4;

/** Returns the names of the arguments, their descriptions, and the values that they may have. */
function schemaText(schema: unknown, depth = 0): string {
  if (typeof schema !== "object" || schema === null || depth > maxDepth) return "";
  const { properties, items, description, enum: values, anyOf, oneOf } = schema as Record<string, unknown>;
  const inner = [items, ...listOf(anyOf), ...listOf(oneOf)].map((part) => schemaText(part, depth + 1));
  const named = Object.entries(Object(properties) as object).map(
    ([name, value]) => `${name} ${schemaText(value, depth + 1)}`,
  );
  return [depth > 0 ? description : "", ...listOf(values), ...named, ...inner]
    .filter((text) => typeof text === "string")
    .join(" ");
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

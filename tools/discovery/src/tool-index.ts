import type { ToolInfo } from "@toolmount/core";
import { summaryOf } from "@toolmount/core/sessions";
import { candidates, createOrder } from "./order.ts";
import { WordTable } from "./word-table.ts";
import { partsOf } from "./words.ts";

/** Tools by what is said of them. */
export interface ToolIndex {
  /** At most `limit` tools that fit, the best first, among those that `accepts` takes. */
  search(query: string, limit: number, accepts?: (tool: ToolInfo) => boolean): readonly ToolInfo[];
}

/**
 * How much a word counts by where it stands. A usage text names other tools, too, so that it counts little. The owner is
 * the entry of the plan, such as the MCP server `word-documents`, whose tools say only "adds a paragraph".
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

/** Longest query that is looked at, in characters. */
export const maxQueryLength = 500;

/** Puts tools into an index: BM25 over what is said of them, with words that mean the same, then an order of the best. */
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

/** The best of each part come first, then the second ones: who asks for two things gets tools for both. */
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

/** A plan's prefix before a name says whose the tool is, as its owner does: often it is the owner's name again. */
function prefixAndName({ name, declaredName }: ToolInfo): [prefix: string, name: string] {
  if (!name.endsWith(declaredName)) return ["", name];
  return [name.slice(0, -declaredName.length).replace(/[_.-]+$/, ""), declaredName];
}

/** Levels of a schema that are read. */
const maxDepth = 4;

/** Names of the arguments, what is said of them, and the values that they may have. */
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

import type { ToolInfo } from "@toolmount/core";
import { summaryOf } from "@toolmount/core/sessions";
import MiniSearch from "minisearch";
import { normalizeWord, splitWords } from "./words.ts";

/** A tool that a search found, the best first. */
export interface FoundTool {
  readonly tool: ToolInfo;
  readonly score: number;
}

/** Tools by what is said of them. */
export interface ToolIndex {
  /** At most `limit` tools that fit, among those that `accepts` takes. */
  search(query: string, limit: number, accepts?: (tool: ToolInfo) => boolean): readonly FoundTool[];
}

/**
 * How much a word counts by where it stands. A usage text names other tools, too, so that it counts little. The owner is
 * the entry of the plan, such as the MCP server `word-documents`, whose tools say only "adds a paragraph".
 */
const boost = { name: 6, summary: 2, description: 2, owner: 1, arguments: 0.5, tags: 1, usage: 0.4 };

/** Puts tools into an index: BM25 over names, summaries, descriptions, arguments, tags and usage texts. */
export function createToolIndex(tools: readonly ToolInfo[]): ToolIndex {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const index = new MiniSearch<Readonly<Record<string, string>>>({
    fields: Object.keys(boost),
    idField: "id",
    tokenize: splitWords,
    processTerm: normalizeWord,
  });
  index.addAll(tools.map(pageOf));
  return {
    search(query, limit, accepts = () => true) {
      const found = index.search(query.slice(0, maxQueryLength), {
        boost,
        prefix: (term) => term.length > 3,
        fuzzy: (term) => (term.length > 4 ? 0.2 : false),
        filter: ({ id }) => accepts(byName.get(id as string)!),
      });
      return found.slice(0, limit).map(({ id, score }) => ({ tool: byName.get(id as string)!, score }));
    },
  };
}

/** Longest query that is looked at, in characters. */
export const maxQueryLength = 500;

function pageOf(tool: ToolInfo): Record<string, string> {
  return {
    id: tool.name,
    name: [tool.name, ...tool.aliases].join(" "),
    summary: summaryOf(tool),
    description: tool.description,
    owner: tool.owner,
    arguments: argumentText(tool.inputSchema),
    tags: tool.tags.join(" "),
    usage: tool.usage ?? "",
  };
}

/** Names of the arguments, and what is said of them. */
function argumentText(schema: Readonly<Record<string, unknown>>): string {
  const { properties } = schema;
  if (typeof properties !== "object" || properties === null) return "";
  return Object.entries(properties)
    .map(([name, value]) => {
      const { description = "" } = (value ?? {}) as { description?: unknown };
      return `${name} ${typeof description === "string" ? description : ""}`;
    })
    .join(" ");
}

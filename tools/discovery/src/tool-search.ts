import { data, defineTool, type Omission, type ToolInfo } from "@toolmount/core";
import { activeTools, summaryOf } from "@toolmount/core/sessions";
import { z } from "zod";
import { config, type Settings } from "./config.ts";
import { noTools, toolsFor, type Services } from "./services.ts";
import { createToolIndex, maxQueryLength, type ToolIndex } from "./tool-index.ts";
import { toolSearchUsage as usage } from "./tool-search-usage.ts";

const missing = "query is required";

const schema = z.strictObject({
  query: z
    .string({ error: ({ input }) => (input === undefined ? missing : undefined) })
    .regex(/\S/, missing)
    .max(maxQueryLength)
    .describe("What is to be done, in a few words: rename a file, sum of two numbers"),
  limit: z.int().min(1).max(50).optional().describe("Most tools to show"),
});

/** Makes the tool `tool_search`, which finds tools by the texts about them. */
export function createToolSearch(settings: Settings = {}, services: Services = noTools) {
  const { max_results } = config.parse(settings);
  const indexOf = rememberLast(createToolIndex);
  return defineTool({
    name: "tool_search",
    description:
      "Finds tools by what they do, among all that could be activated here. Use when no tool at hand fits, then call activate_tools with those that do; not to search files or the web.",
    summary: "Finds tools by what they do.",
    usage,
    schema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    alwaysOffered: true,
    idempotent: true,
    tags: ["discovery"],
    version: "1.0.0",
    async execute({ query, limit = max_results }, context) {
      const offered = await toolsFor(services, context);
      const choice = new Set(offered.filter(({ alwaysOffered }) => !alwaysOffered).map(({ name }) => name));
      const active = new Set(activeTools(context.session));
      const index = indexOf([...services.tools()]);
      const all = index.search(query, limit + 1, ({ name }) => choice.has(name));
      const found = all.slice(0, limit);
      const result = {
        query,
        count: found.length,
        tools: found.map((tool) => ({
          name: tool.name,
          summary: summaryOf(tool),
          ...(active.has(tool.name) ? { active: true } : {}),
        })),
      };
      return data(result, { omitted: all.length > limit ? [worse(limit)] : [] });
    },
  });
}

/** Returns the entry of `omitted` for tools that match less well than the shown ones. */
function worse(limit: number): Omission {
  const how = "a larger limit, or other words";
  return { what: "tools that fit less", amount: "1 or more", why: `at most ${limit} are shown`, how };
}

/** Makes the index again when the tools have changed. */
function rememberLast(make: (tools: readonly ToolInfo[]) => ToolIndex) {
  let last: { tools: readonly ToolInfo[]; index: ToolIndex } | undefined;
  return (tools: readonly ToolInfo[]): ToolIndex => {
    const isSame = last?.tools.length === tools.length && tools.every((tool, at) => tool === last?.tools[at]);
    if (!isSame) last = { tools, index: make(tools) };
    return last!.index;
  };
}

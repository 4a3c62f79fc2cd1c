import { data, defineTool, failure, type PartialResult, type ToolContext } from "@toolmount/core";
import { z } from "zod";
import type { EngineSettings, Settings } from "../config.ts";
import { FetchProblem } from "../fetch/problem.ts";
import { askEngine, createEngine } from "../search/ask-engine.ts";
import type { Engine } from "../search/engine.ts";
import { openWeb, type Services, type Web } from "../web.ts";
import { answering } from "./web-fetch.ts";
import { webSearchUsage as usage } from "../usage/web-search.ts";

const missing = "Query is required";

const schema = z.strictObject({
  query: z
    .string({ error: missing })
    .regex(/\S/, missing)
    .max(2000)
    .describe("The search text, as you would type it"),
  max_results: z
    .int()
    .min(1)
    .max(50)
    .optional()
    .describe("Most results to return; default: the plan's setting"),
});

const outputSchema = z.strictObject({
  query: z.string(),
  results: z.array(z.strictObject({ title: z.string(), url: z.string(), snippet: z.string() })),
  count: z.int(),
  engine: z.enum(["searxng", "brave", "tavily"]),
});

/** Makes the tool `web_search`, which searches the web with the engines in the settings. */
export function createWebSearch(settings: Settings = {}, services?: Services) {
  return webSearchIn(openWeb(settings, services));
}

export function webSearchIn(web: Web) {
  const engines = web.settings.engines.map((each) => ({
    type: each.type,
    ask: createEngine(each, web.settings),
  }));
  return defineTool({
    name: "web_search",
    description:
      "Searches the web and returns titles, addresses and snippets. Use to find pages on a topic; to read one, use web_fetch.",
    summary: "Searches the web.",
    usage,
    schema,
    outputSchema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    timeout: Math.ceil(web.settings.timeout * 1000) * Math.max(1, engines.length) + 5_000,
    idempotent: true,
    tags: ["web"],
    version: "1.0.0",
    execute: (params, context) => answering(() => search(web, engines, params, context)),
  });
}

/** Asks the engines in turn until one of them answers. An empty list of results is an answer. */
async function search(
  web: Web,
  engines: readonly { readonly type: EngineSettings["type"]; readonly ask: Engine }[],
  { query, max_results: limit = web.settings.max_results }: z.output<typeof schema>,
  { abortSignal, logger }: ToolContext,
): Promise<PartialResult> {
  const failed: string[] = [];
  for (const { type, ask } of engines) {
    try {
      const results = await askEngine(web, type, ask, { query, limit }, abortSignal);
      return data({ query, results, count: results.length, engine: type });
    } catch (thrown) {
      if (!(thrown instanceof FetchProblem) || thrown.code === "FETCH_CANCELLED") throw thrown;
      logger.warn({ engine: type, code: thrown.code }, "a search engine did not answer");
      failed.push(thrown.message);
    }
  }
  if (failed.length > 0) return failure(`Search failed: ${failed.join("; ")}`, { code: "SEARCH_FAILED" });
  return failure(
    "No search engine is configured; add one under engines in the plan's config of this module",
    {
      code: "NOT_CONFIGURED",
    },
  );
}

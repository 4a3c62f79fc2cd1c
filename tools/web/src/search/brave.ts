import { z } from "zod";
import type { EngineMaker } from "./engine.ts";
import { withQuery } from "./searxng.ts";

const answerShape = z.object({
  web: z
    .object({
      results: z.array(
        z.object({
          title: z.string().catch(""),
          url: z.string(),
          description: z.string().nullish().catch(""),
        }),
      ),
    })
    .nullish(),
  type: z.literal("search"),
});

/** Maximum number of results of one request. Source: Brave's API reference. */
const most = 20;

/** Brave's web search. A response without `web` counts as one without results. */
export const brave: EngineMaker<"brave"> = ({ url, api_key }, { user_agent }) => {
  const headers = { accept: "application/json", "user-agent": user_agent, "x-subscription-token": api_key };
  return (query, limit) => ({
    url: withQuery(new URL(url), { q: query, count: String(Math.min(limit, most)) }),
    request: { method: "GET", headers },
    read(answer) {
      const parsed = answerShape.safeParse(answer);
      if (!parsed.success) return null;
      const found = parsed.data.web?.results ?? [];
      return found.map(({ title, url: address, description }) => ({
        title,
        url: address,
        snippet: description ?? "",
      }));
    },
  });
};

import { z } from "zod";
import type { EngineMaker } from "./engine.ts";

const answerShape = z.object({
  results: z.array(
    z.object({ title: z.string().catch(""), url: z.string(), content: z.string().nullish().catch("") }),
  ),
});

/** Maximum number of results of one request. Source: Tavily's API reference. */
const most = 20;

/** Makes the engine that searches with Tavily. */
export const tavily: EngineMaker<"tavily"> = ({ url, api_key }, { user_agent }) => {
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": user_agent,
    authorization: `Bearer ${api_key}`,
  };
  return (query, limit) => ({
    url,
    request: { method: "POST", headers, body: JSON.stringify({ query, max_results: Math.min(limit, most) }) },
    read: (answer) =>
      answerShape.safeParse(answer).data?.results.map(({ title, url: found, content }) => ({
        title,
        url: found,
        snippet: content ?? "",
      })) ?? null,
  });
};

import { z } from "zod";
import type { EngineMaker } from "./engine.ts";

const answerShape = z.object({
  results: z.array(
    z.object({ title: z.string().catch(""), url: z.string(), content: z.string().nullish().catch("") }),
  ),
});

/** A SearXNG instance, whose settings must offer the format `json`. */
export const searxng: EngineMaker<"searxng"> = ({ url }, { user_agent }) => {
  const address = new URL("search", url.endsWith("/") ? url : `${url}/`);
  return (query) => ({
    url: withQuery(address, { q: query, format: "json" }),
    request: { method: "GET", headers: { accept: "application/json", "user-agent": user_agent } },
    read: (answer) =>
      answerShape.safeParse(answer).data?.results.map(({ title, url: found, content }) => ({
        title,
        url: found,
        snippet: content ?? "",
      })) ?? null,
  });
};

/** Returns a copy of an address with added query parameters. */
export function withQuery(address: URL, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

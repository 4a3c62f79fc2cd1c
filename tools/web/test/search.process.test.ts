import { createWebSearch, type Settings } from "@toolmount/tool-web";
import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { serve } from "./world.ts";

/** An engine on this machine that answers with JSON; notes what it was asked. */
async function engine(answer: unknown, status = 200) {
  const asked: { method: string; url: URL; headers: IncomingMessage["headers"]; body: string }[] = [];
  const { url } = await serve((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { method = "", headers } = request;
      asked.push({ method, headers, body, url: new URL(request.url ?? "/", "http://engine.test") });
      response.writeHead(status, { "content-type": "application/json", location: "/elsewhere" });
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
    });
  });
  return { url, asked };
}

const found = (at: number) => ({ title: `Title ${at}`, url: `https://example.com/${at}` });
const many = Array.from({ length: 12 }, (_, at) => at);

test("AMP-27: SearXNG is asked for JSON, and its results are returned", async () => {
  const { url, asked } = await engine({
    query: "q",
    results: many.map((at) => ({ ...found(at), content: `About ${at}`, engine: "x", score: 1 })),
  });
  const tool = createWebSearch({ engines: [{ type: "searxng", url: url("/") }] });

  expect((await tool.execute({ query: "node & more?", max_results: 2 })).data).toEqual({
    query: "node & more?",
    results: [
      { ...found(0), snippet: "About 0" },
      { ...found(1), snippet: "About 1" },
    ],
    count: 2,
    engine: "searxng",
  });
  expect(asked[0]?.url.pathname).toBe("/search");
  expect(Object.fromEntries(asked[0]!.url.searchParams)).toEqual({ q: "node & more?", format: "json" });
});

test("a SearXNG below a path is asked there", async () => {
  const { url, asked } = await engine({ results: [] });
  await createWebSearch({ engines: [{ type: "searxng", url: url("/sub") }] }).execute({ query: "q" });

  expect(asked[0]?.url.pathname).toBe("/sub/search");
});

test("Brave is asked with its token, and its results are returned as plain text", async () => {
  const { url, asked } = await engine({
    type: "search",
    web: {
      results: many.map((at) => ({ ...found(at), description: "a <strong>marked</strong> &amp; plain" })),
    },
  });
  const tool = createWebSearch({
    engines: [{ type: "brave", api_key: "key-1", url: url("/res/v1/web/search") }],
  });

  expect((await tool.execute({ query: "q" })).data).toMatchObject({
    engine: "brave",
    count: 5,
    results: expect.arrayContaining([{ ...found(0), snippet: "a marked & plain" }]),
  });
  expect(asked[0]?.headers["x-subscription-token"]).toBe("key-1");
  expect(Object.fromEntries(asked[0]!.url.searchParams)).toEqual({ q: "q", count: "5" });
});

test("an answer of Brave without web results has found nothing", async () => {
  const { url } = await engine({ type: "search", query: {} });
  const tool = createWebSearch({ engines: [{ type: "brave", api_key: "k", url: url() }] });

  expect((await tool.execute({ query: "q" })).data).toMatchObject({ results: [], count: 0 });
});

test("Tavily is asked by a POST with its token, and its results are returned", async () => {
  const { url, asked } = await engine({
    results: [{ ...found(0), content: "text", score: 0.9 }],
    response_time: 1,
  });
  const tool = createWebSearch({
    engines: [{ type: "tavily", api_key: "key-2", url: url("/search") }],
    max_results: 3,
  });

  expect((await tool.execute({ query: "q" })).data).toMatchObject({
    engine: "tavily",
    results: [{ ...found(0), snippet: "text" }],
  });
  expect(asked[0]).toMatchObject({ method: "POST", headers: { authorization: "Bearer key-2" } });
  expect(JSON.parse(asked[0]!.body)).toEqual({ query: "q", max_results: 3 });
});

test("a search without a configured engine fails", async () => {
  expect(await createWebSearch().execute({ query: "q" })).toMatchObject({
    error: "No search engine is configured; add one under engines in the plan's config of this module",
    code: "NOT_CONFIGURED",
  });
});

test.each([{ params: {} }, { params: { query: "" } }, { params: { query: " \n" } }])(
  "APTIX-77: $params is refused in the tool's own words",
  async ({ params }) => {
    expect(await createWebSearch().execute(params)).toMatchObject({
      error: "Query is required",
      code: "INVALID_ARGUMENTS",
    });
  },
);

test("when one engine fails the next is asked", async () => {
  const broken = await engine("oops", 500);
  const works = await engine({ results: [{ ...found(1), content: "c" }] });
  const engines: Settings["engines"] = [
    { type: "brave", api_key: "k", url: broken.url() },
    { type: "searxng", url: works.url() },
  ];

  expect((await createWebSearch({ engines }).execute({ query: "q" })).data).toMatchObject({
    engine: "searxng",
    count: 1,
  });
  expect(broken.asked).toHaveLength(1);
});

test.each([
  ["an error", 500, "{}", "brave answered with HTTP 500"],
  ["a refusal", 401, "{}", "brave answered with HTTP 401"],
  ["too many questions", 429, "{}", "brave answered with HTTP 429"],
  ["a redirect, which could carry the key elsewhere", 302, "{}", "brave answered with HTTP 302"],
  ["text that is not JSON", 200, "<html>", "brave answered without a list of results"],
  ["another JSON", 200, '{"results":"none"}', "brave answered without a list of results"],
  [
    "a list of nonsense",
    200,
    '{"type":"search","web":{"results":[1]}}',
    "brave answered without a list of results",
  ],
])(
  "an engine that answers with %s: the search fails, and the error has no key",
  async (_title, status, body, message) => {
    const { url, asked } = await engine(body, status);
    const result = await createWebSearch({
      engines: [{ type: "brave", api_key: "secret-key", url: url() }],
    }).execute({ query: "q" });

    expect(result).toMatchObject({ error: `Search failed: ${message}`, code: "SEARCH_FAILED" });
    expect(JSON.stringify(result)).not.toContain("secret-key");
    expect(asked).toHaveLength(1);
  },
);

test("an unreachable engine is reported without its address", async () => {
  const tool = createWebSearch({ engines: [{ type: "searxng", url: "http://127.0.0.1:1/" }] });

  expect(await tool.execute({ query: "q" })).toMatchObject({
    error: "Search failed: Cannot fetch results from searxng: the connection failed (ECONNREFUSED)",
  });
});

test("results that lead nowhere a browser would go are left out", async () => {
  const { url } = await engine({
    results: [
      { title: "a", url: "javascript:alert(1)", content: "" },
      { title: "b", url: "not a url", content: "" },
      { title: "c", url: "https://example.com/", content: null },
    ],
  });

  expect(
    (await createWebSearch({ engines: [{ type: "searxng", url: url() }] }).execute({ query: "q" })).data,
  ).toMatchObject({
    count: 1,
    results: [{ title: "c", url: "https://example.com/", snippet: "" }],
  });
});

test("FORGE-31: a search that was cancelled before asks no engine", async () => {
  const { url, asked } = await engine({ results: [] });
  const tool = createWebSearch({ engines: [{ type: "searxng", url: url() }] });

  expect(await tool.execute({ query: "q" }, { abortSignal: AbortSignal.abort() })).toMatchObject({
    error: "Request was cancelled",
  });
  expect(asked).toEqual([]);
});

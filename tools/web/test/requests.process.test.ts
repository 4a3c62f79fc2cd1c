import { createWebFetch, createWebSearch, type Settings } from "@toolmount/tool-web";
import { expect, test } from "vitest";
import { resolver, serve, transport } from "./world.ts";

/** A server that notes the requests it gets. */
async function noting(body = "{}") {
  const seen: object[] = [];
  const server = await serve((request, response) => {
    let sent = "";
    request.on("data", (chunk: Buffer) => (sent += chunk.toString()));
    request.on("end", () => {
      const { host: _, ...headers } = request.headers;
      seen.push({ method: request.method, url: request.url, headers, body: sent });
      response.writeHead(200, { "content-type": "application/json" }).end(body);
    });
  });
  return { seen, ...server };
}

const common = { "accept-encoding": "gzip, deflate, br", connection: "keep-alive" };

test("a fetch asks for a page that a model can read, in English where there is a choice", async () => {
  const { seen, url, port } = await noting();
  await createWebFetch({ allow_private: true, allowed_ports: [port] }).execute({ url: url("/a?b=c#d") });

  expect(seen).toEqual([
    {
      method: "GET",
      url: "/a?b=c",
      body: "",
      headers: {
        ...common,
        accept:
          "text/markdown, text/html, application/xhtml+xml, application/json, text/*;q=0.9, application/pdf;q=0.8, */*;q=0.5",
        "accept-language": "en, *;q=0.5",
        "user-agent": "toolmount/1.0",
      },
    },
  ]);
});

type EngineSettings = NonNullable<Settings["engines"]>[number];

const questions: readonly [EngineSettings, params: object, request: object][] = [
  [
    { type: "searxng", url: "http://engine.test/?x=1" },
    { query: "a & b", max_results: 3 },
    {
      method: "GET",
      url: "/search?q=a+%26+b&format=json",
      body: "",
      headers: { ...common, accept: "application/json", "user-agent": "toolmount/1.0" },
    },
  ],
  [
    { type: "brave", api_key: "key-1", url: "http://engine.test/web?x=1" },
    { query: "a", max_results: 21 },
    {
      method: "GET",
      url: "/web?x=1&q=a&count=20",
      body: "",
      headers: {
        ...common,
        accept: "application/json",
        "user-agent": "toolmount/1.0",
        "x-subscription-token": "key-1",
      },
    },
  ],
  [
    { type: "tavily", api_key: "key-2", url: "http://engine.test/search" },
    { query: "a", max_results: 21 },
    {
      method: "POST",
      url: "/search",
      body: '{"query":"a","max_results":20}',
      headers: {
        ...common,
        accept: "application/json",
        "content-type": "application/json",
        "content-length": "30",
        "user-agent": "toolmount/1.0",
        authorization: "Bearer key-2",
      },
    },
  ],
];

test.each(questions)("the engine %j gets the whole question %j", async (engine, params, request) => {
  const { seen, port } = await noting();
  const connect = transport(port);
  const resolve = resolver({ "engine.test": ["10.0.0.1"] });
  await createWebSearch({ engines: [engine] }, { connect, resolve }).execute({ ...params });

  expect(seen).toEqual([request]);
  expect(connect.asked).toEqual([{ address: "10.0.0.1", port: 80, secure: false, host: "engine.test" }]);
});

test.each([
  [{ type: "brave", api_key: "k" }, "api.search.brave.com"],
  [{ type: "tavily", api_key: "k" }, "api.tavily.com"],
  [{ type: "searxng", url: "https://[2001:db8::1]:8443/" }, "2001:db8::1"],
  [{ type: "searxng", url: "http://127.0.0.2:81/" }, "127.0.0.2"],
] as const)("the engine %j is asked at its own address", async (engine, host) => {
  const { port } = await noting();
  const connect = transport(port);
  const resolve = resolver({
    "api.search.brave.com": ["93.184.216.34"],
    "api.tavily.com": ["93.184.216.35"],
  });
  await createWebSearch({ engines: [{ ...engine }] }, { connect, resolve }).execute({ query: "q" });
  const url = "url" in engine ? new URL(engine.url) : null;

  expect(resolve.asked).toEqual(url === null ? [host] : []);
  expect(connect.asked[0]).toMatchObject({
    host,
    secure: url?.protocol !== "http:",
    port: url === null ? 443 : Number(url.port),
  });
});

const results = {
  searxng: '{"results":[{"url":"https://a.org/","title":5,"content":"<b>x</b>\\u0000 &amp;  y"}]}',
  tavily: '{"results":[{"url":"https://a.org/","title":"T","content":7}]}',
  brave: '{"type":"search","web":{"results":[{"url":"https://a.org/","title":" T\\n ","description":null}]}}',
};

test.each([
  ["searxng", { title: "", url: "https://a.org/", snippet: "x & y" }],
  ["tavily", { title: "T", url: "https://a.org/", snippet: "" }],
  ["brave", { title: "T", url: "https://a.org/", snippet: "" }],
] as const)("what %s says is returned as plain text, as far as it is text", async (type, found) => {
  const { url } = await noting(results[type]);
  const engine = { type, api_key: "k", url: url("/") };
  const settings = { engines: [type === "searxng" ? { type, url: url("/") } : engine] } as Settings;

  expect((await createWebSearch(settings).execute({ query: "q" })).data).toEqual({
    query: "q",
    results: [found],
    count: 1,
    engine: type,
  });
});

test.each([
  ["searxng", '{"results":[{"title":"no address"}]}'],
  ["searxng", "[]"],
  ["tavily", '{"answers":[]}'],
  ["brave", '{"type":"suggest","web":{"results":[]}}'],
] as const)("%s that answers %s has no list of results", async (type, body) => {
  const { url } = await noting(body);
  const engine = { type, url: url("/"), ...(type === "searxng" ? {} : { api_key: "k" }) } as EngineSettings;

  expect(await createWebSearch({ engines: [engine] }).execute({ query: "q" })).toMatchObject({
    error: `Search failed: ${type} answered without a list of results`,
    code: "SEARCH_FAILED",
  });
});

test("every engine that did not answer is named, in their order", async () => {
  const { url } = await noting("{}");
  const warnings: unknown[] = [];
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (...line: unknown[]) => void warnings.push(line),
  };
  const engines: Settings["engines"] = [
    { type: "searxng", url: url("/") },
    { type: "tavily", api_key: "k", url: "http://127.0.0.1:1/" },
  ];

  expect(await createWebSearch({ engines }).execute({ query: "q" }, { logger } as never)).toMatchObject({
    error:
      "Search failed: searxng answered without a list of results; Cannot fetch results from tavily: the connection failed (ECONNREFUSED)",
    code: "SEARCH_FAILED",
  });
  expect(warnings).toEqual([
    [{ engine: "searxng", code: "FETCH_FAILED" }, "a search engine did not answer"],
    [{ engine: "tavily", code: "FETCH_FAILED" }, "a search engine did not answer"],
  ]);
});

test("an answer of an engine of more than 4 MB is too large", async () => {
  const { url } = await noting(`{"results":[]${" ".repeat(4_194_304)}}`);
  const engines: Settings["engines"] = [{ type: "searxng", url: url("/") }];

  expect(await createWebSearch({ engines }).execute({ query: "q" })).toMatchObject({
    error: "Search failed: Response too large: more than 4194304 bytes",
  });
});

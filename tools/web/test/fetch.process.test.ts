import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { ServerResponse } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { systemClock } from "@toolmount/core";
import { createWebFetch, type Settings } from "@toolmount/tool-web";
import { expect, onTestFinished, test } from "vitest";
import { deadTransport, serve } from "./world.ts";

const text = { "content-type": "text/plain" };

/** A fetch that may ask servers on this machine. */
function fetching(port: number, settings: Settings = {}) {
  return createWebFetch({ allow_private: true, allowed_ports: [port], timeout: 60, ...settings });
}

test("AMP-21, AMP-27: a page is fetched, and says how large it is and where it came from", async () => {
  const { port, url } = await serve((_request, response) => response.writeHead(200, text).end("hello"));

  expect(await fetching(port).execute({ url: url("/a") })).toEqual({
    tool: "web_fetch",
    fetchedAt: expect.any(String),
    data: {
      url: url("/a"),
      final_url: url("/a"),
      content: "hello",
      content_type: "text/plain",
      truncated: false,
      total_bytes: 5,
      total_characters: 5,
      offset: 0,
      limit: 204_800,
      next_offset: null,
      returned_bytes: 5,
    },
  });
});

test.each([
  { title: "nothing", params: {} },
  { title: "an empty url", params: { url: "" } },
  { title: "a blank url", params: { url: " " } },
])("APTIX-77: $title is refused in the tool's own words", async ({ params }) => {
  expect(await createWebFetch().execute(params)).toMatchObject({
    error: "URL is required",
    code: "INVALID_ARGUMENTS",
  });
});

test("a request says who asks, and carries nothing else: no cookie, no referrer, no credentials", async () => {
  const seen: string[] = [];
  const { port, url } = await serve((request, response) => {
    seen.push(...Object.keys(request.headers), request.headers["user-agent"] ?? "");
    response.writeHead(200, { ...text, "set-cookie": "a=b" }).end("x");
  });
  const tool = fetching(port, { user_agent: "tests/1" });
  await tool.execute({ url: url() });
  await tool.execute({ url: url() });

  expect([...new Set(seen)].toSorted()).toEqual(
    [
      "accept",
      "accept-encoding",
      "accept-language",
      "connection",
      "host",
      "tests/1",
      "user-agent",
    ].toSorted(),
  );
});

test.each([301, 302, 303, 307, 308])("a redirect with status %i is followed", async (status) => {
  const { port, url } = await serve((request, response) =>
    request.url === "/b"
      ? response.writeHead(200, text).end("there")
      : response.writeHead(status, { location: "/b" }).end(),
  );

  expect((await fetching(port).execute({ url: url("/a") })).data).toMatchObject({
    content: "there",
    final_url: url("/b"),
  });
});

test.each([
  "http://169.254.169.254/latest/meta-data/",
  "http://[::ffff:169.254.169.254]/",
  "file:///etc/passwd",
  "http://127.0.0.1:1/",
  "http://user:pass@127.0.0.1/",
  "//0.0.0.0/",
  "javascript:alert(1)",
])("a redirect to %s is refused", async (location) => {
  const { port, url } = await serve((_request, response) => response.writeHead(302, { location }).end());

  expect(await fetching(port).execute({ url: url() })).toMatchObject({
    code: "URL_BLOCKED",
    error: expect.stringMatching(/^Invalid or blocked URL: .* \(the target of a redirect\)$/),
  });
});

test("a redirect that goes round in circles ends", async () => {
  let asked = 0;
  const { port, url } = await serve((_request, response) => {
    asked++;
    response.writeHead(302, { location: "/again" }).end();
  });

  expect(await fetching(port, { max_redirects: 3 }).execute({ url: url() })).toMatchObject({
    code: "TOO_MANY_REDIRECTS",
  });
  expect(asked).toBe(4);
});

test("a redirect without a place to go is an answer like any other", async () => {
  const { port, url } = await serve((_request, response) => response.writeHead(302).end());

  expect(await fetching(port).execute({ url: url() })).toMatchObject({
    error: "HTTP 302: Found",
    code: "HTTP_ERROR",
  });
});

test.each([
  [404, "HTTP 404: Not Found"],
  [500, "HTTP 500: Internal Server Error"],
  [401, "HTTP 401: Unauthorized"],
])("status %i is reported", async (status, error) => {
  const { port, url } = await serve((_request, response) => response.writeHead(status).end());

  expect(await fetching(port).execute({ url: url() })).toMatchObject({
    error,
    code: "HTTP_ERROR",
    details: { status },
  });
});

test("the words of a server about an error reach the model, and when to ask again", async () => {
  const { port, url } = await serve((_request, response) =>
    response
      .writeHead(429, { "retry-after": "120", "content-type": "application/json" })
      .end('{"use":"/v2"}'),
  );

  expect(await fetching(port).execute({ url: url() })).toMatchObject({
    error: 'HTTP 429: Too Many Requests. Retry-After: 120. The server says: {"use":"/v2"}',
    details: { status: 429, retry_after: "120" },
  });
});

test.each([201, 203, 206])("status %i is a success that says which it is", async (status) => {
  const { port, url } = await serve((_request, response) =>
    response.writeHead(status, { "content-type": "text/plain" }).end("words"),
  );

  expect(await fetching(port).execute({ url: url() })).toMatchObject({
    data: { content: "words" },
    warnings: [expect.stringContaining(`HTTP ${status}`)],
  });
});

test("a redirect that waits for its cookie gets it, and another origin does not", async () => {
  const seen: (string | undefined)[] = [];
  const other = await serve((request, response) => {
    seen.push(request.headers.cookie);
    response.writeHead(200, { "content-type": "text/plain" }).end("there");
  });
  const { port, url } = await serve((request, response) => {
    seen.push(request.headers.cookie);
    const isKnown = request.headers.cookie === "a=1; b=2";
    const location = isKnown ? other.url("/") : request.url!;
    response
      .writeHead(302, { location, "set-cookie": ["a=1; Path=/", "b=2; HttpOnly", "c=3; Max-Age=0"] })
      .end();
  });
  const tool = createWebFetch({ allow_private: true, allowed_ports: [port, other.port] });

  expect(await tool.execute({ url: url() })).toMatchObject({ data: { content: "there" } });
  expect(seen).toEqual([undefined, "a=1; b=2", undefined]);
});

test("the bytes of UTF-8 in a redirect are an address", async () => {
  const { port, url } = await serve((request, response) => {
    if (request.url === "/caf%C3%A9") response.writeHead(200, { "content-type": "text/plain" }).end("here");
    else response.writeHead(302, { location: Buffer.from("/café").toString("latin1") }).end();
  });

  expect(await fetching(port).execute({ url: url() })).toMatchObject({ data: { content: "here" } });
});

test.each(["element", "header"])(
  "a page that only refreshes, by its %s, is followed through the guard",
  async (by) => {
    const target = { "/": "/docs/", "/out": "http://10.0.0.1/", "/loop": "/loop?" } as Readonly<
      Record<string, string>
    >;
    const { port, url } = await serve((request, response) => {
      const to = target[request.url!.replace(/\?.*/, "")];
      const refresh = `0; url=${to}${to === "/loop?" ? Math.random() : ""}`;
      if (to === undefined) response.writeHead(200, { "content-type": "text/html" }).end("<p>the docs</p>");
      else if (by === "header")
        response.writeHead(200, { "content-type": "text/html", refresh }).end("<p>x</p>");
      else response.end(`<html><meta http-equiv=refresh content="${refresh}"><title>Redirecting</title>`);
    });
    expect(await fetching(port).execute({ url: url() })).toMatchObject({
      data: { content: "the docs", final_url: url("/docs/") },
    });
    expect(await fetching(port).execute({ url: url("/loop") })).toMatchObject({ code: "TOO_MANY_REDIRECTS" });
    expect(await fetching(port).execute({ url: url("/out") })).not.toHaveProperty("data");
  },
);

test("deflate without its header is read, as browsers read it", async () => {
  const { port, url } = await serve((_request, response) =>
    response
      .writeHead(200, { "content-type": "text/plain", "content-encoding": "deflate" })
      .end(deflateRawSync("raw words")),
  );

  expect(await fetching(port).execute({ url: url() })).toMatchObject({ data: { content: "raw words" } });
});

const compress = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  "x-gzip": gzipSync,
};

test.each(Object.entries(compress))("a body in %s is read", async (encoding, pack) => {
  const { port, url } = await serve((_request, response) =>
    response.writeHead(200, { ...text, "content-encoding": encoding }).end(pack("squeezed")),
  );

  expect((await fetching(port).execute({ url: url() })).data).toMatchObject({ content: "squeezed" });
});

test("a body compressed twice over is read, four times over refused", async () => {
  const { port, url } = await serve((request, response) => {
    const times = request.url === "/2" ? 2 : 4;
    const body = Array.from({ length: times }).reduce<Buffer>(
      (bytes) => gzipSync(bytes),
      Buffer.from("deep"),
    );
    response
      .writeHead(200, { ...text, "content-encoding": Array.from({ length: times }, () => "gzip").join(", ") })
      .end(body);
  });

  expect((await fetching(port).execute({ url: url("/2") })).data).toMatchObject({ content: "deep" });
  expect(await fetching(port).execute({ url: url("/4") })).toMatchObject({ code: "FETCH_FAILED" });
});

test.each(Object.entries(compress))("a bomb in %s is stopped at the limit", async (encoding, pack) => {
  const bomb = pack(Buffer.alloc(30_000_000));
  const { port, url } = await serve((_request, response) =>
    response.writeHead(200, { ...text, "content-encoding": encoding }).end(bomb),
  );

  expect(await fetching(port, { max_decoded_bytes: 100_000 }).execute({ url: url() })).toMatchObject({
    error: "Response too large: more than 100000 bytes",
    code: "RESPONSE_TOO_LARGE",
  });
});

test.each(["gzip", "deflate", "br", "zstd", "compress"])(
  "a body with a wrong encoding %s is reported",
  async (encoding) => {
    const { port, url } = await serve((_request, response) =>
      response
        .writeHead(200, { ...text, "content-encoding": encoding })
        .end("plain text, and long enough to look at"),
    );

    expect(await fetching(port).execute({ url: url() })).toMatchObject({ code: "FETCH_FAILED" });
  },
);

test("a body without end is stopped at the limit, and the server notices", async () => {
  let gone: () => void;
  const closed = new Promise<void>((resolve) => (gone = resolve));
  const { port, url } = await serve((_request, response) => {
    response.writeHead(200, text).once("close", () => gone());
    pour(response);
  });

  expect(await fetching(port, { max_download_bytes: 200_000 }).execute({ url: url() })).toMatchObject({
    code: "RESPONSE_TOO_LARGE",
    details: { max_bytes: 200_000 },
  });
  await closed;
});

function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write("x".repeat(16_384)));
  if (!response.destroyed) response.once("drain", () => pour(response));
}

test("a server that drips is given up when the time is up", async () => {
  const clock = steeredClock();
  const { port, url } = await serve((_request, response) => {
    response.writeHead(200, text).write("drip");
    clock.passAll();
  });
  const tool = createWebFetch({ allow_private: true, allowed_ports: [port] }, { clock });

  expect(await tool.execute({ url: url() })).toMatchObject({
    error: `Timeout fetching ${url()}`,
    code: "FETCH_TIMED_OUT",
  });
});

test("a server that never answers is given up when the time is up", async () => {
  const clock = steeredClock();
  const { port, url } = await serve(() => clock.passAll());
  const tool = createWebFetch({ allow_private: true, allowed_ports: [port] }, { clock });

  expect(await tool.execute({ url: url() })).toMatchObject({ code: "FETCH_TIMED_OUT" });
});

test("a name server that never answers is given up when the time is up", async () => {
  const clock = steeredClock();
  const resolve = () => {
    setImmediate(() => clock.passAll());
    return new Promise<never>(() => {});
  };

  expect(await createWebFetch({}, { resolve, clock }).execute({ url: "http://slow.test/" })).toMatchObject({
    code: "FETCH_TIMED_OUT",
  });
});

test("FORGE-30, FORGE-31: a fetch that was cancelled before its start connects nowhere", async () => {
  const connect = deadTransport();
  const tool = createWebFetch({}, { connect });

  expect(
    await tool.execute({ url: "http://93.184.216.34/" }, { abortSignal: AbortSignal.abort() }),
  ).toMatchObject({
    error: "Request was cancelled",
  });
  expect(connect.asked).toEqual([]);
});

test("a fetch that is cancelled lets go of the connection", async () => {
  const caller = new AbortController();
  let gone: () => void;
  const closed = new Promise<void>((resolve) => (gone = resolve));
  const { port, url } = await serve((request, response) => {
    request.socket.once("close", () => gone());
    response.writeHead(200, text).write("begun");
    caller.abort();
  });

  expect(await fetching(port).execute({ url: url() }, { abortSignal: caller.signal })).toMatchObject({
    error: "Request was cancelled",
    code: "FETCH_CANCELLED",
  });
  await closed;
});

test.each([
  ["speaks no HTTP", "220 smtp ready\r\n"],
  ["hangs up", ""],
  ["sends headers without end", `HTTP/1.1 200 OK\r\n${"x-long: y\r\n".repeat(20_000)}`],
  ["lies about its length", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"],
  ["sends two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello"],
  ["breaks off a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nshort"],
])("a server that %s is a failure", async (_title, answer) => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(answer));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  expect(await fetching(port).execute({ url: `http://127.0.0.1:${port}/` })).toMatchObject({
    code: "FETCH_FAILED",
  });
});

test("a refused connection: the failure names the kind, and no other address", async () => {
  const { port, url } = await serve(() => {});
  const { error, code } = await fetching(1).execute({ url: url().replace(String(port), "1") });

  expect({ error, code }).toEqual({
    error: "Cannot fetch http://127.0.0.1:1/: the connection failed (ECONNREFUSED)",
    code: "FETCH_FAILED",
  });
});

test("no proxy of the environment is used", async () => {
  const proxied: string[] = [];
  const proxy = await serve((request, response) => {
    proxied.push(request.url ?? "");
    response.end();
  });
  process.env["http_proxy"] = proxy.url();
  process.env["HTTP_PROXY"] = proxy.url();
  onTestFinished(() => {
    delete process.env["http_proxy"];
    delete process.env["HTTP_PROXY"];
  });
  const { port, url } = await serve((_request, response) => response.writeHead(200, text).end("direct"));

  expect((await fetching(port).execute({ url: url() })).data).toMatchObject({ content: "direct" });
  expect(proxied).toEqual([]);
});

/** The machine's clock; a test can let all its timers expire. */
function steeredClock() {
  const waiting = new Set<() => void>();
  return {
    now: systemClock.now,
    setTimer(callback: () => void) {
      waiting.add(callback);
      return { cancel: () => void waiting.delete(callback), keepAlive: () => {} };
    },
    passAll() {
      for (const callback of waiting) callback();
    },
  };
}

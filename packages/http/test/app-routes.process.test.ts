import { createMemoryStore, silentLogger } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { clockOfLooks } from "./support/clock.ts";
import { createWorld, serve, type Tokens } from "./support/world.ts";

const path = "/api/v1/hosts/default";

/** A server of two hosts, of which one serves MCP; what the protocol is asked and what the server logs are noted. */
async function world(respond: () => Response = () => Response.json({ ok: true })) {
  const asked: unknown[] = [];
  const logged: unknown[][] = [];
  const looks = clockOfLooks(15_000);
  const logger = { ...silentLogger, error: (...words: unknown[]) => void logged.push(words) };
  const mcp = {
    async fetch(
      request: Request,
      { authInfo }: { authInfo: { extra: { signInPage?: (name: string) => string } } },
    ) {
      const { signInPage, ...extra } = authInfo.extra;
      const page = signInPage?.("files");
      asked.push([
        new URL(request.url).pathname,
        await request.text(),
        { ...authInfo, extra: { ...extra, page } },
      ]);
      return respond();
    },
    close: async () => void asked.push("closed"),
  };
  const { host, release } = createWorld({ store: createMemoryStore() });
  const signIns = async () => [];
  const served = { default: { host, mcp, signIns }, other: { host: createWorld().host } };
  const { server, tokens, ask } = await serve(served as never, { logger, clock: looks });
  const send = (route: string, as: keyof Tokens = "caller", headers: object = {}, body?: string) =>
    fetch(`${server.url}${route}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${tokens[as]}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  return { host, release, asked, logged, server, tokens, ask, send, look: () => looks.look() };
}

describe("the whole server", () => {
  test("describes itself, as its library does", async () => {
    const { send, server } = await world();
    const answer = await send("/api/v1/openapi.json");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    const document = (await answer.json()) as Record<string, never>;
    expect(document).toEqual(JSON.parse(JSON.stringify(server.document)));
    const { openapi, info, servers, security, components } = document as Record<string, object>;
    expect({ openapi, info, servers, security }).toEqual({
      openapi: "3.1.0",
      info: {
        title: "toolmount",
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        description: "Tools for agents: call them, approve calls, and see what happened.",
        license: { name: "MIT", url: "https://opensource.org/license/mit" },
      },
      servers: [{ url: "/" }],
      security: [{ token: [] }],
    });
    expect((components as { securitySchemes: object }).securitySchemes).toEqual({
      token: { type: "http", scheme: "bearer" },
    });
  });

  test("has no other path", async () => {
    const { ask } = await world();
    expect(await ask("GET", "/api/v1/none")).toEqual({
      status: 404,
      body: {
        type: "about:blank",
        title: "Not Found",
        status: 404,
        code: "NOT_FOUND",
        detail: 'there is no path "/api/v1/none"; GET /api/v1/openapi.json lists the paths',
        details: { what: 'path "/api/v1/none"' },
      },
    });
  });

  test("logs what failed, and only that", async () => {
    const { ask, logged, host } = await world();
    await ask("GET", `${path}/approvals/none`);
    expect(logged).toEqual([]);
    const err = new Error("secret");
    host.offer = () => Promise.reject(err);
    const answer = await ask("GET", `${path}/tools`);
    expect(answer).toMatchObject({ status: 500, body: { code: "SERVER_FAILED" } });
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect(logged).toEqual([[{ err, path: `${path}/tools` }, "a request failed"]]);
  });

  test("has figures, but not for a token of a user", async () => {
    const { send, ask } = await world();
    const answer = await send("/metrics");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
    ]);
    expect(await answer.text()).toContain("toolmount_calls_running");
    expect((await ask("GET", "/metrics", { as: "ana" })).body).toMatchObject({
      detail: "this token may not do that: the figures are of every user's calls",
    });
  });
});

describe("MCP", () => {
  test("of the first host, and of a named one, gets who asks, and not the token", async () => {
    const { send, asked, server } = await world();
    expect(await (await send("/mcp", "ana", {}, "{}")).json()).toEqual({ ok: true });
    await send("/mcp/default", "caller", {}, "{}");
    const authInfo = (clientId: string, user: string | null) => ({
      token: "",
      clientId,
      scopes: ["call"],
      extra: { user, page: `${server.url}/#/servers/files?host=default` },
    });
    expect(asked).toEqual([
      ["/mcp", "{}", authInfo("ana", "ana")],
      ["/mcp/default", "{}", authInfo("caller", null)],
    ]);
    await server.close({ graceMs: 0 });
    expect(asked.at(-1)).toBe("closed");
  });

  test("of a host without it, or of one that is not there, is refused", async () => {
    const { ask, asked } = await world();
    expect((await ask("POST", "/mcp/other", { body: {} })).body).toMatchObject({
      status: 501,
      code: "NOT_SERVED",
      detail: "this host has no MCP server",
    });
    expect((await ask("POST", "/mcp/none", { body: {} })).status).toBe(404);
    expect(asked).toEqual([]);
  });

  test("begins a stream of events with its first events in one piece", async () => {
    const events = ["id: 1\n\n", "data: {}\n\n"];
    const stream = new ReadableStream({
      async pull(controller) {
        const event = events.shift();
        if (event === undefined) return controller.close();
        await new Promise(setImmediate);
        controller.enqueue(new TextEncoder().encode(event));
      },
    });
    const { send } = await world(
      () => new Response(stream, { headers: { "content-type": "text/event-stream" } }),
    );
    const answer = await send("/mcp", "caller", {}, "{}");
    expect([answer.headers.get("transfer-encoding"), answer.headers.get("content-type")]).toEqual([
      "chunked",
      "text/event-stream",
    ]);
    expect(await answer.text()).toBe("id: 1\n\ndata: {}\n\n");
  });
});

describe("the events of a host", () => {
  const read = (answer: Response) => {
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const until = async (part: string) => {
      while (!text.includes(part)) text += (await reader.read()).value ?? expect.fail(`it ended: ${text}`);
      return text;
    };
    return { until, stop: () => reader.cancel() };
  };
  const events = `${path}/events`;

  test("begin with hello, have each change with its id, a sign of life, and an end", async () => {
    const { send, host, server, look } = await world();
    const { until } = read(await send(events));
    const hello = await until("\n\n");
    expect(hello).toMatch(/^event: hello\ndata: \{"version":"\d+\.\d+\.\d+[^"]*","complete":true\}\n\n$/);
    await host.call({ name: "echo" }, { userId: "ana" });
    const seen = await until('"status":"ok"');
    expect(seen.match(/event: call\n/g)).toHaveLength(4);
    const [first] = [...seen.matchAll(/^id: (.*)$/gm)].map(([, id]) => id!);
    expect(first).toMatch(/^[\w-]{8}\.1$/);
    look();
    await until("event: alive\ndata: {}\n\n");
    const again = read(await send(events, "caller", { "last-event-id": first! }));
    const missed = await again.until('"status":"ok"');
    expect([missed.includes('"complete":true'), missed.match(/event: call\n/g)?.length]).toEqual([true, 3]);
    const late = read(await send(events, "caller", { "last-event-id": "other.1" }));
    expect(await late.until("\n\n")).toContain('"complete":false');
    const closed = server.close({ graceMs: 0 });
    expect(await until("event: bye")).toMatch(/event: bye\ndata: \{\}\n\n$/);
    await closed;
  });

  test("are at most twenty streams of one token, and one that ends makes room", async () => {
    const { send, ask } = await world();
    const streams = [];
    for (let at = 0; at < 20; at++) streams.push(read(await send(events)));
    await Promise.all(streams.map(({ until }) => until("event: hello")));
    expect(await ask("GET", events, { as: "caller" })).toMatchObject({
      status: 429,
      body: { code: "TOO_MANY_OPEN", details: { open: 20 } },
    });
    expect((await send(events, "operator")).status).toBe(200);
    await streams[0]!.stop();
    await expect.poll(async () => (await send(events)).status).toBe(200);
    expect((await send(events)).status).toBe(429);
  });

  test("of a user's token are those of that user", async () => {
    const { send, host } = await world();
    const { until } = read(await send(events, "ana"));
    await until("event: hello");
    await host.call({ name: "echo" }, { userId: "bo" });
    await host.call({ name: "echo" });
    await host.call({ id: "own", name: "echo" }, { userId: "ana" });
    const seen = await until('"status":"ok"');
    expect([...seen.matchAll(/"callId":"([^"]*)"/g)].map(([, id]) => id)).toEqual(Array(4).fill("own"));
  });
});

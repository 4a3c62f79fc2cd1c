import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { folderOf, open } from "../support/world.ts";

interface Asked {
  readonly id?: number | string;
  readonly method: string;
}

const initialized = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "old", version: "1" },
};

/** What a server from before 2026 answers to a message; nothing to a notification. */
function answerTo({ id, method }: Asked): string | undefined {
  const results: Record<string, object> = {
    initialize: initialized,
    "tools/list": { tools: [{ name: "send", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "sent" }] },
  };
  if (id === undefined) return undefined;
  const result = results[method];
  const end = result === undefined ? { error: { code: -32_601, message: "Method not found" } } : { result };
  return JSON.stringify({ jsonrpc: "2.0", id, ...end });
}

type Handle = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A server over HTTP; returns its address, and the methods of the requests that it got. */
async function listen(handle: Handle) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    asked.push(`${request.method} ${body === "" ? "" : (JSON.parse(body) as Asked).method}`.trim());
    handle(request, response, body);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, asked };
}

const planOf = (url: string) => ({ version: 1, tools: [{ module: "old", source: { mcp: { url } } }] });

test.each([404, 405, 400, 403])(
  "a server that refuses a POST with %i is spoken to over SSE",
  async (status) => {
    let stream: ServerResponse | undefined;
    const { url } = await listen((request, response, body) => {
      if (request.method === "GET") {
        stream = response.writeHead(200, { "content-type": "text/event-stream" });
        stream.write("event: endpoint\ndata: /messages\n\n");
        return;
      }
      if (request.url !== "/messages") {
        response.writeHead(status).end("no");
        return;
      }
      response.writeHead(202).end();
      const answer = answerTo(JSON.parse(body) as Asked);
      if (answer !== undefined) stream?.write(`event: message\ndata: ${answer}\n\n`);
    });
    const host = await open(planOf(url));

    expect((await host.call({ name: "send" })).result.data).toBe("sent");
  },
);

test("a server that spoke only SSE is known by the next process, and found again when it speaks Streamable HTTP", async () => {
  let stream: ServerResponse | undefined;
  let isUpgraded = false;
  const { url, asked } = await listen((request, response, body) => {
    const answer = body === "" ? undefined : answerTo(JSON.parse(body) as Asked);
    if (request.method === "GET" && !isUpgraded) {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write("event: endpoint\ndata: /messages\n\n");
    } else if (request.url === "/messages") {
      response.writeHead(202).end();
      if (answer !== undefined) stream?.write(`event: message\ndata: ${answer}\n\n`);
    } else if (isUpgraded && request.method === "POST") {
      response
        .writeHead(answer === undefined ? 202 : 200, { "content-type": "application/json" })
        .end(answer);
    } else {
      response.writeHead(405).end();
    }
  });
  const cwd = await folderOf();
  const visit = async () => {
    asked.length = 0;
    const host = await open(planOf(url), { cwd });
    expect((await host.call({ name: "send" })).result.data).toBe("sent");
    const posted = asked[0];
    await host.close();
    return posted;
  };

  expect(await visit()).toBe("POST server/discover");
  expect(await visit()).toBe("GET");
  isUpgraded = true;
  expect(await visit()).toBe("GET");
  expect(await visit()).toBe("POST server/discover");
});

test("a server that refuses a POST and has no SSE is away for the first reason", async () => {
  const { url } = await listen((_, response) => void response.writeHead(404).end("no such page"));

  await expect(open(planOf(url))).rejects.toMatchObject({ message: expect.stringContaining("no such page") });
});

test.each([
  ["404", 404, { code: -32_001, message: "Session not found" }],
  ["400", 400, { code: -32_000, message: "Bad Request: No valid session ID provided" }],
  ["200", 200, { code: -32_600, message: "Session not found" }],
])("a session that is gone, which the server says with %s, is begun again", async (_, status, error) => {
  let known = "";
  let sessions = 0;
  const { url, asked } = await listen((request, response, body) => {
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse(body) as Asked;
    const isForgotten = message.method !== "initialize" && message.method !== "server/discover";
    const json = { "content-type": "application/json" };
    if (isForgotten && request.headers["mcp-session-id"] !== known) {
      response
        .writeHead(status, json)
        .end(JSON.stringify({ jsonrpc: "2.0", id: status === 200 ? message.id : null, error }));
      return;
    }
    if (message.method === "initialize") known = `s${++sessions}`;
    const answer = answerTo(message);
    if (answer === undefined) {
      response.writeHead(202).end();
      return;
    }
    response.writeHead(200, { ...json, ...(message.method === "initialize" && { "mcp-session-id": known }) });
    response.end(answer);
  });
  const host = await open(planOf(url));
  expect((await host.call({ name: "send" })).status).toBe("ok");
  known = "forgotten";

  expect((await host.call({ name: "send" })).result.data).toBe("sent");
  expect((await host.call({ name: "send" })).result.data).toBe("sent");
  expect([sessions, asked.filter((one) => one === "POST tools/call").length]).toEqual([2, 4]);
});

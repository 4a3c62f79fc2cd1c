import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { open, planOf } from "./support/world.ts";

type Answer = (answer: ServerResponse, id: unknown) => void;

const say = (answer: ServerResponse, id: unknown, result: object) => {
  answer.writeHead(200, { "content-type": "application/json" });
  answer.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
};

const whole = { content: [{ type: "text", text: "done" }] };

const done: Answer = (answer, id) => say(answer, id, whole);

/** The request was read, and the connection ends without an answer. */
const destroyed: Answer = (answer) => void answer.destroy();

/** The answer has begun as JSON, and the connection ends within it. */
const cut: Answer = (answer) => {
  answer.writeHead(200, { "content-type": "application/json" });
  answer.write('{"jsonrpc":"2.0",', () => answer.destroy());
};

const stream = { "content-type": "text/event-stream" };

/** The same, on a connection that the server would have kept. */
const cutOfKept: Answer = (answer) => {
  answer.setHeader("connection", "keep-alive");
  cut(answer, undefined);
};

/** The answer is a stream of events, and the connection ends before the result. */
const streamCut: Answer = (answer) => {
  answer.writeHead(200, stream);
  answer.write(": here\n\n", () => answer.destroy());
};

/** The stream ends in order, but without a result. */
const streamEnded: Answer = (answer) => void answer.writeHead(200, stream).end(": here\n\n");

const tools = [{ name: "act", description: "Acts.", inputSchema: { type: "object" } }];
const serverInfo = { name: "raw", version: "1.0.0" };

/** The last event of a stream, with its id. */
function sayEvent(answer: ServerResponse, id: number, message: object): void {
  answer.writeHead(200, stream).end(`id: ${id}\ndata: ${JSON.stringify(message)}\n\n`);
}

/** A stream whose first event has an id, by which the server gives the rest of it on another connection. */
const begun =
  (stop: (answer: ServerResponse) => void): Answer =>
  (answer) => {
    answer.writeHead(200, stream);
    answer.write("id: 1\nretry: 10\ndata: \n\n", () => stop(answer));
  };

/** A server from before 2026 that answers the calls of its tool as it is asked to, one after another. */
async function serve(...answers: readonly Answer[]) {
  let calls = 0;
  let last: { readonly id: unknown } | undefined;
  const resumed: string[] = [];
  const server = createServer(async (request, answer) => {
    // Each request has a connection of its own, so that a closed server refuses the next one.
    answer.setHeader("connection", "close");
    const since = request.headers["last-event-id"];
    if (request.method === "GET" && since !== undefined) {
      resumed.push(String(since));
      return sayEvent(answer, 2, { jsonrpc: "2.0", id: last?.id, result: whole });
    }
    if (request.method !== "POST") return answer.writeHead(405).end();
    const { id, method } = (await json(request)) as { id?: unknown; method: string };
    if (id === undefined) return answer.writeHead(202).end();
    if (method === "initialize")
      return say(answer, id, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
    if (method === "tools/list") return say(answer, id, { tools });
    if (method === "tools/call") {
      last = { id };
      return (answers[calls++] ?? done)(answer, id);
    }
    return answer.writeHead(400).end();
  });
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => end(server));
  return { server, port, url: `http://127.0.0.1:${port}/mcp`, calls: () => calls, resumed };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

function end(server: Server): void {
  server.closeAllConnections();
  server.close();
}

const openAt = (url: string, idempotent = false) =>
  open(planOf({ url, era: "legacy", classify: { act: { category: "read", idempotent } } }));

const act = async (host: Awaited<ReturnType<typeof open>>) => (await host.call({ name: "act" })).result;

const ways = [
  ["no answer", destroyed],
  ["half an answer", cut],
  ["half an answer of a kept connection", cutOfKept],
  ["half a stream", streamCut],
  ["a stream without a result", streamEnded],
] as const;

test.each(ways)(
  "a call whose connection gave %s is made once, and its error says that it may have had effect",
  async (_, answer) => {
    const raw = await serve(answer);
    const host = await openAt(raw.url);

    expect(await act(host)).toMatchObject({
      code: "MCP_CONNECTION_LOST",
      error:
        'the connection to the MCP server "fixture" ended while the call ran; whether it took effect is not known',
    });
    expect(raw.calls()).toBe(1);
    expect(await act(host)).toMatchObject({ data: "done" });
  },
);

test.each([500, 502, 503])(
  "a call that is answered with HTTP status %i says so, and names the server",
  async (status) => {
    const raw = await serve((answer) => void answer.writeHead(status).end("<h1>upstream</h1>"));
    const host = await openAt(raw.url);

    expect(await act(host)).toMatchObject({
      code: "MCP_HTTP_STATUS",
      error: `the MCP server "fixture" answered the call with HTTP status ${status}; whether it took effect is not known`,
      details: { status },
    });
    expect(await act(host)).toMatchObject({ data: "done" });
  },
);

test.each([
  ["broke", begun((answer) => void answer.destroy())],
  ["was closed by the server", begun((answer) => void answer.end())],
] as const)("a call whose stream %s is read on where it stopped, and is made once", async (_, answer) => {
  const raw = await serve(answer);
  const host = await openAt(raw.url);

  expect(await act(host)).toMatchObject({ data: "done" });
  expect({ calls: raw.calls(), resumed: raw.resumed }).toEqual({ calls: 1, resumed: ["1"] });
});

test.each(ways)("an idempotent tool is called again after %s", async (_, answer) => {
  const raw = await serve(answer);
  const host = await openAt(raw.url, true);

  expect(await act(host)).toMatchObject({ data: "done" });
  expect(raw.calls()).toBe(2);
});

test("a call that no server heard says why, and the next one reaches the server once it is there again", async () => {
  const raw = await serve();
  const host = await openAt(raw.url);
  expect(await act(host)).toMatchObject({ data: "done" });
  end(raw.server);
  await once(raw.server, "close");

  const { code, error } = await act(host);

  expect(code).toBe("MCP_SERVER_UNAVAILABLE");
  expect(error).toContain(`connect ECONNREFUSED 127.0.0.1:${raw.port}`);
  await listen(raw.server, raw.port);
  expect(await act(host)).toMatchObject({ data: "done" });
  expect(raw.calls()).toBe(2);
});

const wide = Object.fromEntries(Array.from({ length: 500_000 }, (_, at) => [`k${at}`, at]));
const wideResult = { content: [], structuredContent: wide };

/** Sends without an end, until the reader goes. */
function flood(answer: ServerResponse, words: string): void {
  const part = words.repeat(1_000);
  const more = () => {
    while (!answer.destroyed && answer.write(part));
  };
  answer.on("drain", more);
  more();
}

const tooLarge = [
  [
    "a body without end",
    "MCP_MESSAGE_TOO_LARGE",
    (answer) => flood(answer.writeHead(200, { "content-type": "application/json" }), " ".repeat(100)),
  ],
  [
    "an event without end",
    "MCP_CONNECTION_LOST",
    (answer) => flood(answer.writeHead(200, stream), "data: 1\n"),
  ],
  ["a line without end", "MCP_CONNECTION_LOST", (answer) => flood(answer.writeHead(200, stream), "data: 1")],
  ["an object of 500,000 members", "MCP_MESSAGE_TOO_LARGE", (answer, id) => say(answer, id, wideResult)],
  [
    "an event with an object of 500,000 members",
    "MCP_CONNECTION_LOST",
    (answer, id) =>
      answer
        .writeHead(200, stream)
        .write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: wideResult })}\n\n`),
  ],
] satisfies readonly (readonly [string, string, Answer])[];

test.each(tooLarge)(
  "a server that answers with %s fails that call, and its connection ends",
  async (_, code, answer) => {
    const gone = Promise.withResolvers<void>();
    const raw = await serve((sent, id) => {
      sent.once("close", gone.resolve);
      answer(sent, id);
    });
    const host = await openAt(raw.url);

    expect(await act(host)).toMatchObject({ code });
    await gone.promise;
    expect(await act(host)).toMatchObject({ data: "done" });
  },
);

import { createMemoryStore, data, defineTool, type Host } from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { serveHttp, type ServeHttp } from "../src/index.ts";
import { add, hostOf } from "./support.ts";

const version = "2025-11-25";

/** A client of 2025 that sends each request to the server that the test names. */
function serving(host: Host, settings: ServeHttp = {}) {
  const served = serveHttp(host, { caller: () => ({ sessionId: "ana" }), ...settings });
  onTestFinished(() => served.close());
  return async (message: object | null, session?: string, method = "POST") => {
    const headers = {
      ...(message !== null && { "content-type": "application/json" }),
      accept: "application/json, text/event-stream",
      ...(session !== undefined && { "mcp-session-id": session, "mcp-protocol-version": version }),
    };
    const body = message === null ? null : JSON.stringify({ jsonrpc: "2.0", ...message });
    const response = await served.fetch(new Request("http://127.0.0.1/mcp", { method, headers, body }));
    const text = await response.text();
    const line = text.startsWith("{") ? text : /^data: (\{.*\})\s*$/m.exec(text)?.[1];
    return {
      status: response.status,
      session: response.headers.get("mcp-session-id"),
      body: line === undefined ? null : (JSON.parse(line) as Record<string, unknown>),
    };
  };
}

const hello = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: version, capabilities: {}, clientInfo: { name: "c", version: "1" } },
};
const facts = {
  description: "Runs until it is let go. Use in tests.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
} as const;
const sum = { id: 2, method: "tools/call", params: { name: "add", arguments: { a: 1, b: 2 } } };

/** Reads a stream of events to its end, or until one has this method; then the connection breaks. */
async function readStream(response: Response, until?: string) {
  const events: { readonly id: string; readonly message: Record<string, unknown> }[] = [];
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { value, done } = await reader.read();
    text += value ?? "";
    const blocks = text.split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? "";
      events.push({ id: field("id"), message: JSON.parse(field("data") || "{}") as Record<string, unknown> });
    }
    const isReached = events.some(({ message }) => message["method"] === until);
    if (done || isReached) {
      await reader.cancel();
      return events;
    }
  }
}

/** Servers of one store. */
function group() {
  const store = createMemoryStore();
  const start = (settings?: ServeHttp) => serving(hostOf([add], { store }), settings);
  return { store, start };
}

describe("a session of a client from before 2026", () => {
  test("is served by every server of the store, also by one that starts later", async () => {
    const { start } = group();
    const [one, other] = [start(), start()];
    const { session } = await one(hello);
    await one({ method: "notifications/initialized" }, session!);
    for (const server of [other, one, start(), other])
      expect(await server(sum, session!)).toMatchObject({
        status: 200,
        session,
        body: { id: 2, result: { structuredContent: { sum: 3 } } },
      });
  });

  test("begins once at a server to which its requests come together", async () => {
    const { start } = group();
    const { session } = await start()(hello);
    const other = start();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, id) => other({ ...sum, id }, session!)));
    expect(answers.map(({ body }) => [body?.["id"], "result" in body!])).toEqual(
      Array.from({ length: 8 }, (_, id) => [id, true]),
    );
  });

  test("belongs to its owner at every server, and exists for no other caller", async () => {
    const { start } = group();
    const { session } = await start()(hello);
    const bob = start({ caller: () => ({ sessionId: "bob" }) });
    expect(await bob(sum, session!)).toMatchObject({ status: 404, body: { error: { code: -32_001 } } });
    expect((await start()(sum, session!)).status).toBe(200);
    expect((await start()(sum, "never-begun")).status).toBe(404);
  });

  test("that its client has ended begins nowhere again", async () => {
    const { start } = group();
    const [one, other] = [start(), start()];
    const { session } = await one(hello);
    expect((await other(null, session!, "DELETE")).status).toBe(200);
    for (const server of [other, start()]) expect((await server(sum, session!)).status).toBe(404);
  });

  test("keeps the level of its log messages and the resources that it watches", async () => {
    const { start, store } = group();
    const [one, other] = [start(), start()];
    const { session } = await one(hello);
    const say = (server: typeof one, method: string, params: object) =>
      server({ id: 3, method, params }, session!);
    await say(one, "logging/setLevel", { level: "error" });
    await say(one, "resources/subscribe", { uri: "file:///a" });
    await say(other, "resources/subscribe", { uri: "file:///b" });
    await say(one, "resources/unsubscribe", { uri: "file:///a" });
    await say(start(), "logging/setLevel", { level: "info" });
    const [record] = await store.work!.list({ kind: "mcp-session" });
    expect(record?.body).toEqual({ introduction: hello.params, level: "info", watched: ["file:///b"] });
  });

  test("is known to its own server only where there is no store, or its client says too much of itself", async () => {
    const alone = [hostOf([add]), hostOf([add])].map((host) => serving(host));
    const { session } = await alone[0]!(hello);
    expect((await alone[0]!(sum, session!)).status).toBe(200);
    expect((await alone[1]!(sum, session!)).status).toBe(404);

    const { start } = group();
    const one = start();
    const long = { ...hello.params, clientInfo: { ...hello.params.clientInfo, title: "x".repeat(65_536) } };
    const { session: wide } = await one({ ...hello, params: long });
    expect((await one(sum, wide!)).status).toBe(200);
    expect((await start()(sum, wide!)).status).toBe(404);
  });

  test("of a thousand and one, the one that was quiet longest makes room, and not one whose task runs", async () => {
    const stopped: unknown[] = [];
    const execute = async (_: unknown, { abortSignal }: { readonly abortSignal: AbortSignal }) => {
      await new Promise((resolve) => abortSignal.addEventListener("abort", resolve));
      return data(stopped.push(abortSignal.reason));
    };
    const server = serving(hostOf([add, defineTool({ name: "runs", ...facts, execute })]));
    const begin = async () => (await server(hello)).session!;
    const busy = await begin();
    const task = { name: "runs", arguments: {}, task: { ttl: 60_000 } };
    await server({ id: 2, method: "tools/call", params: task }, busy);
    const [quiet, first] = [await begin(), await begin()];
    for (let at = 0; at < 997; at += 1) await begin();
    await server(sum, quiet); // it is the newest now
    const last = await begin();

    const statusOf = async (session: string) => (await server(sum, session)).status;
    expect(await Promise.all([busy, quiet, first, last].map(statusOf))).toEqual([200, 200, 404, 200]);
    expect(stopped).toEqual([]);
  });
});

describe("a client from before 2026 whose connection broke", () => {
  const plain = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const headersOf = (session: string, more: object = {}) => ({
    ...plain,
    "mcp-session-id": session,
    "mcp-protocol-version": version,
    ...more,
  });

  /** A tool that reports progress, and then runs until it is let go; and two servers that have it. */
  async function world() {
    const store = createMemoryStore();
    const gate = Promise.withResolvers<void>();
    const slow = defineTool({
      ...facts,
      name: "slow",
      execute: async (_, context) => {
        context.progress({ progress: 1 });
        await gate.promise;
        return data({ done: true });
      },
    });
    const start = () => {
      const served = serveHttp(hostOf([slow], { store }), { caller: () => ({ sessionId: "ana" }) });
      onTestFinished(() => served.close());
      return (method: string, headers: object, message?: object) => {
        const body = message === undefined ? null : JSON.stringify({ jsonrpc: "2.0", ...message });
        return served.fetch(new Request("http://127.0.0.1/mcp", { method, headers: { ...headers }, body }));
      };
    };
    const [one, other] = [start(), start()];
    const begun = await one("POST", plain, hello);
    const session = begun.headers.get("mcp-session-id")!;
    await readStream(begun);
    return { store, one, other, session, finish: gate.resolve };
  }

  const call = { id: 2, method: "tools/call" };
  const params = { name: "slow", arguments: {}, _meta: { progressToken: "p" } };

  test("reads on at another server what was sent meanwhile, and the answer when there is one", async () => {
    const { one, other, session, store, finish } = await world();
    const asked = await one("POST", headersOf(session), { ...call, params });
    const events = await readStream(asked, "notifications/progress");
    const { id: first } = events[0]!;
    const readOn = (last: string) => other("GET", headersOf(session, { "last-event-id": last }));
    const reading = readOn(events.at(-1)!.id).then((response) => readStream(response));
    finish();
    expect((await reading).map(({ message }) => message)).toMatchObject([
      { id: 2, result: { structuredContent: { done: true } } },
    ]);
    const whole = await readStream(await readOn(first));
    expect(whole.map(({ message }) => message["method"] ?? "answer")).toEqual([
      "notifications/progress",
      "answer",
    ]);
    const text = JSON.stringify(await store.work!.list({ kind: "mcp-message" }));
    expect([text.includes("done"), text.includes(session)]).toEqual([false, false]);
  });

  test("and who listens at another server learns that lists may have changed", async () => {
    const { one, other, session } = await world();
    const listening = await one("GET", headersOf(session));
    await listening.body!.cancel();
    const last = "3.abc._GET_stream";
    const again = await other("GET", headersOf(session, { "last-event-id": last }));
    const [changed] = await readStream(again, "notifications/tools/list_changed");
    expect([changed!.message["method"], changed!.id]).toEqual([
      "notifications/tools/list_changed",
      expect.stringMatching(/^\d+\.[\w-]+\._GET_stream$/),
    ]);
  });
});

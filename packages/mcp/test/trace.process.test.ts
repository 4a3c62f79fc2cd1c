import { channel as diagnostics, tracingChannel } from "node:diagnostics_channel";
import { mcpChannelName, mcpSessionChannelName, type McpTrace } from "@toolmount/core/tracing";
import { expect, onTestFinished, test } from "vitest";
import { traceConnections } from "../src/wire/trace.ts";

/** A connection whose messages are handed over by hand; what ends is noted as its id and failure. */
async function connection() {
  const ended: (readonly [string, string | undefined])[] = [];
  const note = (message: unknown) => {
    const { requestId, failure } = message as McpTrace;
    ended.push([requestId, failure?.code]);
  };
  const { asyncEnd } = tracingChannel(mcpChannelName);
  asyncEnd.subscribe(note);
  onTestFinished(() => asyncEnd.unsubscribe(note));
  const wire = {
    send: async (_message: object): Promise<void> => {},
    onmessage: (_message: object): void => {},
    onclose: (): void => {},
  };
  const peer = { connect: async (_wire: typeof wire): Promise<void> => {} };
  traceConnections(peer, { hostId: "h", role: "server", transport: "tcp" });
  await peer.connect(wire);
  return { wire, ended };
}

const requestOf = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });

test("a client that uses one id for many requests leaves none of them open", async () => {
  const { wire, ended } = await connection();
  for (let count = 0; count < 1_000; count++) wire.onmessage(requestOf(1));
  expect(ended).toEqual(Array.from({ length: 999 }, () => ["1", "id_reused"]));

  await wire.send({ jsonrpc: "2.0", id: 1, result: {} });
  await wire.send({ jsonrpc: "2.0", id: 1, result: {} });
  expect(ended.slice(999)).toEqual([["1", undefined]]);
});

test("requests that are open when the connection ends, end with it", async () => {
  const { wire, ended } = await connection();
  wire.onmessage(requestOf(1));
  await wire.send(requestOf(2));
  wire.onclose();

  // What this side has sent ends first.
  expect(ended).toEqual([
    ["2", "closed"],
    ["1", "closed"],
  ]);
});

/** What one side of a connection publishes of the messages that it sends and receives. */
async function published(more: Partial<Parameters<typeof traceConnections>[1]> = {}, isListening = true) {
  const requests: McpTrace[] = [];
  const sessions: unknown[] = [];
  const note = (message: unknown) => void requests.push({ ...(message as McpTrace) });
  const noteSession = (message: unknown) => void sessions.push(message);
  const { asyncEnd } = tracingChannel(mcpChannelName);
  const channel = diagnostics(mcpSessionChannelName);
  if (isListening) asyncEnd.subscribe(note);
  channel.subscribe(noteSession);
  onTestFinished(() => {
    asyncEnd.unsubscribe(note);
    channel.unsubscribe(noteSession);
  });
  const handed: unknown[] = [];
  const sent: unknown[] = [];
  const wire = {
    sessionId: "s1",
    send: async (message: unknown): Promise<void> => void sent.push(message),
    onmessage: (message: unknown): void => void handed.push(message),
    onclose: (): void => void handed.push("closed"),
  };
  const connected: unknown[] = [];
  const peer = {
    connect: async (...given: unknown[]): Promise<void> => void connected.push(given.slice(1)),
  };
  traceConnections(peer, { hostId: "h", role: "client", transport: "pipe", ...more });
  await peer.connect(wire, { timeout: 1 });
  expect(connected).toEqual([[{ timeout: 1 }]]);
  return { requests, sessions, handed, sent, wire };
}

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const any = expect.any(Number);

test.each([
  ["the tool", { name: "echo", arguments: {} }, { subject: "echo" }],
  ["the resource", { uri: "file:///a" }, { subject: "file:///a" }],
  ["neither, for a name that is no text", { name: 1 }, { subject: undefined }],
  ["the parent", { _meta: { traceparent: parent } }, { traceparent: parent }],
  ["no parent that is no text", { _meta: { traceparent: 1 } }, { traceparent: undefined }],
  [
    "the revision",
    { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
    { protocolVersion: "2026-07-28" },
  ],
  ["an earlier revision", { protocolVersion: "2025-11-25" }, { protocolVersion: "2025-11-25" }],
])("a sent request is published with %s, and a received one, too", async (_, params, facts) => {
  const { requests, wire, sent, handed } = await published({ server: "a.test:443" });
  const request = { jsonrpc: "2.0", id: 7, method: "tools/call", params };
  const response = { jsonrpc: "2.0", id: 7, result: {} };
  await wire.send(request);
  wire.onmessage(response);
  wire.onmessage(request);
  await wire.send(response);

  const common = {
    hostId: "h",
    method: "tools/call",
    requestId: "7",
    transport: "pipe",
    server: "a.test:443",
    subject: undefined,
    sessionId: "s1",
    protocolVersion: undefined,
    traceparent: undefined,
    durationMs: any,
  };
  expect(requests).toEqual([
    { ...common, side: "client", ...facts },
    { ...common, side: "server", ...facts },
  ]);
  expect(handed).toEqual([response, request]);
  expect(sent).toEqual([request, response]);
});

test.each([
  ["an error", { error: { code: -32_601, message: "none" } }, { code: "-32601", message: "none" }],
  ["a failed tool", { result: { isError: true } }, { code: "tool_error", message: "" }],
  ["a tool that did not fail", { result: { isError: false } }, undefined],
])("a request that is answered with %s ends so", async (_, answer, failure) => {
  const { requests, wire } = await published();
  await wire.send({ id: 1, method: "tools/call" });
  wire.onmessage({ id: 1, ...answer });
  expect(requests.map((one) => one.failure)).toEqual([failure]);
});

test("the revision that an answer names is that of the request and the session", async () => {
  const { requests, sessions, wire, handed } = await published();
  await wire.send({ id: 1, method: "initialize", params: {} });
  wire.onmessage({ id: 1, result: { protocolVersion: "2025-06-18" } });
  wire.onclose();
  wire.onclose();

  expect(requests).toMatchObject([{ protocolVersion: "2025-06-18" }]);
  expect(sessions).toEqual([
    { hostId: "h", role: "client", transport: "pipe", protocolVersion: "2025-06-18", durationMs: any },
  ]);
  expect(handed.slice(1)).toEqual(["closed", "closed"]);
});

test("over HTTP only a connection that was initialized is a session", async () => {
  const { sessions, wire } = await published({ transport: "tcp" });
  wire.onclose();
  expect(sessions).toEqual([]);
  await wire.send({ id: 1, method: "initialize" });
  wire.onclose();
  expect(sessions).toHaveLength(1);
});

test("a request that either side cancels ends with that", async () => {
  const { requests, wire } = await published();
  const cancelled = { method: "notifications/cancelled", params: { requestId: 1 } };
  const failure = { code: "cancelled", message: "the request was cancelled" };
  await wire.send({ id: 1, method: "tools/call" });
  await wire.send({ ...cancelled, method: "notifications/progress" });
  await wire.send({ method: "notifications/cancelled" });
  expect(requests).toEqual([]);
  await wire.send(cancelled);
  wire.onmessage({ id: 1, method: "ping" });
  wire.onmessage(cancelled);
  expect(requests).toMatchObject([
    { side: "client", failure },
    { side: "server", failure },
  ]);
});

test("a connection for one request is read only where something listens", async () => {
  const { requests, wire } = await published({ isBrief: true }, false);
  const { asyncEnd } = tracingChannel(mcpChannelName);
  const note = (message: unknown) => void requests.push(message as McpTrace);
  asyncEnd.subscribe(note);
  onTestFinished(() => asyncEnd.unsubscribe(note));
  await wire.send({ id: 1, method: "tools/call" });
  wire.onmessage({ id: 1, result: {} });
  expect(requests).toEqual([]);

  const heard = await published({ isBrief: true });
  await heard.wire.send({ id: 1, method: "tools/call" });
  heard.wire.onmessage({ id: 1, result: {} });
  expect(heard.requests).toHaveLength(1);
});

test("without a listener, messages pass and nothing is kept of them", async () => {
  const { requests, wire, sent, handed } = await published({}, false);
  await wire.send({ id: 1, method: "tools/call" });
  await wire.send("no message");
  wire.onmessage({ id: 1, result: {} });
  wire.onmessage({ id: 2, method: "ping" });
  wire.onmessage("no message");
  expect(requests).toEqual([]);
  expect([sent.length, handed.length]).toEqual([2, 3]);
});

test("the handler of the wire may be replaced, and each message is published once", async () => {
  const { requests, wire, handed } = await published();
  const before = wire.onmessage;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK has no addEventListener
  wire.onmessage = (message) => before(message);
  const request = { id: 1, method: "ping" };
  wire.onmessage(request);
  await wire.send({ id: 1, result: {} });
  expect(handed).toEqual([request]);
  expect(requests).toHaveLength(1);
});

test("a listener's trace context travels with the request, beside what its meta has", async () => {
  const { wire, sent } = await published();
  const channel = tracingChannel(mcpChannelName);
  const replace = (message: unknown) => void ((message as McpTrace).traceparent = parent);
  channel.start.subscribe(replace);
  onTestFinished(() => channel.start.unsubscribe(replace));
  await wire.send({ id: 1, method: "tools/call", params: { name: "a", _meta: { b: 1 } } });
  await wire.send({ id: 2, method: "ping" });
  const received = { id: 3, method: "tools/call", params: { name: "a" } };
  wire.onmessage(received);

  expect(sent).toEqual([
    { id: 1, method: "tools/call", params: { name: "a", _meta: { b: 1, traceparent: parent } } },
    { id: 2, method: "ping", params: { _meta: { traceparent: parent } } },
  ]);
  expect(received.params).toEqual({ name: "a", _meta: { traceparent: parent } });
});

import type { ToolInfo } from "@toolmount/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectServer, isMcpServer } from "../../src/libraries/mcp-server.ts";
import { hostWithAdapters } from "../support/world.ts";

type Message = Readonly<Record<string, unknown>>;

/** The transport that a server is connected to. */
interface Transport {
  start(): Promise<void>;
  close(): Promise<void>;
  send(message: Message): Promise<void>;
}

/** A server that answers each request by a function, and what it was sent. */
async function world(answer: (message: Message, transport: Transport) => Message | undefined) {
  const { host } = await hostWithAdapters();
  onTestFinished(async () => void (await host.close()));
  const sent: Message[] = [];
  let transport: Transport | undefined;
  const close = vi.fn<() => Promise<void>>(async () => undefined);
  const server = {
    connect: async (given: object) => {
      transport = given as Transport;
      await transport.start();
      const onmessage = (message: Message) => {
        sent.push(message);
        if (message["id"] === undefined || message["method"] === undefined) return;
        const made = answer(message, transport!);
        if (made !== undefined) void transport!.send({ jsonrpc: "2.0", id: message["id"], ...made });
      };
      Object.assign(transport, { onmessage });
    },
    close,
    setRequestHandler: () => undefined,
  };
  const tools = await connectServer(server, host.coordinator);
  for (const tool of tools) host.coordinator.mount("tools", tool);
  return { host, sent, tools, close, transport: transport! };
}

const tool = (name: string, more: object = {}) => ({
  name,
  description: `Tries to ${name}.`,
  inputSchema: { type: "object", properties: { a: { type: "number" } } },
  ...more,
});

/** Answers as a server with these pages of tools does. */
const pages =
  (...all: readonly (readonly object[])[]) =>
  ({ method, params }: Message): Message | undefined => {
    if (method === "initialize") return { result: {} };
    if (method !== "tools/list") return undefined;
    const at = Number((params as { cursor?: string }).cursor ?? 0);
    const next = at + 1 < all.length ? { nextCursor: `${at + 1}` } : {};
    return { result: { tools: all[at], ...next } };
  };

const close = async () => undefined;
const connect = close;
test.each<[string, unknown, boolean]>([
  ["a low-level server", { connect, close, setRequestHandler: close }, true],
  ["a server around one", { connect, close, server: { setRequestHandler: close } }, true],
  ["one without connect", { close, setRequestHandler: close }, false],
  ["one whose connect is no function", { connect: 1, close, setRequestHandler: close }, false],
  ["one without close", { connect, setRequestHandler: close }, false],
  ["one without handlers", { connect, close }, false],
  ["one around something else", { connect, close, server: { setRequestHandler: 1 } }, false],
  ["one around nothing", { connect, close, server: null }, false],
  ["a text", "server", false],
  ["null", null, false],
  ["a function", () => undefined, false],
])("%s is a server of MCP's SDK: %s", (_, value, expected) => {
  expect(isMcpServer(value)).toBe(expected);
});

test("it is greeted as MCP asks, its pages of tools are read, and it is closed with the host", async () => {
  const {
    host,
    sent,
    close: closed,
  } = await world(pages([tool("one"), tool("two")], [tool("three"), "odd" as never]));

  expect(sent).toEqual([
    {
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "toolmount", version: "1" },
      },
    },
    { jsonrpc: "2.0", method: "notifications/initialized", params: {} },
    { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    { jsonrpc: "2.0", id: 2, method: "tools/list", params: { cursor: "1" } },
  ]);
  expect(host.tools().map(({ name, description }) => [name, description])).toEqual([
    ["one", "Tries to one."],
    ["three", "Tries to three."],
    ["two", "Tries to two."],
  ]);
  expect(closed).not.toHaveBeenCalled();
  await host.close();
  expect(closed).toHaveBeenCalledOnce();
});

test("a list of tools in another form mounts nothing", async () => {
  const { tools } = await world(({ method }) => ({ result: method === "tools/list" ? { tools: "x" } : {} }));

  expect(tools).toEqual([]);
});

test.each<[string, object | undefined, Partial<ToolInfo>]>([
  ["no hints", undefined, { requiresConfirmation: false }],
  ["a hint that it destroys", { destructiveHint: true }, { requiresConfirmation: true }],
  ["a hint that it only reads", { readOnlyHint: true }, { category: "read", requiresConfirmation: false }],
  ["hints that are no object", "x" as never, { requiresConfirmation: false }],
])("a tool with %s is classified, and comes from MCP", async (_, annotations, facts) => {
  const { host } = await world(pages([tool("one", { annotations })]));

  expect(host.tools()[0]).toMatchObject({ ...facts, origin: "mcp" });
});

test("a call has its arguments and a token for its progress, which reaches the caller; of other steps nothing does", async () => {
  const lists = pages([tool("one", { annotations: { readOnlyHint: true } })]);
  const { tools, sent } = await world((message, transport) => {
    if (message["method"] !== "tools/call") return lists(message);
    const { _meta: meta } = message["params"] as { _meta: { progressToken: number } };
    const { progressToken } = meta;
    const report = (params: unknown) => void transport.send({ method: "notifications/progress", params });
    report({ progressToken, progress: 1, total: 3, message: "begun" });
    report({ progressToken, progress: 2, total: "3", message: 1 });
    report({ progressToken, progress: "2" });
    report({ progressToken: 99, progress: 3 });
    report(undefined);
    void transport.send({ method: "notifications/message", params: { progressToken, progress: 4 } });
    return { result: { content: [{ type: "text", text: "done" }] } };
  });
  const steps: unknown[] = [];
  const context = {
    abortSignal: new AbortController().signal,
    progress: (step: unknown) => steps.push(step),
  };
  expect(await tools[0]!.execute({ a: 1 }, context as never)).toMatchObject({ data: "done" });
  expect(sent.at(-1)).toEqual({
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name: "one", arguments: { a: 1 }, _meta: { progressToken: 2 } },
  });
  expect(steps).toEqual([{ progress: 1, total: 3, message: "begun" }, { progress: 2 }]);
});

test.each<[string, Message, object]>([
  ["an error with a message", { error: { code: 1, message: "no such city" } }, { status: "failed" }],
  ["an error without a message", { error: {} }, { status: "failed" }],
  ["a result that is no object", { result: 7 }, { status: "ok" }],
])("%s ends the call", async (_, answered, expected) => {
  const lists = pages([tool("one", { annotations: { readOnlyHint: true } })]);
  const { host, tools } = await world((message) =>
    message["method"] === "tools/call" ? answered : lists(message),
  );

  expect(await host.call({ name: "one" })).toMatchObject(expected);
  if (!("error" in answered)) return;
  const { message } = answered["error"] as { message?: string };
  const context = { abortSignal: new AbortController().signal, progress: () => undefined };
  await expect(Promise.resolve(tools[0]!.execute({}, context as never))).rejects.toThrow(
    message ?? "the server failed",
  );
});

test("the server's own requests are refused, and its notifications are let be", async () => {
  const { sent, transport } = await world(pages([]));
  const before = sent.length;
  await transport.send({ id: 7, method: "sampling/createMessage", params: {} });
  await transport.send({ method: "notifications/tools/list_changed" });
  await transport.send({ id: 99, result: {} });

  expect(sent.slice(before)).toEqual([
    { jsonrpc: "2.0", id: 7, error: { code: -32_601, message: "not supported" } },
  ]);
});

test("a call that is cancelled is cancelled at the server, and one that has ended is not", async () => {
  const lists = pages([tool("one", { annotations: { readOnlyHint: true } })]);
  let isAnswered = false;
  const { host, sent, transport } = await world((message) =>
    message["method"] === "tools/call" ? (isAnswered ? { result: {} } : undefined) : lists(message),
  );
  const caller = new AbortController();
  const call = host.call({ name: "one" }, { abortSignal: caller.signal });
  await expect.poll(() => sent.length).toBe(4);
  caller.abort();
  await expect.poll(() => sent.length).toBe(5);
  expect(sent[4]).toEqual({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 2, reason: "cancelled" },
  });
  await transport.send({ id: 2, error: { message: "cancelled" } });
  expect(await call).toMatchObject({ status: "cancelled" });

  isAnswered = true;
  const other = new AbortController();
  await host.call({ name: "one" }, { abortSignal: other.signal });
  const count = sent.length;
  other.abort();
  expect(sent).toHaveLength(count);
});

test("a server that closes ends the calls that wait, and its transport reports it once", async () => {
  const lists = pages([tool("one", { annotations: { readOnlyHint: true } })]);
  const { sent, transport, tools } = await world(lists);
  const closed = vi.fn<() => void>();
  Object.assign(transport, { onclose: closed });
  const context = { abortSignal: new AbortController().signal, progress: () => undefined };
  const call = Promise.resolve(tools[0]!.execute({}, context as never));
  await expect.poll(() => sent.length).toBe(4);
  await transport.close();

  await expect(call).rejects.toThrow("the server was closed");
  expect(closed).toHaveBeenCalledOnce();
});

test("a server that does not listen to its transport is an error that says so", async () => {
  const { host } = await hostWithAdapters();
  onTestFinished(async () => void (await host.close()));
  const deaf = { connect: async () => undefined, close: async () => undefined };

  await expect(connectServer(deaf, host.coordinator)).rejects.toMatchObject({
    code: "INTERNAL",
    message: expect.stringContaining("the server is not connected") as string,
  });
});

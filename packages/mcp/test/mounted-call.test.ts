import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type CallToolResult,
  type Tool,
} from "@modelcontextprotocol/client";
import { ToolmountError, type ToolContext } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { config } from "../src/mount/config.ts";
import { toDefinition, toInternal, type CallServerOptions } from "../src/mount/tool-definition.ts";
import { MessageTooLarge } from "../src/wire/message-size.ts";

const tool: Tool = { name: "look", inputSchema: { type: "object" } };
const text = (value: string) => ({ type: "text" as const, text: value });

/** Calls a mounted tool whose server answers so; what was sent is noted. */
async function call(
  answer: (options: CallServerOptions) => CallToolResult | Promise<CallToolResult>,
  {
    settings = {},
    context = {},
    more = {},
  }: { settings?: object; context?: object; more?: Partial<Tool> } = {},
) {
  const sent: unknown[] = [];
  const progress: unknown[] = [];
  const controller = new AbortController();
  const own = {
    abortSignal: controller.signal,
    progress: (report: unknown) => progress.push(report),
    ...context,
  };
  const definition = toDefinition(
    { ...tool, ...more },
    "own_look",
    config.parse({ name: "files", command: "files-server", ...settings }),
    async (params, _, options) => {
      sent.push(params, options);
      return answer(options);
    },
  );
  const result = (await definition.execute({ a: 1 }, own as unknown as ToolContext)) as object;
  return { result: { ...result }, sent, progress, signal: controller.signal };
}

test("a call goes to the server by the tool's own name, with the trace of the call and limits beyond those of the host", async () => {
  const { result, sent, signal } = await call(() => ({ content: [text("seen")] }), {
    context: { traceparent: "00-1" },
  });
  expect(result).toEqual({ data: "seen" });
  expect(sent).toEqual([
    { name: "look", arguments: { a: 1 }, _meta: { traceparent: "00-1" } },
    {
      idempotent: false,
      skill: undefined,
      definition: tool,
      signal,
      timeout: 3_600_000,
      onprogress: expect.any(Function),
    },
  ]);
  expect((await call(() => ({ content: [] }))).sent[0]).toEqual({ name: "look", arguments: { a: 1 } });
});

test.each([
  [{ timeoutMs: 10, maxTimeoutMs: 5 }, 20],
  [{ timeoutMs: 5, maxTimeoutMs: 10 }, 20],
  [{ maxTimeoutMs: 2 ** 31 - 1 }, 2 ** 31 - 1],
])("with %j the client of the SDK waits %i ms", async (settings, timeout) => {
  const { sent } = await call(() => ({ content: [] }), { settings });
  expect(sent[1]).toMatchObject({ timeout });
});

test("progress of the server is progress of the call, and a tool that reads may run twice", async () => {
  const { progress, sent } = await call(
    ({ onprogress }) => {
      onprogress?.({ progress: 1, total: 2, message: "m" });
      return { content: [] };
    },
    { more: { annotations: { readOnlyHint: true } } },
  );
  expect(progress).toEqual([{ progress: 1, total: 2, message: "m" }]);
  expect(sent[1]).toMatchObject({ idempotent: true });
});

test("hidden characters are shown with a warning, unless the plan allows them", async () => {
  const hidden = () => ({ content: [text("a\u202eb")] });
  const warning = "characters that people cannot see are written as code points, such as \\u{202e}";
  expect((await call(hidden)).result).toEqual({ data: "a\\u{202e}b", warnings: [warning] });
  expect((await call(hidden, { settings: { hiddenText: "allow" } })).result).toEqual({ data: "a\u202eb" });
  const failed = await call(() => ({ content: [text("a\u202eb")], isError: true }));
  expect(failed.result).toEqual({ error: "a\\u{202e}b" });
});

test("links of a result have the prefix of the entry", async () => {
  const { result } = await call(() => ({ content: [{ type: "resource_link", uri: "ui://a", name: "a" }] }), {
    settings: { prefix: "x_" },
  });
  expect(result).toMatchObject({ content: [{ uri: "ui://x_/a" }] });
});

const network = (code: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("gone"), { code }) });
const aborted = AbortSignal.abort();

describe("a call that fails between host and server", () => {
  test.each<[string, unknown, object, object?]>([
    [
      "by an error of the protocol",
      new ProtocolError(-32_602, "no such file", { a: 1 }),
      { error: "no such file", code: "MCP_ERROR", details: { code: -32_602, data: { a: 1 } } },
    ],
    [
      "by an error without data",
      new ProtocolError(-32_602, "no"),
      { error: "no", code: "MCP_ERROR", details: { code: -32_602 } },
    ],
    [
      "because it was cancelled",
      new Error("stopped"),
      { error: "the call was cancelled", code: "MCP_CANCELLED" },
      { abortSignal: aborted },
    ],
    [
      "by an answer that is too large",
      new MessageTooLarge("too large"),
      { code: "MCP_MESSAGE_TOO_LARGE", mayHaveRun: true, error: expect.stringContaining("files") },
    ],
    [
      "by a connection that ended",
      new SdkError(SdkErrorCode.ConnectionClosed, "x"),
      { code: "MCP_CONNECTION_LOST", mayHaveRun: true, error: expect.stringContaining("files") },
    ],
    [
      "by a status of HTTP",
      new SdkHttpError(SdkErrorCode.ClientHttpFailedToOpenStream, "x", { status: 502 }),
      {
        code: "MCP_HTTP_STATUS",
        mayHaveRun: true,
        details: { status: 502 },
        error: expect.stringContaining("502"),
      },
    ],
  ])("%s, is a result that says so", async (_, thrown, expected, context = {}) => {
    const { result } = await call(() => Promise.reject(thrown), { context });
    expect(result).toEqual(expected);
  });

  test("before it was sent, or for a reason of the host, is thrown", async () => {
    await expect(call(() => Promise.reject(network("ECONNREFUSED")))).rejects.toMatchObject({
      code: "MCP_SERVER_UNAVAILABLE",
      message: 'the MCP server "files" cannot be reached: fetch failed: gone',
    });
    const itself = new ToolmountError("PLAN_SERVES_ITSELF", { server: "files", chain: "a" } as never);
    await expect(call(() => Promise.reject(itself))).rejects.toMatchObject({
      name: "ToolError",
      code: "PLAN_SERVES_ITSELF",
    });
    const other = new Error("a fault of the host");
    await expect(call(() => Promise.reject(other))).rejects.toBe(other);
  });
});

test("what a server exposes is an internal tool that reads, whose version is that of its item", async () => {
  const settings = config.parse({ name: "files", command: "files-server", timeoutMs: 7 });
  const context = { abortSignal: new AbortController().signal } as unknown as ToolContext;
  const of = (more: Partial<Tool>, run = async (params: unknown): Promise<unknown> => params) =>
    toInternal({ ...tool, ...more }, "own", settings, run);
  const { execute, version, ...facts } = of({ description: "Reads." });
  expect(facts).toEqual({
    name: "own",
    description: "Reads.",
    schema: { type: "object" },
    category: "read",
    consequenceLevel: "low",
    idempotent: true,
    requiresConfirmation: false,
    status: "internal",
    timeout: 7,
    origin: "mcp",
  });
  expect(await execute({ uri: "x:1" }, context)).toEqual({ data: { uri: "x:1" } });
  expect(of({}).description).toBe("");
  expect([
    of({ description: "Other." }).version === version,
    of({ _meta: { a: 1 } }).version === version,
  ]).toEqual([true, false]);
  const lost = of({}, () => Promise.reject(new SdkError(SdkErrorCode.ConnectionClosed, "x")));
  expect(await lost.execute({}, context)).toMatchObject({ code: "MCP_CONNECTION_LOST" });
});

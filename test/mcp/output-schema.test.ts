import { PassThrough } from "node:stream";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createHost, createMemoryStore, data, defineTool, failure, type HostOptions } from "@toolmount/core";
import { outcomeMetaKey, serveHttp, serveStreams, type ServeOptions } from "@toolmount/mcp";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { mountLoopGuard } from "@toolmount/policy";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const fields = {
  name: "count",
  description: "Counts. Use in tests.",
  schema: z.strictObject({ to: z.number().default(1) }),
  outputSchema: z.strictObject({ count: z.number(), notes: z.array(z.string()).optional() }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
} as const;

const fine = () => data({ count: 1 });

/** One way in which a call can end: what is different about the tool, the host, or how it is called. */
interface Case {
  readonly tool?: object;
  readonly options?: HostOptions;
  readonly gate?: readonly ["tool:pre" | "tool:post", unknown];
  readonly args?: Readonly<Record<string, unknown>>;
  readonly times?: number;
  readonly serve?: ServeOptions;
  readonly sees: Readonly<Record<string, unknown>>;
}

const store = () => ({ store: createMemoryStore() });
const isError = { isError: true };
const waiting = {
  ...isError,
  content: [{ text: expect.stringContaining("waiting for") }, { text: expect.stringContaining("Ticket: ") }],
};
const big = "x".repeat(5_000);

/** Every way in which the host ends a call of a tool that it has. */
const cases: Readonly<Record<string, () => Case>> = {
  "has its data": () => ({ sees: { structuredContent: { count: 1 } } }),
  "has data and warnings": () => ({
    tool: { execute: () => data({ count: 1 }, { warnings: ["slow"] }) },
    sees: { structuredContent: { count: 1 } },
  }),
  "has data that was cut": () => ({
    tool: { execute: () => data({ count: 1, notes: [big] }) },
    options: { limits: { outputBytes: 1_000 } },
    sees: { structuredContent: { count: 1 } },
  }),
  "has data that is too large to cut": () => ({
    tool: { execute: () => data({ count: 1, notes: Array.from({ length: 500 }, () => "0123456789") }) },
    options: { limits: { outputBytes: 1_000 } },
    sees: { structuredContent: { count: 1 } },
  }),
  "waits for a person": () => ({ tool: { requiresConfirmation: true }, options: store(), sees: waiting }),
  "waits for a person, again": () => ({
    tool: { requiresConfirmation: true },
    options: store(),
    times: 2,
    sees: waiting,
  }),
  "waits for a person, and the decision does not come in time": () => ({
    tool: { requiresConfirmation: true },
    options: store(),
    serve: { approvals: { wait: true, waitMs: 1 } },
    sees: waiting,
  }),
  "waits for a person, and the client cannot ask its user": () => ({
    tool: { requiresConfirmation: true },
    options: store(),
    serve: { approvals: { elicitation: true } },
    sees: waiting,
  }),
  "is for the client to run": () => ({ tool: { execution: "client" }, options: store(), sees: waiting }),
  "is denied, without an approver": () => ({ tool: { requiresConfirmation: true }, sees: isError }),
  "is denied by a person": () => ({
    tool: { requiresConfirmation: true },
    options: { approver: () => ({ decision: "deny" }) },
    sees: isError,
  }),
  "is denied by a gate": () => ({ gate: ["tool:pre", { action: "deny", reason: "no" }], sees: isError }),
  "is answered by a gate": () => ({
    gate: ["tool:pre", { action: "modify", data: { tool_result: data({ count: 7 }) } }],
    sees: { structuredContent: { count: 7 } },
  }),
  "is answered by a gate with other data": () => ({
    gate: ["tool:pre", { action: "modify", data: { tool_result: data("cached") } }],
    sees: isError,
  }),
  "has a result that a gate withholds": () => ({
    gate: ["tool:post", { action: "deny", reason: "no" }],
    sees: isError,
  }),
  "has a result that a gate replaces": () => ({
    gate: ["tool:post", { action: "modify", data: { tool_result: { data: { count: "masked" } } } }],
    sees: { ...isError, content: expect.arrayContaining([{ type: "text", text: '{"count":"masked"}' }]) },
  }),
  "has a text that a gate adds": () => ({
    gate: ["tool:post", { action: "inject_context", contextInjection: "read this" }],
    sees: { structuredContent: { count: 1 } },
  }),
  "repeats another call": () => ({ times: 4, options: store(), sees: isError }),
  "has wrong arguments": () => ({ args: { to: "ten" }, sees: isError }),
  fails: () => ({ tool: { execute: () => failure("no paper", { details: { count: 1 } }) }, sees: isError }),
  throws: () => ({ tool: { execute: () => Promise.reject(new Error("broken")) }, sees: isError }),
  "breaks the contract": () => ({ tool: { execute: () => ({ data: 1, error: "x" }) }, sees: isError }),
  "has data of another form": () => ({ tool: { execute: () => data({ counts: 1 }) }, sees: isError }),
  "has data of another form, which the host accepts": () => ({
    tool: { execute: () => data({ counts: 1 }) },
    options: { outputCheck: "off" },
    sees: isError,
  }),
  "has data of another form, which the host reports": () => ({
    tool: { execute: () => data(null) },
    options: { outputCheck: "warn" },
    sees: isError,
  }),
  "takes too long": () => ({
    tool: { timeout: 1, execute: () => new Promise(() => {}) },
    sees: isError,
  }),
};

async function serve({ tool = {}, options = {}, gate }: Case, repeats: boolean) {
  const host = createHost(options);
  onTestFinished(async () => void (await host.close()));
  host.coordinator.mount("tools", defineTool({ execute: fine, ...fields, ...tool } as never));
  if (gate !== undefined) host.coordinator.hooks.gate(gate[0], () => gate[1] as never);
  if (repeats) mountLoopGuard(3, host.coordinator);
  return host;
}

const served = {
  async streams(host: ReturnType<typeof createHost>, options: ServeOptions) {
    const [up, down] = [new PassThrough(), new PassThrough()];
    const streams = serveStreams(host, { input: up, output: down, ...options });
    onTestFinished(() => streams.close());
    return new StdioServerTransport(down, up);
  },
  async http(host: ReturnType<typeof createHost>, options: ServeOptions) {
    const handler = serveHttp(host, options);
    onTestFinished(() => handler.close());
    const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
    return new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch });
  },
};

const info = { name: "test", version: "1.0.0" };
const clients = {
  "the SDK before 2026": () => new ClientV1(info),
  "the SDK, legacy": () => new ClientV2(info, { versionNegotiation: { mode: "legacy" } }),
  "the SDK, modern": () => new ClientV2(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
};

const ways = Object.keys(cases).flatMap((ending) =>
  (Object.keys(clients) as (keyof typeof clients)[]).flatMap((client) =>
    (["streams", "http"] as const).map((wire) => [ending, client, wire] as const),
  ),
);

test.each(ways)("a call that %s passes the validation of %s over %s", async (ending, by, wire) => {
  const one = cases[ending]!();
  const host = await serve(one, ending === "repeats another call");
  const client = clients[by]();
  onTestFinished(() => client.close());
  await client.connect(await served[wire](host, one.serve ?? {}));
  const { tools } = await client.listTools();
  expect(tools[0]?.outputSchema).toBeDefined();

  let result: object | undefined;
  for (let time = 0; time < (one.times ?? 1); time++)
    result = await client.callTool({ name: "count", arguments: one.args ?? {} });

  expect(result).toMatchObject({ ...one.sees, _meta: { [outcomeMetaKey]: { status: expect.any(String) } } });
  if ("isError" in one.sees) expect(result).not.toHaveProperty("structuredContent");
});

test.each(["legacy", "modern"] as const)(
  "a question that the user of a %s client closes leaves a result that the client accepts",
  async (era) => {
    const host = await serve({ tool: { requiresConfirmation: true }, options: store(), sees: {} }, false);
    const mode = era === "legacy" ? era : { pin: "2026-07-28" };
    const client = new ClientV2(info, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode },
    });
    onTestFinished(() => client.close());
    client.setRequestHandler("elicitation/create", () => ({ action: "cancel" }));
    await client.connect(await served.streams(host, { approvals: { elicitation: true } }));
    await client.listTools();

    expect(await client.callTool({ name: "count", arguments: {} })).toMatchObject(waiting);
  },
);

import { PassThrough } from "node:stream";
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import {
  createHost,
  data,
  defineTool,
  failure,
  type Host,
  type HostOptions,
  type Logger,
  type Tool,
} from "@toolmount/core";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { serveHttp, serveStreams, type ServeOptions } from "../src/index.ts";

/** The revisions that both sides are tried with. */
export const eras = ["legacy", "modern"] as const;
export type Era = (typeof eras)[number];

export const add = defineTool({
  name: "add",
  description: "Adds two numbers. Use for sums.",
  schema: z.strictObject({ a: z.number(), b: z.number() }),
  outputSchema: z.strictObject({ sum: z.number() }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: ({ a, b }) => data({ sum: a + b }),
});

export const remove = defineTool({
  name: "remove",
  description: "Removes a file. Use when the user asks for it.",
  schema: z.strictObject({ path: z.string() }),
  category: "delete",
  consequenceLevel: "high",
  requiresConfirmation: true,
  execute: ({ path }) => data({ gone: path }),
});

export const refuse = defineTool({
  name: "refuse",
  description: "Fails always. Use in tests.",
  schema: z.strictObject({}),
  category: "side_effect",
  consequenceLevel: "medium",
  requiresConfirmation: false,
  execute: () => failure("the printer is out of paper", { code: "NO_PAPER" }),
});

/** A logger that notes the level, the fields and the message of each line. */
export function notingLogger() {
  const lines: [string, object, string | undefined][] = [];
  const note = (level: string) => (fields: object, message?: string) =>
    void lines.push([level, fields, message]);
  const [trace, debug, info, warn, error] = ["trace", "debug", "info", "warn", "error"].map(note);
  const logger = { trace, debug, info, warn, error, child: () => logger } as Logger;
  return { logger, lines };
}

/** A host with tools, closed after the test. */
export function hostOf(tools: readonly Tool[], options: HostOptions = {}): Host {
  const host = createHost(options);
  for (const tool of tools) host.coordinator.mount("tools", tool);
  onTestFinished(async () => void (await host.close()));
  return host;
}

/** A client of the official SDK, before a host that is served over a pair of streams. */
export async function connectStreams(
  host: Host,
  era: Era,
  options: ServeOptions = {},
  clientOptions: ClientOptions = {},
): Promise<Client> {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const served = serveStreams(host, { input: up, output: down, ...options });
  onTestFinished(() => served.close());
  return connect(new StdioServerTransport(down, up), era, clientOptions);
}

/** The same over HTTP: the requests go to the handler without a socket. `onBody` changes what is sent. */
export async function connectHttp(
  host: Host,
  era: Era,
  options: ServeOptions = {},
  clientOptions: ClientOptions = {},
  onBody = (body: string) => body,
): Promise<Client> {
  const served = serveHttp(host, options);
  onTestFinished(() => served.close());
  const fetch = (url: string | URL, { body, ...init }: RequestInit = {}) =>
    served.fetch(
      new Request(url, { ...init, body: typeof body === "string" ? onBody(body) : (body ?? null) }),
    );
  return connect(
    new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch }),
    era,
    clientOptions,
  );
}

async function connect(transport: Transport, era: Era, options: ClientOptions): Promise<Client> {
  const mode = era === "legacy" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client({ name: "test", version: "1.0.0" }, { ...options, versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

import { createMcpHandler, Server, type ServerCapabilities } from "@modelcontextprotocol/server";
import { onTestFinished, vi } from "vitest";
import { config } from "../src/mount/config.ts";
import { mount } from "../src/mount/mount.ts";
import type { ServerStatus } from "../src/wire/server-status.ts";
import { hostOf, notingLogger } from "./support.ts";

/** What a server of a test has: its answers by the method of the request. */
export interface Upstream {
  readonly capabilities?: ServerCapabilities;
  readonly instructions?: string;
  readonly answers: Readonly<Record<string, (params: never) => object>>;
}

/** A server with a tool, a prompt, two resources and a template. Its requests are noted. */
export function library(name = "library") {
  const asked: [string, unknown][] = [];
  const noted = (method: string, answer: (params: never) => object) => (params: never) => {
    asked.push([method, params]);
    return answer(params);
  };
  const answers: Record<string, (params: never) => object> = {
    "tools/list": () => ({
      tools: [
        {
          name: `find_${name}`,
          description: `Finds a book in ${name}. Use for books.`,
          inputSchema: { type: "object", properties: { title: { type: "string" } } },
          annotations: { readOnlyHint: true },
        },
      ],
    }),
    "tools/call": ({ arguments: { title } }: { arguments: { title: string } }) => ({
      content: [{ type: "text", text: `${title} of ${name}` }],
    }),
    "prompts/list": () => ({
      prompts: [
        { name: "review", description: "Reviews.", arguments: [{ name: "code", required: true }] },
        { name: `only_${name}` },
      ],
    }),
    "prompts/get": ({ name: prompt, arguments: args = {} }: { name: string; arguments?: object }) => ({
      messages: [
        { role: "user", content: { type: "text", text: `${prompt} of ${name}: ${JSON.stringify(args)}` } },
      ],
    }),
    "resources/list": () => ({
      resources: [
        { uri: `db://${name}/public`, name: "public" },
        { uri: "ui://card", name: "card", mimeType: "text/html" },
      ],
    }),
    "resources/templates/list": () => ({
      resourceTemplates: [{ uriTemplate: `db://${name}/{id}`, name: "row" }],
    }),
    "resources/read": ({ uri }: { uri: string }) => ({ contents: [{ uri, text: `text of ${uri}` }] }),
    "completion/complete": ({ argument }: { argument: { value: string } }) => ({
      completion: { values: [`${argument.value} of ${name}`] },
    }),
  };
  const entries = Object.entries(answers).map(([method, answer]) => [method, noted(method, answer)] as const);
  return { asked, answers: Object.fromEntries(entries) as Record<string, (params: never) => object> };
}

/** Replaces the compiler of another package: the server checks its arguments itself. */
const takesAll = Object.assign((value: unknown) => ({ ok: true as const, value: value as object as never }), {
  isExact: true,
});

/**
 * A host that mounts servers by their names, over HTTP without a socket; `settings` are those of their entries, and
 * `capabilities` what other modules of the plan have registered.
 */
export async function gatewayOf(
  servers: Readonly<Record<string, Upstream>>,
  settings: Readonly<Record<string, object>> = {},
  isAway: () => boolean = () => false,
  capabilities: Readonly<Record<string, unknown>> = {},
) {
  const handlers = new Map(
    Object.entries(servers).map(([name, upstream]) => [
      `${name}.test`,
      createMcpHandler(() => serverOf(name, upstream)),
    ]),
  );
  vi.stubGlobal("fetch", (to: string | URL, init: RequestInit) => {
    const handler = handlers.get(new URL(to).host);
    if (handler === undefined || isAway())
      throw new TypeError("fetch failed", { cause: new Error("no such server") });
    return handler.fetch(new Request(to, init));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const { logger, lines } = notingLogger();
  const host = hostOf([], { logger });
  const { coordinator } = host;
  coordinator.mount("schema-compiler", { compile: () => takesAll });
  for (const [name, value] of Object.entries(capabilities)) coordinator.registerCapability(name, value);
  for (const name of Object.keys({ ...servers, ...settings })) {
    const entry = { name, url: `http://${name}.test/mcp`, era: "modern", ...settings[name] };
    await mount(coordinator, config.parse(entry));
  }
  const statuses = async () => (await coordinator.collectContributions("mcp.servers")) as ServerStatus[];
  const tools = () =>
    [...(coordinator.get("tools") as ReadonlyMap<string, { internal?: boolean }>)]
      .map(([name]) => name)
      .toSorted();
  return { host, lines, statuses, tools, handlers };
}

function serverOf(name: string, { capabilities, instructions, answers }: Upstream): Server {
  const all = { tools: {}, prompts: {}, resources: {}, completions: {} };
  const server = new Server(
    { name, version: "1.0.0" },
    { capabilities: capabilities ?? all, ...(instructions !== undefined && { instructions }) },
  );
  for (const [method, answer] of Object.entries(answers))
    server.setRequestHandler(method as "tools/list", ({ params }) => answer(params as never) as never);
  return server;
}

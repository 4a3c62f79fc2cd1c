import { gzipSync } from "node:zlib";
import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  type Host,
  type HostOptions,
} from "@toolmount/core";
import {
  createToken,
  createTokenCheck,
  hashToken,
  serveHosts,
  type HttpServer,
  type Role,
  type ServedHost,
  type ServeHostsOptions,
} from "@toolmount/http";
import { onTestFinished } from "vitest";
import { z } from "zod";

/** A host with a few real tools: one echoes, one asks, one reports progress, one waits until it is released. */
export function createWorld(options: HostOptions = {}) {
  const host = createHost({ store: createMemoryStore(), ...options });
  const started: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const base = { category: "side_effect", consequenceLevel: "low", requiresConfirmation: false } as const;
  const schema = z.strictObject({ text: z.string().default("") });
  const tools = [
    defineTool({
      ...base,
      name: "echo",
      description: "Returns its text. Use in tests.",
      schema,
      execute: async ({ text }, { userId, sessionId }) => {
        started.push("echo");
        return data({ text, userId: userId ?? null, sessionId: sessionId ?? null });
      },
    }),
    defineTool({
      ...base,
      name: "wipe",
      description: "Asks first. Use in tests.",
      schema,
      requiresConfirmation: true,
      execute: async ({ text }) => {
        started.push("wipe");
        return data(`wiped ${text}`);
      },
    }),
    defineTool({
      ...base,
      name: "count",
      description: "Reports progress. Use in tests.",
      schema,
      execute: async (_, context) => {
        for (let progress = 1; progress <= 3; progress++) context.progress({ progress, total: 3 });
        return data("counted");
      },
    }),
    defineTool({
      ...base,
      name: "wait",
      description: "Waits until the test releases it or its signal fires. Use in tests.",
      schema,
      timeout: 0,
      execute: async (_, { abortSignal }) => {
        started.push("wait");
        await Promise.race([
          released,
          new Promise<void>((_resolve, reject) => {
            abortSignal.addEventListener("abort", () => reject(new Error("stopped")));
          }),
        ]);
        return data("released");
      },
    }),
  ];
  for (const tool of tools) host.coordinator.mount("tools", tool);
  return { host, started, release: () => release() };
}

/** Tokens of one server, by name. */
export interface Tokens {
  readonly caller: string;
  readonly operator: string;
  readonly ana: string;
}

const fileOf = (type: string, text: string) => {
  const body = Buffer.from(text);
  return { type, body, gzipped: gzipSync(body), headers: {} };
};

/** What a page is for a server: files that need no token. */
const smallPage = new Map([
  ["/", fileOf("text/html; charset=utf-8", `<!doctype html><title>toolmount</title>${" ".repeat(500)}`)],
  ["/assets/main.js", fileOf("text/javascript; charset=utf-8", "export {};")],
]);

/** Serves hosts on a free port of loopback, with a token for each kind of person. */
export async function serve(
  hosts: Readonly<Record<string, ServedHost>> | Host,
  options: Partial<ServeHostsOptions> = {},
  /** Those of a server before it; default new ones. */
  tokens: Tokens = { caller: createToken(), operator: createToken(), ana: createToken() },
): Promise<{ server: HttpServer; tokens: Tokens; ask: Ask }> {
  const own = (name: string, token: string, roles: Role[], user?: string) => ({
    name,
    sha256: hashToken(token),
    roles,
    ...(user !== undefined && { user }),
  });
  const server = await serveHosts({
    hosts: isHost(hosts) ? { default: { host: hosts } } : hosts,
    authenticate: createTokenCheck([
      own("caller", tokens.caller, ["call"]),
      own("operator", tokens.operator, ["call", "approve", "admin"]),
      own("ana", tokens.ana, ["call"], "ana"),
    ]),
    listen: { host: "127.0.0.1", port: 0 },
    page: smallPage,
    ...options,
  });
  onTestFinished(() => server.close({ graceMs: 0 }));
  return { server, tokens, ask: asker(server.url, tokens) };
}

function isHost(given: Readonly<Record<string, ServedHost>> | Host): given is Host {
  return "coordinator" in given;
}

/** One request, and its answer read as JSON. */
export type Ask = (
  method: string,
  path: string,
  given?: { readonly as?: keyof Tokens | null; readonly body?: unknown; readonly signal?: AbortSignal },
) => Promise<{
  readonly status: number;
  readonly body: Record<string, never> & { readonly [name: string]: unknown };
}>;

function asker(url: string, tokens: Tokens): Ask {
  return async (method, path, { as = "operator", body, signal } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(as !== null && { authorization: `Bearer ${tokens[as]}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    return { status: response.status, body: (await response.json()) as never };
  };
}

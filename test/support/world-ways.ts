import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createMemoryStore, type Host, type ToolOutcome } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { outcomeMetaKey, serveStreams } from "@toolmount/mcp";
import type { ExpectedCall, WorldCase } from "./world-cases.ts";
import type { MakeCall } from "./world-player.ts";

/** A way by which calls come to a host. */
export interface Way {
  readonly call: MakeCall;
  close(): Promise<void>;
}

/** Calls by a client of the official MCP SDK, over a pair of streams; the revision is the older or the newest. */
export async function callByMcp(host: Host, { expected }: WorldCase, era: "legacy" | "modern"): Promise<Way> {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const served = serveStreams(host, { input: up, output: down });
  const mode = era === "legacy" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(new StdioServerTransport(down, up));
  const wanted = expected.calls.values();
  return {
    async call({ name, arguments: given }) {
      const answer = await client.callTool({ name, arguments: given as Record<string, unknown> });
      return outcomeOf(answer as McpAnswer, wanted.next().value!);
    },
    async close() {
      await client.close();
      await served.close();
    },
  };
}

interface McpAnswer {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly _meta?: { readonly [outcomeMetaKey]?: { readonly status: ToolOutcome["status"] } };
}

/** What a client learns of the outcome. A result without structured content is in the text: bare, or as JSON. */
function outcomeOf(
  { content, structuredContent, _meta: meta }: McpAnswer,
  wanted: ExpectedCall,
): ToolOutcome {
  const status = meta?.[outcomeMetaKey]?.status ?? "failed";
  const text = content[0]?.text ?? "";
  const isText = typeof wanted.data === "string";
  const result =
    status === "ok" ? { data: structuredContent ?? (isText ? text : JSON.parse(text)) } : { error: text };
  return { status, result } as unknown as ToolOutcome;
}

/** The host's own store and no approver: each question waits until it is decided. */
export const questionsWait = () => ({ approver: undefined, store: createMemoryStore() });

/** Calls over HTTP. An operator approves each call that waits, one by one, and the caller resumes it. */
export async function callByHttp(host: Host, { id: sessionId }: WorldCase): Promise<Way> {
  const token = createToken();
  const server = await serveHosts({
    hosts: { world: { host } },
    authenticate: createTokenCheck([
      { name: "operator", sha256: hashToken(token), roles: ["call", "approve"] },
    ]),
    listen: { host: "127.0.0.1", port: 0 },
  });
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${server.url}/api/v1/hosts/world${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  return {
    async call({ name, arguments: given }) {
      const first = (await ask("POST", "/calls", { tool: name, arguments: given, sessionId })) as ToolOutcome;
      if (first.status !== "pending") return first;
      const { waiting } = (await ask("GET", "/approvals")) as { waiting: readonly { id: string }[] };
      await ask("POST", `/approvals/${waiting[0]!.id}/decision`, { decision: "approve" });
      return (await ask("POST", "/resume", { ticket: first.ticket, sessionId })) as ToolOutcome;
    },
    close: () => server.close({ graceMs: 0 }),
  };
}

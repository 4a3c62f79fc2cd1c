import { data, defineTool, type Tool } from "@toolmount/core";
import { onTestFinished, vi } from "vitest";
import { z } from "zod";
import type { ConnectionOptions } from "../src/mount/client.ts";
import { config } from "../src/mount/config.ts";
import { Connection } from "../src/mount/connection.ts";
import { KnownWay } from "../src/mount/known-way.ts";
import { serveHttp } from "../src/index.ts";
import { add, hostOf, notingLogger } from "./support.ts";

const url = "http://127.0.0.1/mcp";

/** A tool that runs as long as its client waits. */
const wait = defineTool({
  name: "wait",
  description: "Waits. Use in tests.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: async (_, context) => {
    await new Promise((resolve) => context?.abortSignal?.addEventListener("abort", resolve, { once: true }));
    return data(null);
  },
});

export type Answer = () => Response | Promise<Response>;

/** An error of `fetch`, as the network causes it. */
export const network =
  (code: string, why = "no route"): Answer =>
  () => {
    throw new TypeError("fetch failed", { cause: Object.assign(new Error(why), { code }) });
  };
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response("no", { status: code, headers });

/** A server over HTTP, and the connection to it. `failing` answers requests of a method instead of the server. */
export function connectionWorld(
  settings: object = {},
  options: Partial<ConnectionOptions> = {},
  tools: readonly Tool[] = [add, wait],
) {
  const host = hostOf(tools);
  const served = serveHttp(host, { name: "files", version: "2" });
  onTestFinished(() => served.close());
  const asked: string[] = [];
  const failing: Record<string, Answer[]> = {};
  vi.stubGlobal("fetch", async (to: string | URL, init: RequestInit) => {
    const request = new Request(to, init);
    const body = request.method === "POST" ? ((await request.clone().json()) as { method?: string }) : {};
    const method = body.method ?? request.method;
    asked.push(method);
    const answer = failing[method]?.shift();
    return answer === undefined ? served.fetch(request) : answer();
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const { logger, lines } = notingLogger();
  const listed: string[][] = [];
  const known = options.known ?? new KnownWay();
  const connection = new Connection({
    settings: config.parse({ name: "files", url, era: "modern", ...settings }),
    folder: undefined,
    toolFor: () => "",
    logger,
    known,
    onTools: (found) => void listed.push(found.map(({ name }) => name)),
    ...options,
  });
  onTestFinished(() => connection.close());
  const call = (name = "add", more: { idempotent?: boolean; signal?: AbortSignal } = {}) =>
    connection.call({ name, arguments: name === "add" ? { a: 1, b: 2 } : {} }, {
      idempotent: false,
      skill: undefined,
      definition: { name, inputSchema: { type: "object" } },
      timeout: 60_000,
      onprogress: undefined,
      signal: undefined,
      ...more,
    } as never);
  const count = (method: string) => asked.filter((one) => one === method).length;
  const warnings = () => lines.filter(([level]) => level === "warn");
  return { host, connection, call, asked, failing, lines, warnings, listed, known, count };
}

/** What the tool `add` answers to the calls of `call`. */
export const sum = { structuredContent: { sum: 3 } };

import { createHash, randomUUID } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createHost, data, defineTool } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { join } from "node:path";
import { linkPackages, serveCommand } from "./support/command.ts";
import { listen } from "./support/http.ts";
import { folderOf } from "./support/world.ts";

/** A host with a tool that reports progress and then waits until it is released, served to clients of the older revision. */
async function world() {
  const released = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  let runs = 0;
  const host = createHost();
  onTestFinished(async () => void (await host.close()));
  const wait = defineTool({
    name: "wait",
    description: "Waits.",
    schema: z.strictObject({}),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: async (_, context) => {
      runs++;
      context.progress({ progress: 1 });
      started.resolve();
      await released.promise;
      return data({ run: runs });
    },
  });
  host.coordinator.mount("tools", wait);
  const url = await listen(host);
  return { url, started: started.promise, release: () => released.resolve(), runs: () => runs };
}

const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function post(url: string, body: object, more: Record<string, string> = {}, signal?: AbortSignal) {
  const init = {
    method: "POST",
    headers: { ...headers, ...more },
    body: JSON.stringify({ jsonrpc: "2.0", ...body }),
  };
  return fetch(url, { ...init, ...(signal !== undefined && { signal }) });
}

async function initialize(url: string): Promise<Record<string, string>> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const response = await post(url, { id: 1, method: "initialize", params });
  await response.text();
  const session = {
    "mcp-session-id": response.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": "2025-11-25",
  };
  await post(url, { method: "notifications/initialized" }, session);
  return session;
}

/** Reads a stream up to its first event with an id. */
async function firstId(response: Response): Promise<string> {
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const [, id] = /^id: (.+)$/m.exec(text) ?? [];
    if (id !== undefined) return id;
  }
  throw new Error(`no id in: ${text}`);
}

/** A program between a client and a server that can cut every connection. */
async function startCutter(url: string) {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const other = connect(Number(port), hostname);
    for (const one of [socket, other]) {
      open.add(one);
      one.on("error", () => {}).once("close", () => open.delete(one));
    }
    socket.pipe(other).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const cut = () => {
    for (const one of open) one.destroy();
  };
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`), cut };
}

test("a client whose connection broke in a call reads its result with the id of the last event, and no other session does", async () => {
  const { url, started, release, runs } = await world();
  const session = await initialize(url);
  const leaving = new AbortController();
  const call = { id: 2, method: "tools/call", params: { name: "wait", arguments: {} } };
  const last = await firstId(await post(url, call, session, leaving.signal));
  await started;
  leaving.abort();
  release();

  const resume = (more: Record<string, string>) =>
    fetch(url, { headers: { accept: "text/event-stream", "last-event-id": last, ...more } });
  const stranger = await resume(await initialize(url));
  const resumed = await resume(session);

  expect(stranger.status).toBe(400);
  let text = "";
  for await (const chunk of resumed.body!.pipeThrough(new TextDecoderStream()))
    if ((text += chunk).includes('"id":2')) break;
  expect(text).toContain('"structuredContent":{"run":1}');
  expect(runs()).toBe(1);
});

test.each(["the newer SDK", "the older SDK"])(
  "a call of a client of %s survives the loss of every connection, and runs once",
  async (which) => {
    const { url, release, runs } = await world();
    const between = await startCutter(url);
    const facts = { name: "test", version: "1.0.0" };
    const client = which === "the newer SDK" ? new Client(facts) : new OldClient(facts);
    onTestFinished(() => client.close());
    if (client instanceof Client) await client.connect(new StreamableHTTPClientTransport(between.url));
    else await client.connect(new OldTransport(between.url));
    const reported = Promise.withResolvers<void>();
    const options = { onprogress: () => reported.resolve() };
    const wait = { name: "wait", arguments: {} };
    const called =
      client instanceof Client ? client.callTool(wait, options) : client.callTool(wait, undefined, options);
    await reported.promise;
    between.cut();
    release();

    expect((await called).structuredContent).toEqual({ run: 1 });
    expect(runs()).toBe(1);
  },
);

const waits = `
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
let runs = 0;
export const wait = defineTool({
  name: "wait",
  description: "Waits for a file.",
  schema: z.strictObject({ file: z.string() }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: async ({ file }, context) => {
    runs++;
    context.progress({ progress: 1 });
    while (!existsSync(file)) await delay(20);
    return data({ run: runs });
  },
});
`;

test("a call through toolmount serve --http survives the loss of every connection, and runs once", async () => {
  const token = randomUUID();
  const sha256 = createHash("sha256").update(token).digest("hex");
  const tokens = [{ name: "ana", user: "ana", roles: ["call"], sha256 }];
  const elsewhere = await folderOf({ "tokens.json": JSON.stringify({ version: 1, tokens }) });
  await chmod(join(elsewhere, "tokens.json"), 0o600);
  const cwd = await folderOf({
    "plan.yaml": "version: 1\ntools:\n  - module: ./wait.ts\n",
    "wait.ts": waits,
  });
  await linkPackages(cwd);
  const words = ["plan.yaml", "--tokens", join(elsewhere, "tokens.json")];
  const { url } = await serveCommand(words, { cwd });
  const between = await startCutter(`${url}/mcp`);
  const client = new Client({ name: "test", version: "1.0.0" });
  onTestFinished(() => client.close());
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(between.url, { requestInit }));
  const file = join(cwd, "released");
  const reported = Promise.withResolvers<void>();

  const called = client.callTool(
    { name: "wait", arguments: { file } },
    { onprogress: () => reported.resolve() },
  );
  await reported.promise;
  between.cut();
  await writeFile(file, "");

  expect((await called).structuredContent).toEqual({ run: 1 });
});

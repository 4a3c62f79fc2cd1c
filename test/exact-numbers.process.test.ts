import { execFile } from "node:child_process";
import { cp, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  silentLogger,
  type ApprovalQuestion,
} from "@toolmount/core";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { openHost } from "@toolmount/loader";
import * as interop from "@toolmount/interop";
import * as mcp from "@toolmount/mcp";
import { serveHttp, serveStreams } from "@toolmount/mcp";
import { createReasoner, settingsSchema } from "@toolmount/reasoner";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { call, outputs, response, say, serve } from "../packages/reasoner/test/support/world.ts";
import { commandFile, nodeFlags } from "./support/program.ts";

const id = "1915883588174806058";
const said = `the number ${id} at`;
const run = promisify(execFile);

/** A tool that a person is asked about; what they saw, and what ran. */
function world() {
  const seen: unknown[] = [];
  const store = createMemoryStore();
  const host = createHost({
    logger: silentLogger,
    store,
    approver: (question: ApprovalQuestion) => (seen.push(question.arguments), { decision: "approve" }),
  });
  onTestFinished(async () => void (await host.close({ graceMs: 0 })));
  host.coordinator.mount("session-store", store.sessions);
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "delete_ad",
      description: "Deletes an advertisement. Use it in a test.",
      schema: z.strictObject({ id: z.number() }),
      category: "delete",
      consequenceLevel: "high",
      requiresConfirmation: true,
      execute: (given) => (seen.push(given), data("deleted")),
    }),
  );
  return { host, seen };
}

type World = ReturnType<typeof world>;

const toolsCall = (digits: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_ad","arguments":{"id":${digits}}}}`;

/** Every way in by which a text of JSON becomes the arguments of a call; each resolves to all that the caller reads. */
const doors: Readonly<Record<string, (given: World, digits: string) => Promise<string>>> = {
  "the text of a model": async ({ host }, digits) =>
    JSON.stringify(await host.call({ name: "delete_ad", arguments: `{"id":${digits}}` })),
  "a session's model": async ({ host }, digits) => {
    const answers = [[call("c1", "delete_ad", `{"id":${digits}}`)], [say("done")]];
    const { baseUrl, requests } = await serve(answers.map((items) => response(items)));
    const settings = settingsSchema.parse({ model: "m", stream: false, baseUrl, apiKey: "k" });
    await createReasoner(host.coordinator, { settings }).run(host, { prompt: "Delete it." });
    return JSON.stringify(outputs(requests[1]));
  },
  HTTP: async ({ host }, digits) => {
    const token = createToken();
    const service = await serveHosts({
      hosts: { ads: { host } },
      authenticate: createTokenCheck([{ name: "caller", sha256: hashToken(token), roles: ["call"] }]),
      listen: { host: "127.0.0.1", port: 0 },
    });
    onTestFinished(() => service.close({ graceMs: 0 }));
    const answer = await fetch(`${service.url}/api/v1/hosts/ads/calls`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: `{"tool":"delete_ad","arguments":{"id":${digits}}}`,
    });
    return answer.text();
  },
  "MCP over stdio": async ({ host }, digits) => {
    const [up, down] = [new PassThrough(), new PassThrough()];
    const served = serveStreams(host, { input: up, output: down });
    onTestFinished(() => served.close());
    const lines = createInterface({ input: down })[Symbol.asyncIterator]();
    const ask = async (line: string) => {
      up.write(`${line}\n`);
      return String((await lines.next()).value);
    };
    const client = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "c", version: "1" },
    };
    await ask(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: client }));
    up.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return ask(toolsCall(digits));
  },
  "MCP over HTTP": async ({ host }, digits) => {
    const handler = serveHttp(host);
    onTestFinished(() => handler.close());
    const bodies: string[] = [];
    const fetchOne = async (url: string | URL, init?: RequestInit) => {
      const body = typeof init?.body === "string" ? init.body.replace("123454321", digits) : init?.body;
      const answer = await handler.fetch(new Request(url, { ...init, body: body ?? null }));
      if (init?.method === "POST") bodies.push(await answer.clone().text());
      return answer;
    };
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch: fetchOne }),
    );
    await client.callTool({ name: "delete_ad", arguments: { id: 123454321 } }).catch(() => null);
    await client.close();
    return bodies.join("\n");
  },
};

test.each(Object.entries(doors))(
  "by %s, an integer beyond 2^53 is refused with its name, and a person never sees another one",
  async (_, enter) => {
    const refused = world();
    expect(await enter(refused, id)).toContain(said);
    expect(refused.seen).toEqual([]);

    const fine = world();
    const answer = await enter(fine, "9007199254740991");
    expect(answer).toContain("deleted");
    expect(fine.seen).toEqual([{ id: 9007199254740991 }, { id: 9007199254740991 }]);
  },
);

/** Integers of each length that JavaScript would change, and integers that it would not. */
const integers = fc
  .sample(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), { numRuns: 24, seed: 5640 })
  .map((integer, at) => integer / 10n ** BigInt(at % 12))
  .map((integer) => [`${integer}`, Number.isSafeInteger(Number(integer))] as const);

test.each(Object.entries(doors))(
  "by %s, integers arrive exactly as written or the call is refused (seed 5640)",
  async (_, enter) => {
    for (const [digits, isExact] of integers) {
      const here = world();
      const answer = await enter(here, digits);
      if (isExact) expect(here.seen).toEqual([{ id: Number(digits) }, { id: Number(digits) }]);
      else expect([answer.includes(`the number ${digits} at`), here.seen]).toEqual([true, []]);
    }
  },
);

test.each([
  [["delete_ad", `{"id":${id}}`], said],
  [["delete_ad", `id=${id}`], "id"],
])("toolmount call %j asks no person about another number", async (words, problem) => {
  const folder = await folderWith(
    `export const tool = { name: "delete_ad", description: "Deletes. Use it in a test.", category: "delete", consequenceLevel: "low", requiresConfirmation: false, inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }, execute: ({ id }) => ({ data: "ran " + id }) };
export async function mount(c) { c.mount("tools", tool); }`,
  );
  const ran = await run(process.execPath, [...nodeFlags, commandFile, "call", ...words, "--approve"], {
    cwd: folder,
  }).catch((error: unknown) => error as { readonly stdout: string; readonly stderr: string });

  expect(ran.stdout + ran.stderr).toContain(problem);
  expect(ran.stdout).not.toContain("ran ");
});

async function folderWith(module: string): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-exact-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(import.meta.dirname, "package.json"), join(folder, "package.json"));
  await symlink(join(import.meta.dirname, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "module.mjs"), module);
  await writeFile(
    join(folder, "mount-plan.yaml"),
    "version: 1\ntools: [{ module: ./module.mjs }]\npolicy: { level: autonomous }\n",
  );
  return folder;
}

test("a number that a mounted server answers keeps its digits, and a warning names the member", async () => {
  const answer = `{"content":[{"type":"text","text":"found"}],"structuredContent":{"ad":{"id":${id}},"count":2}}`;
  const folder = await folderWith(`import { createInterface } from "node:readline";
const results = {
  initialize: '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}',
  "tools/list": '{"tools":[{"name":"find","description":"Finds. Use it.","inputSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":9223372036854775807}}}}]}',
  "tools/call": ${JSON.stringify(answer)},
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const answer = results[method] === undefined ? '"error":{"code":-32601,"message":"no"}' : '"result":' + results[method];
  if (id !== undefined) process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + "," + answer + "}\\n");
});`);
  const server = { command: process.execPath, args: [join(folder, "module.mjs")] };
  const host = await openHost(
    { version: 1, tools: [{ module: "ads", source: { mcp: server } }] },
    {
      cwd: folder,
      logger: silentLogger,
      extensions: { "@toolmount/interop": interop, "@toolmount/mcp": mcp },
      approver: () => ({ decision: "approve" }),
    },
  );
  onTestFinished(async () => void (await host.close({ graceMs: 0 })));
  const { result } = await host.call({ name: "find" });

  expect(JSON.stringify(result.data)).toContain(`"id":"${id}"`);
  expect(JSON.stringify(result.data)).toContain('"count":2');
  expect(result.warnings).toEqual([
    "result.structuredContent.ad.id is a number that JavaScript would change; it is read as a text",
  ]);
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./support/http.ts";
import { folderOf, open, planOf, serverOf, until } from "./support/world.ts";

/** Starts the server of the tests over HTTP, and reads its port. */
async function startHttp(...words: readonly string[]): Promise<string> {
  const { command, args } = serverOf("--http", ...words);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [port] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return `http://127.0.0.1:${port}/mcp`;
}

const eras = ["legacy", "modern"] as const;

test.each(eras.flatMap((client) => eras.map((server) => [client, server] as const)))(
  "a %s client reaches a %s server through the host: calls, progress, and changes of the tools",
  async (clientEra, serverEra) => {
    const folder = await folderOf({ "words.txt": "Echoes a text." });
    const words = ["--words", join(folder, "words.txt")];
    // An old server without sessions has no stream over HTTP on which it could report a change.
    const source = serverEra === "legacy" ? serverOf(...words) : { url: await startHttp(...words) };
    const host = await open(planOf({ ...source, era: serverEra }));
    const address = await listen(host);
    let changes = 0;
    const client = new Client(
      { name: "test", version: "1.0.0" },
      {
        versionNegotiation: { mode: clientEra === "legacy" ? "legacy" : { pin: "2026-07-28" } },
        listChanged: { tools: { autoRefresh: false, onChanged: () => void changes++ } },
      },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(address)));
    onTestFinished(() => client.close());
    const described = async () =>
      (await client.listTools()).tools.find(({ name }) => name === "echo")?.description;

    const echoed = await client.callTool({ name: "echo", arguments: { text: "hi" } });
    const where = await client.callTool({ name: "where_am_I_", arguments: {} });
    const controller = new AbortController();
    const seen: number[] = [];
    const slow = client
      .callTool(
        { name: "slow", arguments: {} },
        {
          signal: controller.signal,
          onprogress: ({ progress }) => {
            seen.push(progress);
            if (progress === 3) controller.abort("enough");
          },
        },
      )
      .catch((error: unknown) => error);
    await slow;
    const before = await described();

    expect(echoed.content).toEqual([{ type: "text", text: "echo: hi" }]);
    expect(where.structuredContent).toMatchObject({ era: serverEra });
    expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
    expect(before).toBe("Echoes a text.");
    await writeFile(join(folder, "words.txt"), "Echoes twice.");
    await client.callTool({ name: "change", arguments: {} });
    await until(() => changes > 0);
    await until(async () => (await described()) === "Echoes twice.");
  },
);

test("members of a definition that the host has no field for reach the client", async () => {
  const host = await open(planOf(serverOf(), { prefix: "fx_" }));
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(await listen(host))));
  onTestFinished(() => client.close());

  const { tools } = await client.listTools();

  expect(tools.find(({ name }) => name === "fx_echo")).toMatchObject({
    title: "Echo",
    _meta: { "com.example/color": "blue" },
    annotations: { readOnlyHint: true },
  });
});

test.each(["*/*", undefined, "text/html, */*;q=0.8"])(
  "a client that accepts %s gets an answer",
  async (accept) => {
    const address = await listen(await open(planOf(serverOf())));
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "curl", version: "8" },
    };
    const answer = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", ...(accept !== undefined && { accept }) },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    });

    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('"serverInfo"');
  },
);

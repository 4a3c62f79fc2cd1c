import { createHost, data, defineTool, silentLogger } from "@toolmount/core";
import { serveHttp, type ServedHttp } from "@toolmount/mcp";
import { stringify } from "yaml";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { startProtectedServer } from "./support/authorization-server.ts";
import { linkPackages, run } from "./support/command.ts";
import { listenTo } from "./support/http.ts";
import { folderOf, open, planOf, serverOf } from "./support/world.ts";

test("host.status() shows the connection of each server: asked when, spoken how, ended why", async () => {
  const host = await open(
    {
      version: 1,
      tools: [
        { module: "good", prefix: "good_", source: { mcp: serverOf() } },
        {
          module: "dead",
          required: false,
          source: { mcp: { command: "node", args: ["-e", "process.exit(3)"] } },
        },
      ],
    },
    { logger: silentLogger },
  );

  const { entries } = host.status();
  const [good, dead] = ["good", "dead"].map((id) => entries.find((entry) => entry.id === id));

  expect(good).toMatchObject({
    state: "mounted",
    report: { state: "connected", server: "fixture 1.2.3", protocolAt: expect.stringMatching(/^\d{4}-.*Z$/) },
  });
  expect(dead).toMatchObject({
    state: "failed",
    problems: [{ code: "MODULE_MOUNT_FAILED", message: expect.stringContaining("it ended with code 3") }],
  });
});

test.each([
  ["a missing file", ["no-such-file.mjs"], "Error: Cannot find module"],
  ["an error", ["-e", "throw new TypeError('no key is set')"], "TypeError: no key is set"],
  ["words of its own", ["-e", "console.error('set API_KEY'); process.exit(3)"], "set API_KEY"],
])("a server that ends by %s is reported with what says why", async (_title, args, why) => {
  const entry = { module: "dead", required: false, source: { mcp: { command: "node", args } } };
  const host = await open({ version: 1, tools: [entry] }, { logger: silentLogger });
  const [problem] = host.status().entries.find(({ id }) => id === "dead")!.problems;
  expect(problem!.message).toContain(`it said last: ${why}`);
});

test("doctor connects to each server of a plan, and names the one that needs a sign-in and the one that is down", async () => {
  const { url } = await startProtectedServer();
  const entry = (module: string, mcp: object) => ({
    module,
    prefix: `${module}_`,
    required: false,
    source: { mcp },
  });
  const plan = {
    version: 1,
    tools: [
      entry("good", serverOf()),
      entry("locked", { url }),
      entry("dead", { command: "node", args: ["-e", "process.exit(3)"] }),
    ],
  };
  const folder = await folderOf({ "plan.yaml": stringify(plan) });
  await linkPackages(folder);

  const { code, stdout } = await run(["doctor", "plan.yaml"], { cwd: folder });

  expect(stdout).toMatch(/✔ MCP server good: connected; fixture 1\.2\.3; \d{4}-\d\d-\d\d/);
  expect(stdout).toContain("toolmount auth locked");
  expect(stdout).toContain("it ended with code 3");
  expect(code).not.toBe(0);
});

test("doctor connects to the servers of a locked plan, which nothing has started yet", async () => {
  const folder = await folderOf({ "plan.yaml": stringify(planOf(serverOf())) });
  await linkPackages(folder);

  const locked = await run(["lock", "plan.yaml"], { cwd: folder });
  const { stdout } = await run(["doctor", "plan.yaml"], { cwd: folder });

  expect(locked.code).toBe(0);
  expect(stdout).toMatch(/✔ MCP server fixture: connected; fixture 1\.2\.3/);
});

test("a call that a server refused with 404, because it has forgotten the session, is made again and runs once", async () => {
  let runs = 0;
  const upstream = createHost();
  upstream.coordinator.mount(
    "tools",
    defineTool({
      name: "count",
      description: "Counts its runs.",
      schema: z.strictObject({}),
      category: "write",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: () => data(++runs),
    }),
  );
  let served: ServedHttp = serveHttp(upstream);
  onTestFinished(async () => {
    await served.close();
    await upstream.close();
  });
  const url = await listenTo((request) => served.fetch(request));
  const host = await open(planOf({ url, era: "legacy", classify: { "*": { confirm: false } } }), {
    logger: silentLogger,
  });
  await host.call({ name: "count" });

  const before = served;
  served = serveHttp(upstream);
  await before.close();
  const outcome = await host.call({ name: "count" });

  expect(outcome).toMatchObject({ status: "ok", result: { data: "2" } });
  expect(runs).toBe(2);
});

/** A server that changes its list of tools as soon as it was read, and never answers who asks again. */
const restless = `
  let lists = 0, waiting;
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") send({ id, result: { protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true } }, serverInfo: { name: "restless", version: "1.0.0" } } });
    else if (method === "tools/list" && lists++ === 0) {
      send({ id, result: { tools: [{ name: "wait", inputSchema: { type: "object" } }] } });
      send({ method: "notifications/tools/list_changed" });
    } else if (method === "tools/call") waiting = () => send({ id, result: { content: [] } });
    else if (id !== undefined && method !== "tools/list") send({ id, error: { code: -32601, message: "no" } });
    if (lists > 1) waiting?.();
  });`;

test("a host that closes while it reads a changed list of tools reports nothing", async () => {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (...words: unknown[]) => void warnings.push(String(words.at(-1))) };
  const host = await open(planOf({ command: process.execPath, args: ["-e", restless], timeoutMs: 600_000 }), {
    logger: { ...logger, child: () => logger },
  });

  expect((await host.call({ name: "wait" })).status).toBe("ok");
  await host.close();
  await new Promise((resolve) => setImmediate(resolve));

  expect(warnings).toEqual([]);
});

import { mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as interop from "@toolmount/interop";
import { openHost } from "@toolmount/loader";
import { silentLogger } from "@toolmount/core";
import { afterAll, beforeAll, expect, test } from "vitest";

// Six real packages, as their authors published them; `pnpm foreign-tools` tries many more.

const packages = join(import.meta.dirname, "libraries/node_modules");

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount packages ")));
  await symlink(packages, join(folder, "node_modules"));
});
afterAll(() => rm(folder, { recursive: true }));

async function open(entry: object) {
  const plan = join(folder, "plan.json");
  await writeFile(plan, JSON.stringify({ version: 1, tools: [entry] }));
  return openHost(plan, { extensions: { "@toolmount/interop": interop }, logger: silentLogger });
}

test.each<[string, object, string[]]>([
  ["@exalabs/ai-sdk", {}, ["webSearch"]],
  ["@parallel-web/ai-sdk-tools", {}, ["extractTool", "searchTool"]],
  ["@perplexity-ai/ai-sdk", {}, ["perplexitySearch"]],
  ["@agentic/calculator", {}, ["calculator"]],
  ["@tavily/ai-sdk", { export: ["tavilySearch", "tavilyMap"] }, ["tavilyMap", "tavilySearch"]],
  ["@langchain/tavily", { export: "TavilySearch", config: { tavilyApiKey: "none" } }, ["tavily_search"]],
])("%s mounts unedited", async (module, lines, names) => {
  await using host = await open({ module, ...lines });

  expect(host.tools().map(({ name }) => name)).toEqual(names);
  expect(host.tools().every(({ inputSchema }) => inputSchema["type"] === "object")).toBe(true);
});

test("a tool of one of them runs, and the host checks its arguments", async () => {
  await using host = await open({ module: "@agentic/calculator" });
  const call = (expr: unknown) => host.call({ name: "calculator", arguments: { expr } });

  expect((await call("2 * 21")).result.data).toBe(42);
  expect((await call(42)).status).toBe("invalid");
});

test("the refusal of one with several factories prints the line to write, and the line works", async () => {
  const refused = await open({ module: "@tavily/ai-sdk" }).then(
    () => "",
    (error: unknown) => String(error),
  );
  const [, names = ""] = /export: \[([\w, ]+)\]/.exec(refused) ?? [];

  expect(names.split(", ")).toContain("tavilyCrawl");
  await using host = await open({ module: "@tavily/ai-sdk", export: names.split(", ") });
  expect(host.tools()).toHaveLength(3);
});

test("the page of what was tried has these six, and none of them answered wrong", async () => {
  const page = await readFile(join(import.meta.dirname, "../docs/reference/foreign-tools.md"), "utf8");
  const { devDependencies } = JSON.parse(
    await readFile(join(import.meta.dirname, "libraries/package.json"), "utf8"),
  ) as { devDependencies: object };

  for (const name of Object.keys(devDependencies)) expect(page).toContain(`\`${name}\``);
  expect(page).toMatch(/ mount, .* 0 answered wrong\./);
});

import { silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { inspectPlan } from "../../src/commands/index.ts";
import { openHost } from "../../src/index.ts";
import { installed, toolFile, workspace } from "../workspace.ts";

test.each([
  [{}, 'name one of its others in the plan\'s entry: module: "@acme/kit/ai-sdk", or @acme/kit/langchain'],
  [
    { bin: { "local-mcp": "./mcp.js" }, dependencies: { "@modelcontextprotocol/sdk": "1" } },
    "it is also a server of MCP: source: { mcp: { command: npx, args: [--no, local-mcp] } }",
  ],
])("a package without a main entry is refused with those that it has: %j", async (more, said) => {
  const exports = {
    "./ai-sdk": "./index.js",
    "./langchain": "./index.js",
    "./package.json": "./package.json",
  };
  const { path } = await workspace({
    ...installed("@acme/kit", toolFile("greet"), { exports, ...more }),
    "plan.yaml": 'version: 1\ntools: [{ module: "@acme/kit" }]\n',
    "fixed.yaml": 'version: 1\ntools: [{ module: "@acme/kit/ai-sdk" }]\n',
  });

  await expect(openHost(path("plan.yaml"), { logger: silentLogger })).rejects.toThrow(said);
  await expect(openHost(path("plan.yaml"), { logger: silentLogger })).rejects.not.toThrow("package.json");
  await using host = await openHost(path("fixed.yaml"), { logger: silentLogger });
  expect(host.tools().map(({ name }) => name)).toEqual(["greet"]);
});

test.each([
  ["no entry at all", {}, "names no file that exists; build the package, or fix its exports"],
  ["an entry that was not built", { exports: "./dist/x.js" }, "names no file that exists"],
  ["an entry for require only", { exports: { require: "./index.js" } }, "have a file for require only"],
  ["a main entry for require only", { exports: { ".": { require: "./index.js" } } }, "for require only"],
  [
    "an entry for require, and one that was not built",
    { exports: { require: "./index.js", import: "./dist/x.js" } },
    "names no file that exists",
  ],
])("a package with %s says why it has none", async (_what, manifest, said) => {
  const json = JSON.stringify({ name: "@acme/kit", version: "1.0.0", type: "module", ...manifest });
  const { path } = await workspace({
    "node_modules/@acme/kit/package.json": json,
    "plan.yaml": 'version: 1\ntools: [{ module: "@acme/kit" }]\n',
  });

  await expect(openHost(path("plan.yaml"), { logger: silentLogger })).rejects.toThrow(said);
});

const server = { bin: { "local-mcp": "./mcp.js" }, dependencies: { "@modelcontextprotocol/sdk": "1" } };
test("a server of MCP that cannot be imported is refused with the line that starts it", async () => {
  const code = 'throw new Error("Cannot run without API_TOKEN");';
  const { path } = await workspace({
    ...installed("@acme/kit", code, server),
    "plan.yaml": 'version: 1\ntools: [{ module: "@acme/kit" }]\n',
  });

  await expect(openHost(path("plan.yaml"), { logger: silentLogger })).rejects.toThrow(
    "API_TOKEN; it is a server of MCP, a program: write source: { mcp: { command: npx, args: [--no, local-mcp] } }",
  );
});

test("a server of MCP that also exports tools mounts them", async () => {
  const { path } = await workspace({
    ...installed("@acme/kit", toolFile("greet"), server),
    "plan.yaml": 'version: 1\ntools: [{ module: "@acme/kit" }]\n',
  });

  await using host = await openHost(path("plan.yaml"), { logger: silentLogger });
  expect(host.tools().map(({ name }) => name)).toEqual(["greet"]);
});

test.each([
  ["@acme/peer", "@acme/peer"],
  ["@acme/peer/deep/part", "@acme/peer"],
  ["peer/part", "peer"],
])(
  "a package that imports %s, which is not installed, is refused with the install",
  async (imported, name) => {
    const { path } = await workspace({
      ...installed("@acme/kit", `import "${imported}";`),
      "plan.yaml": 'version: 1\ntools: [{ module: "@acme/kit" }]\n',
    });

    await expect(openHost(path("plan.yaml"), { logger: silentLogger })).rejects.toMatchObject({
      details: { problems: [{ code: "MODULE_IMPORT_FAILED", hint: `npm install ${name}` }] },
    });
  },
);

test("a manifest with the type tool alone mounts tools, and is not said to have 0 of them", async () => {
  const { path } = await workspace({
    ...installed("@acme/kit", toolFile("greet"), { toolmount: { type: "tool" } }),
    "plan.yaml": 'version: 1\ntools: [{ module: "@acme/kit" }]\n',
  });

  const { entries } = await inspectPlan(path("plan.yaml"), { logger: silentLogger });
  expect(entries.map(({ tools }) => tools)).toEqual([null]);
});

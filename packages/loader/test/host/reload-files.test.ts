import { cp, rename, symlink, utimes } from "node:fs/promises";
import { silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { installed, workspace } from "../workspace.ts";

const quiet = { logger: silentLogger };

/** A module whose tool answers with the text that an imported helper exports. */
const usesHelper = (helper: string) => `
import { answer } from "${helper}";
import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
export const tool = defineTool({
  name: "ask",
  description: "Answers with the text of its helper. Use in tests.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: () => data(answer),
});
`;
const helper = (answer: string) => `export const answer = "${answer}";\n`;

async function openAsking(files: Record<string, string>, module: string) {
  const { path, write } = await workspace({ ...files, "plan.yaml": `tools: [{ module: ${module} }]` });
  const host = await openHost(path("plan.yaml"), quiet);
  const ask = async () => (await host.call({ name: "ask" })).result.data;
  return { path, write, host, ask };
}

test("an edit of an imported helper is seen by a reload", async () => {
  const { write, host, ask } = await openAsking(
    { "tool.ts": usesHelper("./lib/helper.ts"), "lib/helper.ts": helper("old") },
    "./tool.ts",
  );

  expect(await ask()).toBe("old");
  expect((await host.reload()).kept).toEqual(["./tool.ts"]);
  await write({ "lib/helper.ts": helper("new") });
  expect((await host.reload()).mounted).toEqual(["./tool.ts"]);
  expect(await ask()).toBe("new");
  await host.close();
});

test("an edit of an inner file of a folder package is seen by a reload", async () => {
  const { write, host, ask } = await openAsking(
    {
      "pack/package.json":
        '{ "name": "pack", "version": "1.0.0", "type": "module", "exports": "./src/index.js" }',
      "pack/src/index.js": 'export * from "./tool.js";\n',
      "pack/src/tool.js": usesHelper("../lib/helper.js"),
      "pack/lib/helper.js": helper("old"),
    },
    "./pack",
  );

  expect(await ask()).toBe("old");
  await write({ "pack/lib/helper.js": helper("new") });
  expect((await host.reload()).mounted).toEqual(["./pack"]);
  expect(await ask()).toBe("new");
  await host.close();
});

test("a replacement with an older modification time is imported", async () => {
  const { path, write, host, ask } = await openAsking(
    { "tool.js": usesHelper("./helper.js"), "helper.js": helper("old") },
    "./tool.js",
  );
  const long = new Date("2001-01-01T00:00:00Z");

  expect(await ask()).toBe("old");
  await write({ "next.js": helper("new") });
  await utimes(path("next.js"), long, long);
  await rename(path("next.js"), path("helper.js"));
  expect((await host.reload()).mounted).toEqual(["./tool.js"]);
  expect(await ask()).toBe("new");
  await host.close();
});

test("a symbolic link that is moved to another release is followed", async () => {
  const { path, write, host, ask } = await openAsking(
    {
      "releases/1/tool.js": usesHelper("./helper.js"),
      "releases/1/helper.js": helper("one"),
      "tool.js": usesHelper("./releases/1/helper.js"),
    },
    "./tool.js",
  );
  expect(await ask()).toBe("one");
  await cp(path("releases/1"), path("releases/2"), { recursive: true, preserveTimestamps: true });
  await write({
    "releases/2/helper.js": helper("two"),
    "plan.yaml": "tools: [{ module: ./current/tool.js }]",
  });
  await symlink(path("releases/1"), path("current"));
  await host.reload();
  expect(await ask()).toBe("one");
  await symlink(path("releases/2"), path("flip"));
  await rename(path("flip"), path("current"));
  expect((await host.reload()).mounted).toEqual(["./current/tool.js"]);
  expect(await ask()).toBe("two");
  await host.close();
});

test("a module that threw at import is imported again by the next reload, also when its file did not change", async () => {
  const { path, write, host, ask } = await openAsking(
    { "tool.js": usesHelper("./helper.js"), "helper.js": helper("old") },
    "./tool.js",
  );
  const throwing = 'if (globalThis.r11Broken) throw new Error("not ready");\n';

  await write({
    "late.js": throwing + usesHelper("./helper.js"),
    "plan.yaml": "tools: [{ module: ./late.js }]",
  });
  Object.assign(globalThis, { r11Broken: true });
  await expect(host.reload()).rejects.toMatchObject({ code: "PLAN_INVALID" });
  Object.assign(globalThis, { r11Broken: false });
  expect((await host.reload()).mounted).toEqual(["./late.js"]);
  expect(await ask()).toBe("old");
  expect(host.plan.file).toBe(path("plan.yaml"));
  await host.close();
});

test("two modules that import the same unchanged helper share it after a reload of one of them", async () => {
  const counter = "globalThis.r11Loads = (globalThis.r11Loads ?? 0) + 1;\n" + helper("same");
  const { write, host } = await openAsking(
    { "tool.js": usesHelper("./helper.js"), "helper.js": counter },
    "./tool.js",
  );

  await write({ "tool.js": `// edited\n${usesHelper("./helper.js")}` });
  expect((await host.reload()).mounted).toEqual(["./tool.js"]);
  expect((globalThis as { r11Loads?: number }).r11Loads).toBe(1);
  await host.close();
});

test("an installed package that is replaced by another version is imported again, with its inner files", async () => {
  const files = (version: string, answer: string) => ({
    ...installed("@acme/asks", 'export * from "./inner.js";', { version }),
    "node_modules/@acme/asks/inner.js": usesHelper("./helper.js"),
    "node_modules/@acme/asks/helper.js": helper(answer),
  });
  const { write, host, ask } = await openAsking(files("1.0.0", "one"), '"@acme/asks"');

  expect(await ask()).toBe("one");
  await write(files("1.0.1", "two"));
  expect((await host.reload()).mounted).toEqual(["@acme/asks"]);
  expect(await ask()).toBe("two");
  await host.close();
});

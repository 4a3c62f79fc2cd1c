import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { createWorkspace } from "@toolmount/testing";
import { expect, test } from "vitest";
import { exec } from "./support/exec.ts";

const facts = `description: "Answers. Use in tests.", category: "read", consequenceLevel: "low", requiresConfirmation: false`;

const files = {
  "package.json": '{"type":"module"}',
  "tool.ts": `
    import { data, defineTool } from "@toolmount/core";
    import { z } from "zod";
    export const tool = defineTool({ name: "get_one", schema: z.strictObject({}), ${facts}, execute: async () => data(1) });
  `,
  "mount.ts": `
    import { tool } from "./tool.ts";
    export async function mount(coordinator) { coordinator.mount("tools", tool); }
  `,
  "plain.ts": `
    import { data } from "@toolmount/core";
    const schema = { type: "object", properties: { id: { type: "string", pattern: "^a" } } };
    export const tool = { name: "get_one", schema, ${facts}, execute: async () => data(1) };
  `,
};

/** What a process loads that opens a plan with one module and calls its tool, by package and part of interop. */
async function loadedFor(
  module: string,
): Promise<{ readonly status: string; readonly parts: readonly string[] }> {
  await using workspace = await createWorkspace({
    ...files,
    "plan.yaml": `version: 1\ntools:\n  - module: ./${module}\n`,
  });
  await symlink(join(import.meta.dirname, "node_modules"), workspace.path("node_modules"));
  const program = join(import.meta.dirname, "support/loaded-modules.ts");
  const words = ["-C", "@toolmount/source", program, workspace.path("plan.yaml")];
  const printed = await exec(process.execPath, words, { cwd: workspace.folder });
  const { status, urls } = JSON.parse(printed) as { status: string; urls: readonly string[] };
  return { status, parts: [...new Set(urls.flatMap(partOf))].toSorted() };
}

/** `ajv` for a file of this package, `interop/models` for a file of this folder. */
function partOf(url: string): readonly string[] {
  const own = /packages\/interop\/src\/([^/]+)/.exec(url)?.[1];
  if (own !== undefined) return [`interop/${own}`];
  const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return name === undefined ? [] : [name];
}

const heavy = ["ajv", "re2js", "interop/providers", "interop/models", "interop/index.ts"];

test("a file that exports a tool loads nothing of the adapters", async () => {
  const { status, parts } = await loadedFor("tool.ts");

  expect(status).toBe("ok");
  expect(parts.filter((part) => part.startsWith("interop/") || heavy.includes(part))).toEqual([]);
});

test("a module with a plain mount loads the adapters, but no compiler of schemas and no provider", async () => {
  const { status, parts } = await loadedFor("mount.ts");

  expect(status).toBe("ok");
  expect(parts).toContain("interop/amplifier");
  expect(parts.filter((part) => heavy.includes(part))).toEqual([]);
});

test("a tool with a plain JSON Schema and a pattern loads their compilers, and no provider", async () => {
  const { status, parts } = await loadedFor("plain.ts");

  expect(status).toBe("ok");
  expect(parts.filter((part) => heavy.includes(part))).toEqual(["ajv", "re2js"]);
});

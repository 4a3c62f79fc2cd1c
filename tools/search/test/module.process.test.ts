import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost } from "@toolmount/core";
import { config, mount, type Settings } from "@toolmount/tool-search";
import { expect, onTestFinished, test } from "vitest";
import { scratch } from "./scratch.ts";

async function mounted(planFolder: string | undefined, settings: Settings = {}) {
  // A call that was given up is waited for as long as a busy machine takes to end its engine.
  const host = createHost({ limits: { graceMs: 600_000 } });
  onTestFinished(() => void host.close());
  if (planFolder !== undefined) host.coordinator.registerCapability("session.working_dir", planFolder);
  await mount(host.coordinator, config.parse(settings));
  return host;
}

test("AMP-21: through a host files are found by what they hold and by their paths", async () => {
  const host = await mounted(scratch({ "src/a.ts": "needle" }).base);

  expect(await host.call({ name: "grep", arguments: { pattern: "needle" } })).toMatchObject({
    status: "ok",
    result: { data: { files: ["src/a.ts"] } },
  });
  expect(await host.call({ name: "glob", arguments: { pattern: "**/*.ts" } })).toMatchObject({
    status: "ok",
    result: { data: { matches: [{ path: "src/a.ts", type: "file", size: 6 }] } },
  });
});

test("C5: a search that is given up is reported as cancelled, and its engine is gone", async () => {
  const folder = scratch(
    Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${n}.txt`, "x\n".repeat(5000)])),
  );
  const host = await mounted(folder.base);
  const controller = new AbortController();
  const call = host.call(
    { name: "grep", arguments: { pattern: "x", output_mode: "content", head_limit: 0 } },
    { abortSignal: controller.signal },
  );
  controller.abort();

  expect(await call).toMatchObject({ status: "cancelled" });
  expect(await host.close()).toMatchObject({ abandoned: [] });
});

test("paths of a plan are relative to its folder, and so are calls without a working_dir", async () => {
  const folder = scratch({ "in/a.txt": "x", "other/b.txt": "x" });
  const host = await mounted(folder.base, {
    working_dir: "in",
    allowed_paths: ["other"],
    denied_paths: ["other/no"],
  });

  expect(await host.call({ name: "grep", arguments: { pattern: "x", path: "../other" } })).toMatchObject({
    result: { data: { files: ["../other/b.txt"] } },
  });
  expect(await host.call({ name: "glob", arguments: { pattern: "*" } })).toMatchObject({
    result: { code: "ACCESS_DENIED" },
  });
});

test("without a working_dir and without a plan's folder the module does not mount", async () => {
  await expect(mounted(undefined)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  await expect(mounted(undefined, { working_dir: "src" })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test.each([
  { root: "." },
  { working_dir: "" },
  { max_results: 0 },
  { grep: { timeout: 0 } },
  { grep: { max_file_size: 1.5 } },
  { glob: { max_results: 5 } },
  { exclusions: ["a/b"] },
  { exclusions: ["!a"] },
])("the setting %o is refused", (settings) => {
  expect(config.safeParse(settings).success).toBe(false);
});

test("AMP-7: the manifest lists what the module mounts", async () => {
  const text = await readFile(join(import.meta.dirname, "../package.json"), "utf8");
  const { toolmount } = JSON.parse(text) as { toolmount: { config: object; tools: { name: string }[] } };
  const host = await mounted(scratch().base);
  const offered = new Map(host.tools().map((tool) => [tool.name, tool as object]));

  expect([...offered.keys()].toSorted()).toEqual(toolmount.tools.map(({ name }) => name).toSorted());
  for (const tool of toolmount.tools) expect(offered.get(tool.name)).toMatchObject(tool);
  expect(toolmount.config).toEqual(config["~standard"].jsonSchema.input({ target: "draft-2020-12" }));
});

test("APTIX-62, APTIX-63, APTIX-64, APTIX-66, APTIX-67, APTIX-72: each usage text has the layout, and names every argument", async () => {
  const host = await mounted(scratch().base);

  for (const { name, usage = "", inputSchema } of host.tools()) {
    expect(usage.startsWith(`${name}: `)).toBe(true);
    const headings = ["Primary purpose", "Rules", "Arguments", "Error codes", "Good usage", "Bad usage"];
    expect(usage.split("\n").filter((line) => headings.includes(line))).toEqual(headings);
    for (const argument of Object.keys(inputSchema["properties"] ?? {}))
      expect(usage).toContain(`- ${argument} (`);
  }
});

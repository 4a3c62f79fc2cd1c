import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { config } from "@toolmount/tool-discovery";
import { expect, test } from "vitest";
import { mounted } from "./mounted.ts";

test("AMP-16: the module contributes the event it emits", async () => {
  const { host } = await mounted();

  expect((await host.coordinator.collectContributions("observability.events")).flat()).toEqual([
    "tools:activated",
  ]);
});

test.each([{ disclosure: "some" }, { active: "read_file" }, { max_results: 0 }, { path: "." }])(
  "the setting %o is refused",
  (settings) => {
    expect(config.safeParse(settings).success).toBe(false);
  },
);

test("AMP-7: the manifest lists what the module mounts", async () => {
  const text = await readFile(join(import.meta.dirname, "../package.json"), "utf8");
  const { toolmount } = JSON.parse(text) as { toolmount: { config: object; tools: { name: string }[] } };
  const { host } = await mounted();
  const own = toolmount.tools.map(({ name }) => host.tools().find((tool) => tool.name === name));

  expect(own).toMatchObject(toolmount.tools);
  expect(toolmount.config).toEqual(config["~standard"].jsonSchema.input({ target: "draft-2020-12" }));
});

test("APTIX-62, APTIX-63, APTIX-64, APTIX-66, APTIX-67, APTIX-72: the usage text has the layout, and names every argument", async () => {
  const { host } = await mounted();

  for (const { name, usage = "", inputSchema } of host
    .tools()
    .filter(({ tags }) => tags.includes("discovery"))) {
    expect(usage.startsWith(`${name}: `)).toBe(true);
    const headings = ["Primary purpose", "Rules", "Arguments", "Error codes", "Good usage", "Bad usage"];
    expect(usage.split("\n").filter((line) => headings.includes(line))).toEqual(headings);
    for (const argument of Object.keys(inputSchema["properties"] ?? {}))
      expect(usage).toContain(`- ${argument} (`);
  }
});

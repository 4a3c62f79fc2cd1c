import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost } from "@toolmount/core";
import { config, mount } from "@toolmount/tool-hello-world";
import { expect, test } from "vitest";

async function mounted() {
  const host = createHost();
  await mount(host.coordinator, config.parse({}));
  return host;
}

test("APTIX-79, APTIX-81: the module mounts agent_hello_world, and a call of it is answered", async () => {
  const host = await mounted();
  const call = { name: "agent_hello_world", arguments: '{"name":"Ada"}' };
  const outcome = await host.call(call, { sessionId: "s-1", conversationId: "c-1" });

  expect(outcome).toMatchObject({
    status: "ok",
    result: { data: { Message: "Hello, Ada!", ConversationId: "c-1", SessionId: "s-1" } },
  });
});

test("APTIX-29: through a host, too, a blank name is refused in the tool's own words", async () => {
  const host = await mounted();

  expect(await host.call({ name: "agent_hello_world", arguments: "" })).toMatchObject({
    status: "invalid",
    result: { error: "HelloWorldTool requires a non-empty 'name' string.", code: "INVALID_ARGUMENTS" },
  });
});

test("a setting that is not known is refused", () => {
  expect(config.safeParse({ greeting: "Hi" }).success).toBe(false);
});

test("AMP-7: the manifest lists what the module mounts", async () => {
  const { toolmount } = await manifest();
  const host = await mounted();
  const offered = new Map(host.tools().map((tool) => [tool.name, tool as object]));

  expect([...offered.keys()].toSorted()).toEqual(toolmount.tools.map(({ name }) => name).toSorted());
  for (const tool of toolmount.tools) expect(offered.get(tool.name)).toMatchObject(tool);
  expect(toolmount.config).toEqual(config["~standard"].jsonSchema.input({ target: "draft-2020-12" }));
});

async function manifest() {
  const text = await readFile(join(import.meta.dirname, "../package.json"), "utf8");
  return JSON.parse(text) as { toolmount: { config: object; tools: { name: string }[] } };
}

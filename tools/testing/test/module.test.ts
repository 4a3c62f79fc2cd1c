import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost } from "@toolmount/core";
import { config, mount } from "@toolmount/tool-testing";
import { expect, test } from "vitest";

async function mounted() {
  const host = createHost();
  await mount(host.coordinator, config.parse({}));
  return host;
}

test("APTIX-79, APTIX-82: the module mounts the four reference tools, and calls of them are answered", async () => {
  const host = await mounted();
  const calls = [
    { name: "testing_ping_pong", arguments: '{"message":"hello"}' },
    { name: "testing_calculator", arguments: { operation: "add", left: 1, right: 2 } },
    { name: "testing_delay", arguments: '{"milliseconds":0}' },
    { name: "testing_failure_injection", arguments: "" },
  ];

  for (const call of calls) {
    const outcome = await host.call(call, { sessionId: "s-1" });
    expect(outcome).toMatchObject({ status: "ok", result: { data: { SessionId: "s-1" } } });
  }
});

test("APTIX-43, APTIX-44, APTIX-82: an injected failure comes through the host as it was asked for", async () => {
  const host = await mounted();
  const params = { shouldFail: true, failureMessage: "disk on fire" };

  expect(await host.call({ name: "testing_failure_injection", arguments: params })).toMatchObject({
    status: "failed",
    result: { error: "disk on fire", code: "FAILURE_INJECTED" },
  });
});

test("APTIX-50, APTIX-82: a delay cancelled in a host ends with success that reports so, within the grace period", async () => {
  const host = await mounted();
  const caller = new AbortController();
  const call = { name: "testing_delay", arguments: { milliseconds: 60_000 } };
  const running = host.call(call, { abortSignal: caller.signal });
  setImmediate(() => caller.abort());

  expect(await running).toMatchObject({
    status: "ok",
    result: { data: { WasCancelled: true } },
    cancelled: {},
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

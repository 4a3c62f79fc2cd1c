import { expect, test } from "vitest";
import { data } from "../../src/index.ts";
import { tool, world } from "../world.ts";

test("a copy of a tool is mounted with the copy's members, and runs the author's execute", async () => {
  const copy = { ...tool(() => data("author's")), name: "copy", timeout: 7 };
  const { host } = world([copy]);

  expect(host.tools()).toMatchObject([{ name: "copy", timeoutMs: 7 }]);
  expect(await host.call({ name: "copy" })).toMatchObject({
    status: "ok",
    result: { tool: "copy", data: "author's" },
  });
});

test("a copy with its own execute runs that", async () => {
  const copy = { ...tool(() => data("author's")), execute: async () => data("wrapped") };
  const { host } = world([copy]);

  expect(await host.call({ name: "probe" })).toMatchObject({ status: "ok", result: { data: "wrapped" } });
});

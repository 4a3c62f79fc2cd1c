import { silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { toolFile, workspace } from "../workspace.ts";

test.each([
  ["the plan's", "policy: { limits: { rate: 1/h } }\ntools: [{ module: ./hello.ts }]"],
  ["an entry's", "tools: [{ module: ./hello.ts, limits: { rate: 1/h } }]"],
])("%s rate bounds how often a tool begins", async (_, plan) => {
  const { path } = await workspace({
    "hello.ts": toolFile("say_hello", "hi"),
    "mount-plan.yaml": `version: 1\n${plan}\n`,
  });
  const host = await openHost(path("mount-plan.yaml"), { logger: silentLogger });
  const caller = new AbortController();
  const first = await host.call({ name: "say_hello" });
  const second = host.call({ name: "say_hello" }, { abortSignal: caller.signal });
  caller.abort();

  expect(first).toMatchObject({ status: "ok" });
  expect(await second).toMatchObject({ status: "cancelled" });
  await host.close();
});

import { expect, test } from "vitest";
import { createHost, type Mount } from "../../src/index.ts";
import { runMount } from "../../src/registry/mount-return.ts";
import { tool } from "../world.ts";

/** What the `mount` of a module returned, and what the host then has. */
async function run(mount: Mount) {
  const host = createHost();
  const module = { kind: "mount", mount, config: undefined, onSessionReady: undefined, exports: {} } as const;
  await runMount("m", module, host.coordinator, {}, () => false);
  const names = host.tools().map(({ name }) => name);
  await host.close();
  return names;
}

const one = tool();

test.each<[string, Mount, string[]]>([
  ["nothing", () => undefined, []],
  ["null", () => null, []],
  ["a tool", () => one, ["probe"]],
  ["a promise of a list of tools", async () => [one], ["probe"]],
  ["{ tools }", () => ({ tools: [one] }), ["probe"]],
  ["{ tools: null }", () => ({ tools: null }) as never, []],
])("the return of a module may be %s", async (_what, mount, names) => {
  expect(await run(mount)).toEqual(names);
});

test.each<[string, Mount]>([
  ["a function", () => () => cleaned.push("f")],
  ["{ cleanup }", () => ({ cleanup: () => cleaned.push("g") })],
])("a cleanup, as %s, runs when the host closes", async (_what, mount) => {
  cleaned.length = 0;
  expect(await run(mount)).toEqual([]);
  expect(cleaned).toHaveLength(1);
});

const cleaned: string[] = [];

test.each<[string, unknown, RegExp]>([
  ["a number", 7, /mount returned a number/],
  ["a list with a text", ["x"], /a tool that is not an object/],
  ["{ tools } that is no list", { tools: {} }, /not a list/],
  ["{ cleanup } that is no function", { cleanup: 1 }, /not a function/],
  ["a group with another key", { tools: [], hooks: [] }, /an object with "hooks"/],
])("%s is MODULE_INVALID", async (_what, returned, problem) => {
  await expect(run(() => returned as never)).rejects.toMatchObject({
    code: "MODULE_INVALID",
    message: expect.stringMatching(problem),
  });
});

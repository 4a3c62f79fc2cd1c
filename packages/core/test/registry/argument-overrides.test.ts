import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createHost, data, type ArgumentOverrides } from "../../src/index.ts";
import { tool } from "../world.ts";

const schema = z.strictObject({
  path: z.string(),
  lines: z.int().default(20),
  follow: z.boolean().optional(),
});

/** A host whose tool returns its arguments, with what a plan says about them. */
function hostWith(args: ArgumentOverrides) {
  const host = createHost();
  const draft = host.draft();
  const { coordinator } = draft.addModule({ id: "tests", shapeTool: () => ({ arguments: args }) });
  coordinator.mount(
    "tools",
    tool((params) => data(params), { schema }),
  );
  return { host, committed: draft.commit() };
}

describe("a plan says about the arguments of a tool", () => {
  test("a default, which a call may replace", async () => {
    const { host, committed } = hostWith({ lines: { default: 5 } });
    await committed;
    const run = async (given: Record<string, unknown>) =>
      (await host.call({ name: "probe", arguments: given })).result.data;

    expect(await run({ path: "a" })).toEqual({ path: "a", lines: 5 });
    expect(await run({ path: "a", lines: 9 })).toEqual({ path: "a", lines: 9 });
  });

  test("a hidden one with a value, which a call may not replace", async () => {
    const { host, committed } = hostWith({ path: { hidden: true, value: "fixed" } });
    await committed;

    expect((await host.call({ name: "probe" })).result.data).toEqual({ path: "fixed", lines: 20 });
    expect(await host.call({ name: "probe", arguments: { path: "other" } })).toMatchObject({
      status: "invalid",
    });
    expect(JSON.stringify(host.tools())).not.toContain('"path"');
  });

  test.each<[string, ArgumentOverrides, RegExp]>([
    ["a value of an argument that is not hidden", { lines: { value: 3 } }, /"value" is for a hidden one/],
    ["an argument that is not there", { line: { default: 3 } }, /lines/],
    ["a default that does not fit", { lines: { default: "all" } }, /lines/],
    ["a hidden one that is required, without a value", { path: { hidden: true } }, /needs a value/],
  ])("%s is refused", async (_title, args, problem) => {
    const mounting = async () => hostWith(args).committed;
    await expect(mounting()).rejects.toMatchObject({
      code: "TOOL_INVALID",
      message: expect.stringMatching(problem),
    });
  });
});

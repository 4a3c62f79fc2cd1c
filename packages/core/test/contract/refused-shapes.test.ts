import { expect, test } from "vitest";
import { tool, world } from "../world.ts";

test.each(["-rf", ".", "..", "--help", ".hidden"])("S7: a tool named %s is refused", (name) => {
  expect(() => world([tool(undefined, { name })])).toThrow(expect.objectContaining({ code: "TOOL_INVALID" }));
});

test("T8: a result that is a plain object names the two functions that make a result", async () => {
  const { host } = world([tool(() => ({ hello: 1 }))]);
  const { result } = await host.call({ name: "probe" });

  expect(result.error).toContain('has no "hello"; return data(…) or failure(…)');
});

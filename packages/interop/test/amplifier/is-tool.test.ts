import { expect, test } from "vitest";
import { isTool, type Tool } from "../../src/amplifier.ts";

class Greeter {
  readonly name = "greet";
  readonly description = "Greets a person. Use when asked.";
  runs = 0;
  execute() {
    this.runs += 1;
    return { success: true, output: "hello" };
  }
}

test("AMP-N73: whether a value implements Tool is asked without running it", () => {
  const greeter = new Greeter();
  const values: readonly (readonly [unknown, boolean])[] = [
    [greeter, true],
    [{ name: "a", description: "b", execute: async () => ({ success: true }) }, true],
    [{ name: "a", description: "b" }, false],
    [{ name: "a", execute: () => null }, false],
    [{ name: 1, description: "b", execute: () => null }, false],
    [Greeter, false],
    [null, false],
    ["greet", false],
  ];
  for (const [value, is] of values) expect(isTool(value), JSON.stringify(value)).toBe(is);
  expect(greeter.runs).toBe(0);
  const known: unknown = greeter;
  if (isTool(known)) expect({ name: known.name } satisfies Pick<Tool, "name">).toEqual({ name: "greet" });
});

import { expect, test } from "vitest";
import { requireConsistent, settingsSchema } from "../../src/config/settings.ts";

test.each<[object, string]>([
  [{ budgets: { cost: 1 } }, "budgets.cost needs prices, so that the cost of a turn is known"],
])("%j is refused with its reason", (settings, problem) => {
  expect(() => requireConsistent(settingsSchema.parse({ model: "m", ...settings }))).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID", details: { module: "@toolmount/reasoner", problem } }),
  );
});

test("settings that fit each other are kept", () => {
  const whole = settingsSchema.parse({
    model: "m",
    store: "continue",
    budgets: { cost: 1 },
    prices: { input: 0, output: 0 },
  });
  expect(requireConsistent(whole)).toBe(whole);
});

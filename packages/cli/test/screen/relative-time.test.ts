import { expect, test } from "vitest";
import { ago } from "../../src/render/session.ts";

test.each([
  [0, "just now"],
  [-5_000, "just now"],
  [59_999, "just now"],
  [60_000, "1 min ago"],
  [7_200_000, "2 h ago"],
  [3 * 86_400_000, "3 d ago"],
])("%d ms before is %s", (passed, text) => {
  expect(ago(1_000_000_000_000 - passed, 1_000_000_000_000)).toBe(text);
});

import { expect, test } from "vitest";
import { agoOf } from "../../src/screen/relative-time.ts";

test.each([
  [0, "just now"],
  [-5_000, "just now"],
  [59_999, "just now"],
  [60_000, "1 min ago"],
  [7_200_000, "2 h ago"],
  [172_800_000, "2 d ago"],
  [3 * 86_400_000, "3 d ago"],
])("%d ms before is %s", (passed, text) => {
  expect(agoOf(1_000_000_000_000 - passed, 1_000_000_000_000)).toBe(text);
});

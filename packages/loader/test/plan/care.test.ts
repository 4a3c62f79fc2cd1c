import { expect, test } from "vitest";
import { careOf } from "../../src/plan/lock-file.ts";

test.each([
  ["requiresConfirmation", true, false, "less"],
  ["requiresConfirmation", true, "dynamic", "less"],
  ["requiresConfirmation", false, true, "more"],
  ["category", "delete", "write", "less"],
  ["category", "read", "delete", "more"],
  ["category", undefined, "read", "less"],
  ["category", "write", "write", undefined],
  ["consequenceLevel", "low", "low", undefined],
  ["consequenceLevel", "high", "low", "less"],
  ["irreversible", true, undefined, "less"],
  ["irreversible", undefined, true, "more"],
  ["description", "a", "b", undefined],
  ["category", "read", undefined, "more"],
])("%s from %s to %s: it needs %s care", (path, before, now, care) => {
  expect(careOf(path, before, now).care).toBe(care);
});

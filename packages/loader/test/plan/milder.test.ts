import { expect, test } from "vitest";
import { isMilder } from "../../src/plan/lock-file.ts";

test.each([
  ["requiresConfirmation", true, false, true],
  ["requiresConfirmation", true, "dynamic", true],
  ["requiresConfirmation", false, true, false],
  ["category", "delete", "write", true],
  ["category", "read", "delete", false],
  ["category", undefined, "read", true],
  ["category", "write", "write", false],
  ["consequenceLevel", "low", "low", false],
  ["consequenceLevel", "high", "low", true],
  ["irreversible", true, undefined, true],
  ["irreversible", undefined, true, false],
  ["description", "a", "b", false],
  ["category", "read", undefined, false],
])("%s from %s to %s: milder is %s", (path, before, now, milder) => {
  expect(isMilder(path, before, now)).toBe(milder);
});

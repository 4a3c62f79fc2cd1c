import type { Json } from "@toolmount/core";
import { expect, test } from "vitest";
import { isGuard, isGuardList, mayBeNull } from "../../src/plan/guard-lists.ts";

test.each<[Json, boolean]>([
  ["pay(*)", true],
  [{ match: { tool: "pay" }, answer: "deny" }, true],
  [{ match: { tool: "pay" }, answer: "allow" }, false],
  [{ match: { tool: "pay" }, control: ["to"], else: "ask" }, true],
  [{ match: { tool: "pay" }, control: ["to"], else: "allow" }, false],
])("the line %j guards: %j", (line, expected) => {
  expect(isGuard(line)).toBe(expected);
});

test.each([
  ["policy.deny", true],
  ["policy.ask", true],
  ["policy.rules", true],
  ["policy.flows.into", true],
  ["policy.flows.results", true],
  ["tools.0.tools.exclude", true],
  ["hooks.12.tools.exclude", true],
  ["policy.allow", false],
  ["tools.0.tools.include", false],
  ["tools.0.tools.exclude.0", false],
  ["x.tools.0.tools.exclude", false],
])("lines of %s stay under those of a higher plan: %j", (path, expected) => {
  expect(isGuardList(path.split("."))).toBe(expected);
});

test.each([
  ["x-own", true],
  ["x-own.a.b", true],
  ["tools.0.config", false],
  ["tools.0.config.depth", true],
  ["tools.0.config.a.b", true],
  ["tools.0.limits.depth", false],
  ["tools.0.tools.read.arguments.path.default", true],
  ["tools.0.tools.read.arguments.path.description", false],
  ["tools.0.tools.read.limits.path.default", false],
  ["name", false],
])("%s may be null: %j", (path, expected) => {
  expect(mayBeNull(path.split("."))).toBe(expected);
});

import { expect, test } from "vitest";
import { z } from "zod";
import { readIssues } from "../../src/diagnostics/schema-issues.ts";

const line = z.union([
  z.strictObject({ tool: z.string(), trust: z.enum(["high", "low"], { error: "trust is high or low" }) }),
  z.strictObject({ tool: z.string(), from: z.literal("labels") }),
]);
const schema = z.strictObject({
  flows: z.union([z.literal("on"), z.strictObject({ lines: z.array(line) })]),
});

test.each([
  ["a value inside a branch", { flows: { lines: [{ tool: "a", trust: "hgh" }] } }, "flows.lines.0.trust"],
  ["a key of no branch", { flows: { lines: [{ tool: "a", trust: "low", form: 1 }] } }, "flows.lines.0.form"],
  ["the kind of no branch", { flows: 7 }, "flows"],
  ["the kind of no branch, further inside", { flows: { lines: [7] } }, "flows.lines.0"],
])("of a union, %s is reported where it is", (_, value, path) => {
  const { issues } = schema.safeParse(value).error!;
  expect(readIssues(schema, issues).map((issue) => issue.path.join("."))).toEqual([path]);
});

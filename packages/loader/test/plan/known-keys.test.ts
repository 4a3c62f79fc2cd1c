import { expect, test } from "vitest";
import { entryKeys, planKeys } from "../../src/plan/known-keys.ts";
import { entrySchema, planSchema } from "../../src/plan/schema.ts";

test("the keys that a listing knows are those of the schema", () => {
  expect(planKeys).toEqual(Object.keys(planSchema.shape));
  expect(entryKeys).toEqual(Object.keys(entrySchema.shape));
});

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json, JsonObject } from "@toolmount/core";
import { entryKeys, planKeys } from "../../src/plan/known-keys.ts";
import { entrySchema, planSchema } from "../../src/plan/schema.ts";
import { isUsualPlan, readUsualEntry } from "../../src/plan/usual-plan.ts";

const value = fc.oneof(
  fc.constantFrom<Json[]>(
    1,
    2,
    null,
    true,
    false,
    "",
    "start",
    "call",
    "name",
    "x".repeat(128),
    "x".repeat(129),
  ),
  fc.constantFrom<Json[]>(
    "x".repeat(200),
    "x".repeat(201),
    [],
    {},
    [{}],
    [1],
    { module: "a" },
    { include: [] },
  ),
  fc.jsonValue() as fc.Arbitrary<Json>,
);

const mapOf = (keys: readonly string[]) =>
  fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), value, { noNullPrototype: true });

test("what the reader of usual plans accepts, the schema accepts and returns as it is", () => {
  const usual = fc.record(
    { version: fc.constant(1), name: fc.string({ maxLength: 210 }), tools: value, wake: value, tests: value },
    { requiredKeys: [] },
  );
  let accepted = 0;
  const check = (plan: unknown) => {
    if (!isUsualPlan(plan as JsonObject)) return;
    accepted++;
    expect(planSchema.safeParse(plan)).toEqual({ success: true, data: plan });
  };
  fc.assert(fc.property(fc.oneof(mapOf(planKeys), { arbitrary: usual, weight: 3 }), check), {
    numRuns: 2_000,
  });
  expect(accepted).toBeGreaterThan(20);
});

test("an entry that is read as a usual one is what the schema returns, key by key", () => {
  const name = fc.oneof(fc.string({ minLength: 1, maxLength: 140 }), fc.constant(""));
  const usual = fc.record(
    {
      module: name,
      id: name,
      source: name,
      config: fc.oneof(fc.dictionary(fc.string(), value), fc.constant(null)),
      override: fc.boolean(),
      required: fc.oneof(fc.boolean(), fc.boolean(), value),
      wake: fc.constantFrom("start", "call", "later"),
    },
    { requiredKeys: ["module"] },
  );
  let accepted = 0;
  const check = (entry: unknown) => {
    const read = readUsualEntry(entry as Json);
    if (read === undefined) return;
    accepted++;
    const { data } = entrySchema.safeParse(entry);
    expect(read).toEqual(data);
    expect(Object.keys(read)).toEqual(Object.keys(data!));
  };
  fc.assert(fc.property(fc.oneof(mapOf(entryKeys), { arbitrary: usual, weight: 3 }), check), {
    numRuns: 2_000,
  });
  expect(accepted).toBeGreaterThan(20);
});

test("a usual entry shares no map with the plan, which its module's config would freeze", () => {
  const config = { root: "." };
  expect(readUsualEntry({ module: "files", config })?.config).not.toBe(config);
});

test("plans with a key, a value or an entry that is not usual are left to the schema", () => {
  expect(isUsualPlan({ version: 1, modes: { catalog: [] } })).toBe(false);
  expect(isUsualPlan({ version: 2 })).toBe(false);
  expect(readUsualEntry({ module: "files", prefix: "a b" })).toBeUndefined();
  expect(readUsualEntry({ id: "files" })).toBeUndefined();
  expect(readUsualEntry("files")).toBeUndefined();
});

import { expect, test } from "vitest";
import { countedBy } from "../../src/host/counted-by.ts";

const policy = { budgets: { calls: 3 } };

test.each([
  [{ policy, state: "memory" }, "each server counts its own"],
  [{ policy }, "the servers of this machine"],
  [{ policy, state: "sqlite:./state.db" }, "the servers of this machine"],
])("of %j: %s", (plan, says) => {
  expect(countedBy(plan)).toContain(says);
});

test.each([
  [{ policy, state: "postgres://db/x" }],
  [{ policy, state: "${DATABASE_URL}" }],
  [{ policy: {} }],
  [{}],
])("of %j: nothing is left to say", (plan) => {
  expect(countedBy(plan)).toBeUndefined();
});

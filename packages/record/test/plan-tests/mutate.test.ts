import { expect, test } from "vitest";
import { mutateFlows } from "../../src/plan-tests/mutate-flows.ts";
import { listMutants } from "../../src/plan-tests/mutate.ts";

const rest = { version: 1, tools: [{ module: "notes" }] };

test.each([
  ["no policy", {}],
  ["a policy without rules", { policy: {} }],
  ["rules and lines that are no lists", { policy: { rules: {}, allow: "read", ask: null } }],
  ["a rule that answers nothing that is known", { policy: { rules: [{ answer: "warn" }, {}] } }],
])("a plan with %s has no mutants", (_, part) => {
  expect(listMutants({ ...rest, ...part })).toEqual([]);
});

test("each rule answers otherwise once, and waives nothing then", () => {
  const [first, second, third] = [
    { match: { tool: "a" }, answer: "allow", waives: ["confirmation"] },
    { match: { tool: "b" }, answer: "ask" },
    { match: { tool: "c" }, answer: "deny" },
  ];
  const plan = { ...rest, policy: { level: "cautious", rules: [first, second, third] } };
  const mutant = (at: number, change: string, rules: readonly object[]) => ({
    plan: { ...rest, policy: { level: "cautious", rules } },
    path: ["policy", "rules", at],
    change,
  });

  expect(listMutants(plan as never)).toEqual([
    mutant(0, "allow → deny", [{ match: { tool: "a" }, answer: "deny" }, second, third]),
    mutant(1, "ask → deny", [first, { match: { tool: "b" }, answer: "deny" }, third]),
    mutant(2, "deny → ask", [first, second, { match: { tool: "c" }, answer: "ask" }]),
  ]);
});

test("each line of a list moves to the end of another list once", () => {
  const policy = { allow: ["a", "b"], ask: ["c"], deny: ["d"] };
  const mutant = (list: string, at: number, change: string, lists: object) => ({
    plan: { ...rest, policy: { ...policy, ...lists } },
    path: ["policy", list, at],
    change,
  });

  expect(listMutants({ ...rest, policy })).toEqual([
    mutant("allow", 0, "allow → deny", { allow: ["b"], deny: ["d", "a"] }),
    mutant("allow", 1, "allow → deny", { allow: ["a"], deny: ["d", "b"] }),
    mutant("ask", 0, "ask → deny", { ask: [], deny: ["d", "c"] }),
    mutant("deny", 0, "deny → ask", { deny: [], ask: ["c", "d"] }),
  ]);
});

test("rules come before lines, and a list that the plan does not have is begun", () => {
  const rule = { match: { tool: "a" }, answer: "deny" };
  expect(
    listMutants({ ...rest, policy: { rules: [rule], allow: ["b"] } }).map(({ plan, ...mutant }) => ({
      ...mutant,
      policy: plan["policy"],
    })),
  ).toEqual([
    {
      path: ["policy", "rules", 0],
      change: "deny → ask",
      policy: { rules: [{ ...rule, answer: "ask" }], allow: ["b"] },
    },
    {
      path: ["policy", "allow", 0],
      change: "allow → deny",
      policy: { rules: [rule], allow: [], deny: ["b"] },
    },
  ]);
});

test("the mutants of flows come after those of the lists", () => {
  const flows = { into: [{ tool: "send", from: ["user"] }] };
  const policy = { ask: ["c"], flows };
  const [first, ...others] = listMutants({ ...rest, policy });

  expect(first).toMatchObject({ path: ["policy", "ask", 0], plan: { policy: { flows } } });
  expect(others.map(({ change }) => change)).toEqual(["ask → deny"]);
  expect(others).toEqual(mutateFlows({ ...rest, policy }, policy));
});

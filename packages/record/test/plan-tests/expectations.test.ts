import { testPlan } from "@toolmount/record";
import { judgeCalls } from "@toolmount/record/internal";
import { expect, test } from "vitest";
import { planWith } from "../support/pay-plan.ts";

const rules = {
  deny: ["pay(thief)"],
  rules: [{ match: { tool: "pay", arguments: { to: "bob" } }, answer: "ask", reason: "bob is new" }],
};
const call = (to: unknown, more: object = {}) => ({ call: { pay: { to } }, ...more });

async function problemsOf(one: object): Promise<readonly string[]> {
  const { file, options } = await planWith(rules, [one]);
  const { calls, passed } = await testPlan(file, options);
  expect(passed).toBe(calls[0]!.problems.length === 0);
  return calls[0]!.problems;
}

test.each<[string, object]>([
  ["a call that runs", call("ann", { expect: { answer: "allow" } })],
  ["a call that a line denies", call("thief", { expect: { answer: "deny" } })],
  ["a call that a rule asks about", call("bob", { expect: { answer: "ask", reason: "new" } })],
  ["arguments that the schema refuses", call(7, { expect: { answer: "invalid" } })],
  ["a tool that is not there", { call: { gone: {} }, expect: { answer: "not_found" } }],
  ["the arguments that the tool gets", call("ann", { expect: { arguments: { to: "ann" } } })],
  ["those that a person is asked about", call("bob", { expect: { arguments: { to: "bob" } } })],
  [
    "a part of a result",
    call("ann", {
      given: { data: { a: 1, b: { c: [2] } } },
      expect: { result: { data: { b: { c: [2] } } } },
    }),
  ],
  [
    "a result after an approval",
    call("bob", { approve: true, given: { data: 1 }, expect: { answer: "ask", result: { data: 1 } } }),
  ],
])("%s is as expected", async (_title, one) => {
  expect(await problemsOf(one)).toEqual([]);
});

test.each<[object, string]>([
  [call("thief", { expect: { answer: "allow" } }), "the answer is deny, not allow ("],
  [call("ann", { expect: { answer: "deny" } }), "the answer is allow, not deny"],
  [call("bob", { expect: { reason: "old" } }), 'the reason is "bob is new", which has no "old"'],
  [call("ann", { expect: { rule: "plan.json:9:9" } }), "asked by no rule, not plan.json:9:9"],
  [call("ann", { expect: { arguments: { to: "eve" } } }), 'the arguments are {"to":"ann"}, not {"to":"eve"}'],
  [call(7, { expect: { arguments: { to: "eve" } } }), 'the arguments are null, not {"to":"eve"}'],
  [call("ann", { given: { data: { a: 1 } }, expect: { result: { data: { a: 2 } } } }), "which has no"],
  [call("ann", { given: { data: [1] }, expect: { result: { data: [1, 2] } } }), "which has no"],
  [call("ann", { given: { data: null }, expect: { result: { data: { a: 1 } } } }), "which has no"],
])("%j fails: %s", async (one, problem) => {
  expect((await problemsOf(one)).join()).toContain(problem);
});

const tape = (answer: string) => `{"toolmount":"tape","version":1}\n${answer}\n`;

test("a tape that is no tape is a problem of its test", async () => {
  const { file, options } = await planWith(rules, [{ replay: "none.tape" }, { replay: "bad.tape" }], {
    "bad.tape": tape("{"),
  });
  const { replays, passed } = await testPlan(file, options);
  expect(passed).toBe(false);
  expect(replays.map(({ calls, problems }) => [calls, problems.length])).toEqual([
    [0, 1],
    [0, 1],
  ]);
});

const asked = { mode: undefined, user: undefined, session: undefined };

test.each<[string, object | undefined, object]>([
  ["pay", { to: "ann" }, { answer: "allow", reason: "", madeUp: null }],
  ["pay", { to: "thief" }, { answer: "deny", madeUp: null }],
  ["pay", { to: "bob" }, { answer: "ask", reason: "bob is new", madeUp: null }],
  ["pay", undefined, { answer: "allow", reason: "", madeUp: { to: expect.any(String) as string } }],
])("a call of %s with %j is judged", async (tool, given, verdict) => {
  const { file, options } = await planWith(rules);
  const judged = await judgeCalls({ tool, arguments: given as never, ...asked }, file, options);
  expect(judged.problems).toEqual([]);
  expect(judged.verdicts.get("pay")).toMatchObject(verdict);
});

test("a call of no tool has no verdict, and a plan that cannot be opened has its problems", async () => {
  const { file, options } = await planWith(rules);
  const gone = { tool: "gone", arguments: undefined, ...asked };
  const judged = await judgeCalls(gone, file, options);
  expect([judged.verdicts.size, judged.tools?.map(({ name }) => name)]).toEqual([0, ["pay"]]);

  const broken = await planWith({ allow: ["("] });
  const failed = await judgeCalls(gone, broken.file, broken.options);
  expect([failed.tools, failed.problems.length]).toEqual([undefined, 1]);
});

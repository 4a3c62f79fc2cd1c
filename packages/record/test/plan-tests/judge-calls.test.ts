import { expect, test } from "vitest";
import { judgeCalls } from "../../src/internal.ts";
import { planWith } from "../support/pay-plan.ts";

const rules = {
  rules: [
    { match: { tool: "pay", arguments: { to: "thief" } }, answer: "deny", reason: "a thief" },
    { match: { tool: "pay", arguments: { to: "ann" } }, answer: "ask", reason: "a sister" },
    { match: { tool: "pay", arguments: { to: "ann" } }, answer: "ask", reason: "it is late" },
  ],
};
const call = { tool: "pay", mode: undefined, user: undefined, session: undefined };

test.each([
  [{ to: "thief" }, { answer: "deny", madeUp: null }],
  [{ to: "ann" }, { answer: "ask", reason: "a sister; it is late", madeUp: null }],
  [{ to: "bob" }, { answer: "allow", reason: "", rules: [], madeUp: null }],
  [{ to: 1 }, { answer: "invalid", madeUp: null }],
  [() => ({ to: "thief" }), { answer: "deny", madeUp: null }],
  [undefined, { answer: "allow", madeUp: { to: expect.any(String) } }],
])("a call with %j is judged, and does not run", async (given, verdict) => {
  const { file, options } = await planWith(rules);
  const { tools, verdicts, problems } = await judgeCalls({ ...call, arguments: given }, file, options);

  expect(tools?.map(({ name }) => name)).toEqual(["pay"]);
  expect(verdicts.get("pay")).toMatchObject(verdict);
  expect(problems).toEqual([]);
});

test("a tool of another name is not judged", async () => {
  const { file, options } = await planWith({});
  const { tools, verdicts } = await judgeCalls({ ...call, tool: "send", arguments: {} }, file, options);

  expect([tools?.length, verdicts.size]).toEqual([1, 0]);
});

test("a plan that cannot be opened has its problems, and no tools", async () => {
  const { file, options } = await planWith({ rules: [{ answer: "never" }] });
  const { tools, verdicts, problems } = await judgeCalls({ ...call, arguments: {} }, file, options);

  expect([tools, verdicts.size, problems.length > 0]).toEqual([undefined, 0, true]);
});

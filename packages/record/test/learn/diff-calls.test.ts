import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { PolicyVerdict, RecordedCall } from "../../src/learn/recorded-calls.ts";
import { diffPolicy } from "../../src/learn/policy-diff.ts";

function call(text: string, answer: PolicyVerdict, more: Partial<RecordedCall> = {}): RecordedCall {
  const facts = { tool: "order", arguments: { text }, answer, person: null, rules: [`${answer} then`] };
  return { ...facts, user: "ada", session: "s", id: "", ...more };
}

/** A plan answers what the call's text says: an answer, and after a colon its rules. */
async function diff(calls: readonly RecordedCall[]) {
  const numbered = calls.map((each, index) => ({ ...each, id: `call ${index + 1}` }));
  return diffPolicy(Readable.from(numbered), {
    judge: async ({ arguments: { text } }) => {
      const [answer = "", ...rules] = (text as string).split(/[:,]/);
      return { answer: answer as PolicyVerdict | "none", rules, isLiftable: false };
    },
  });
}

test("calls that are answered otherwise are grouped by tool, answers and rule, most calls first", async () => {
  const found = await diff([
    call("allow", "allow"),
    call("deny:r1,r2", "allow"),
    call("deny:r1,r2,", "ask"),
    call("deny:r1,r2", "allow"),
    call("allow", "deny", { rules: ["old one", "old two"] }),
    call("ask:r1", "ask"),
    call("ask:r1", "deny", { tool: "pay" }),
    call("deny:r1,r2", "allow", { user: "bob" }),
  ]);
  const example = (id: string, text: string, user = "ada") => ({
    id,
    arguments: JSON.stringify({ text }),
    user,
  });
  const denied = [example("call 2", "deny:r1,r2"), example("call 8", "deny:r1,r2", "bob")];
  expect(found).toEqual({
    judged: 8,
    changed: 6,
    groups: [
      { tool: "order", from: "allow", to: "deny", rule: "r1, r2", count: 3, examples: denied },
      { ...group("ask", "deny", "r1, r2, "), examples: [example("call 3", "deny:r1,r2,")] },
      { ...group("deny", "allow", "old one, old two"), examples: [example("call 5", "allow")] },
      { ...group("deny", "ask", "r1"), tool: "pay", examples: [example("call 7", "ask:r1")] },
    ],
    notJudged: {},
  });
});

function group(from: string, to: string, rule: string) {
  return { tool: "order", from, to, rule, count: 1 };
}

test("a group shows three different calls, each with the first 500 characters of its arguments", async () => {
  const texts = ["a", "a", "b", "c", "d"].map((text) => `deny:${text.repeat(600)}`);
  const found = await diff(texts.map((text) => call(text, "allow")));
  expect(found.groups.map(({ count, examples }) => [count, examples.length])).toEqual([
    [2, 1],
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
  expect(found.groups[0]!.examples[0]!.arguments).toBe(JSON.stringify({ text: texts[0] }).slice(0, 500));
  const many = await diff(["1", "2", "3", "4"].map((user) => call("deny", "allow", { user })));
  expect(many.groups).toMatchObject([{ count: 4, examples: [{ user: "1" }, { user: "2" }, { user: "3" }] }]);
});

test("calls that cannot be judged are counted by why", async () => {
  const lost = { arguments: null };
  const found = await diff([
    call("", "allow", lost),
    call("none:no such tool,gone", "ask"),
    call("none:no such tool,gone", "deny"),
    call("", "ask", lost),
    call("none:invalid", "ask", { tool: "pay" }),
  ]);
  expect(found).toEqual({
    judged: 0,
    changed: 0,
    groups: [],
    notJudged: {
      "the record does not have all of its arguments": 2,
      "order: no such tool, gone": 2,
      "pay: invalid": 1,
    },
  });
});

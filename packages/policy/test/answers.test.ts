import type { PendingCall, Policy, ToolInfo } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { config, lint } from "../src/index.ts";
import { createLevel } from "../src/level.ts";
import { createListPolicy, listNames } from "../src/list-policy.ts";
import { createRule } from "../src/rule.ts";

const tool = (fields: object = {}): ToolInfo =>
  ({
    name: "note",
    owner: "o",
    tags: [],
    category: "write",
    consequenceLevel: "low",
    inputSchema: { properties: { text: {}, path: {} }, required: ["text"] },
    ...fields,
  }) as unknown as ToolInfo;

/** What a policy says of a call; undefined for a tool with which it has nothing to do. */
function answerOf(policy: Policy, of: ToolInfo = tool(), given: object = {}, info: object = {}) {
  const judge = policy.prepare(of);
  return judge === null ? undefined : judge({ arguments: given, info } as unknown as PendingCall);
}

describe("the answer of a line of a list", () => {
  test.each([
    ["ask", { answer: "ask", rule: "ask: note", reason: "the plan asks about note" }],
    ["deny", { answer: "deny", rule: "deny: note", reason: "the plan denies note" }],
    ["allow", { answer: "allow", rule: "allow: note", waives: "confirmation" }],
  ] as const)("%s", (list, answer) => {
    expect(answerOf(createListPolicy(list, "note"))).toEqual(answer);
    const placed = createListPolicy(list, "note", () => "plan.yaml:3:5");
    expect(answerOf(placed)).toEqual({ ...answer, rule: "plan.yaml:3:5" });
    expect(placed.name).toBe(`${list} note`);
  });

  test("the lists count in this order", () => {
    expect(listNames).toEqual(["deny", "ask", "allow"]);
  });

  test.each<[string, object, boolean | undefined]>([
    ["note", {}, true],
    ["n*", {}, true],
    ["other", {}, undefined],
    ["note(a*)", { text: "abc" }, true],
    ["note(a*)", { text: "b" }, false],
    ["note(a*)", { path: "a" }, false],
    ["note(a*)", {}, false],
    ["note(path: a*)", { path: "abc", text: "b" }, true],
    ["note(path: a*)", { text: "abc" }, false],
    ["note(gone: a*)", { gone: "abc" }, undefined],
    ["note(git *)", { text: "git" }, true],
    ["note(git *)", { text: "git x" }, true],
    ["note(git *)", { text: "gitx" }, false],
    ["note(git*)", { text: "gitx" }, true],
    ["note(path:a)", { text: "path:a" }, true],
    ["note(a(b))", { text: "a(b)" }, true],
    ["note(a\nb)", { text: "a\nb" }, true],
    ["note(path: a\nb)", { path: "a\nb" }, true],
  ])("%j and the arguments %j: fits is %s", (written, given, fits) => {
    const answer = answerOf(createListPolicy("deny", written), tool(), given);
    expect(answer === undefined ? undefined : answer !== null).toBe(fits);
  });

  test.each<[object, string | undefined]>([
    [{ properties: { a: {}, b: {} }, required: ["b"] }, "b"],
    [{ properties: { a: {}, b: {} } }, "a"],
    [{}, undefined],
  ])("of the schema %j a pattern without a name is about %s", (inputSchema, name) => {
    const judged = createListPolicy("deny", "note(x)").prepare(tool({ inputSchema }));
    expect(judged === null).toBe(name === undefined);
    if (name !== undefined)
      expect(judged!({ arguments: { [name]: "x" } } as unknown as PendingCall)).not.toBeNull();
  });

  const shellFits = (list: "allow" | "deny", of: ToolInfo, text: string) => {
    const [name] = Object.keys((of.inputSchema as { properties: object }).properties);
    return answerOf(createListPolicy(list, "note(rm *)"), of, { [name!]: text }) !== null;
  };
  const shell = tool({ tags: ["x", "shell"] });
  const command = tool({ inputSchema: { properties: { command: {} } } });

  test.each([
    ["deny", "ls; rm x", true],
    ["deny", "ls\r\nrm x", true],
    ["deny", "ls\trm x", false],
    ["deny", "(rm x)", true],
    ["deny", "{ rm x; }", true],
    ["deny", "ls < rm x", true],
    ["deny", "env A=1 B=2 nohup rm x", true],
    ["deny", "! time command builtin exec rm x", true],
    ["deny", "while true; do rm x; done", true],
    ["deny", "elif rm x", true],
    ["deny", "./bin/rm x", true],
    ["deny", "echo rm x", false],
    ["deny", "'r'm x", true],
    ["allow", " rm x ", true],
    ["allow", "rm x; ls", false],
    ["allow", "rm x (y)", false],
    ["allow", "rm x {y}", false],
    ["allow", "sudo rm x", false],
  ] as const)("of a shell's text %s reads %j: fits is %s", (list, text, fits) => {
    expect([shell, command].map((of) => shellFits(list, of, text))).toEqual([fits, fits]);
  });

  test("a text that no shell runs is one text", () => {
    expect(shellFits("deny", tool(), "ls; rm x")).toBe(false);
    expect(shellFits("allow", tool(), "rm x; ls")).toBe(true);
    expect(shellFits("allow", tool(), " rm x")).toBe(false);
  });

  test("only a deny without a pattern hides a tool", () => {
    const hides = (list: "deny" | "ask" | "allow", written: string) =>
      createListPolicy(list, written).hides?.(tool());
    expect([hides("deny", "note"), hides("deny", "n*"), hides("deny", "x")]).toEqual([true, true, false]);
    expect([hides("deny", "note(a)"), hides("ask", "note"), hides("allow", "note")]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe("the answer of a level", () => {
  const unknown = tool({ category: undefined, consequenceLevel: "low" });
  const silent = tool({ category: "read", consequenceLevel: undefined });
  test.each([
    ["standard", tool(), '"note" is of category write'],
    ["standard", unknown, '"note" does not say what it may do'],
    ["standard", silent, '"note" does not say what it may do'],
    ["standard", tool({ category: "read" }), undefined],
    ["paranoid", tool({ category: "read" }), "every call is asked about at level paranoid"],
    ["cautious", tool(), undefined],
    ["autonomous", unknown, undefined],
  ] as const)("%s", (level, of, reason) => {
    expect(createLevel(level).name).toBe(`level ${level}`);
    expect(answerOf(createLevel(level), of)).toEqual(
      reason === undefined ? undefined : { answer: "ask", because: "level", rule: `level ${level}`, reason },
    );
  });
});

describe("the answer of a rule", () => {
  test.each([
    [{ answer: "allow" }, { answer: "allow", rule: "rule 3", reason: undefined, waives: undefined }],
    [
      { answer: "allow", waives: "confirmation", reason: "ours" },
      { answer: "allow", rule: "rule 3", reason: "ours", waives: "confirmation" },
    ],
    [{ answer: "ask" }, { answer: "ask", rule: "rule 3", reason: "a rule of the plan asks" }],
    [{ answer: "deny" }, { answer: "deny", rule: "rule 3", reason: "a rule of the plan denies it" }],
    [
      { answer: "deny", reason: "no" },
      { answer: "deny", rule: "rule 3", reason: "no" },
    ],
  ])("%j", (fields, answer) => {
    const [rule] = config.parse({ rules: [{ match: {}, ...fields }] }).rules;
    expect(answerOf(createRule(rule!, 2))).toEqual(answer);
    expect(createRule(rule!, 2).name).toBe("rule 3");
    expect(answerOf(createRule(rule!, 2, () => "plan.yaml:1:1"))).toEqual({
      ...answer,
      rule: "plan.yaml:1:1",
    });
  });

  test("a call without a user or a mode does not fit a rule about one", () => {
    for (const match of [{ user: "*" }, { mode: "*" }]) {
      const [rule] = config.parse({ rules: [{ match, answer: "deny" }] }).rules;
      expect(answerOf(createRule(rule!, 0))).toBeNull();
      expect(answerOf(createRule(rule!, 0), tool(), {}, { userId: "ada", mode: "plan" })).not.toBeNull();
    }
  });
});

test("a rule that fits no tool is reported beside the lists, with its place", () => {
  const settings = config.parse({
    rules: [
      { match: { tool: "note" }, answer: "deny" },
      { match: { tool: "gone" }, answer: "deny" },
    ],
    ask: ["gone"],
  });
  const problem = "this rule can never match: the plan offers no tool that fits it";

  expect(lint(settings, { tools: [tool()] })).toEqual([
    { path: ["rules", 1, "match"], problem },
    { path: ["ask", 0], problem },
  ]);
  const near = config.parse({ rules: [{ match: { tool: "notes" }, answer: "deny" }], ask: ["noet(x)"] });
  expect(lint(near, { tools: [tool()] }).map((one) => one.problem)).toEqual(
    Array.from({ length: 2 }, () => `${problem}; did you mean note?`),
  );
});

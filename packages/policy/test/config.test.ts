import { describe, expect, test } from "vitest";
import { config } from "../src/index.ts";

const isValid = (section: unknown) => config.safeParse(section).success;
const problemOf = (section: unknown) => {
  const { error } = config.safeParse(section);
  const [issue] = error!.issues;
  // Of a choice, the problem of the choice that fits best is inside.
  return issue!.message;
};
const webhook = { url: "https://ops.example/ask", secret: "0123456789abcdef" };
const rule = (fields: object) => ({ rules: [{ match: {}, answer: "deny", ...fields }] });
const hook = (fields: object) => ({ commandHooks: [{ command: "x", ...fields }] });
const into = (fields: object) => ({ flows: { into: [{ match: {}, ...fields }] } });
const results = (fields: object) => ({ flows: { results: [{ match: {}, ...fields }] } });

test("an empty section has these settings", () => {
  expect(config.parse({})).toEqual({ level: "cautious", rules: [], allow: [], ask: [], deny: [] });
});

test("what a line leaves out has a default", () => {
  const full = config.parse({
    budgets: {},
    approver: { webhook },
    flows: "on",
    commandHooks: [{ command: "x" }],
  });
  expect(full).toMatchObject({
    budgets: { per: "session" },
    approver: { webhook: { ...webhook, pollMs: 2_000 } },
    commandHooks: [
      {
        events: ["tool:pre"],
        tools: ["*"],
        timeoutMs: 5_000,
        onFailure: "deny",
        env: {},
        dialect: "claude",
        priority: 0,
      },
    ],
  });
});

describe("the least and the most of each setting", () => {
  test.each<[string, unknown, unknown]>([
    ["a reason of a rule", rule({ reason: "x".repeat(500) }), rule({ reason: "x".repeat(501) })],
    ["a reason of a rule", rule({ reason: "x" }), rule({ reason: "" })],
    ["a glob of a rule", rule({ match: { tool: "x" } }), rule({ match: { tool: "" } })],
    ["tools of a rule", rule({ match: { tool: ["x"] } }), rule({ match: { tool: [] } })],
    ["calls of a budget", { budgets: { calls: 1 } }, { budgets: { calls: 0 } }],
    ["depth of a budget", { budgets: { depth: 0 } }, { budgets: { depth: -1 } }],
    ["repeats", { budgets: { repeats: 2 } }, { budgets: { repeats: 1 } }],
    [
      "the secret of a webhook",
      { approver: { webhook } },
      { approver: { webhook: { ...webhook, secret: "0123456789abcde" } } },
    ],
    [
      "the polls of a webhook",
      { approver: { webhook: { ...webhook, pollMs: 10 } } },
      { approver: { webhook: { ...webhook, pollMs: 9 } } },
    ],
    [
      "the polls of a webhook",
      { approver: { webhook: { ...webhook, pollMs: 60_000 } } },
      { approver: { webhook: { ...webhook, pollMs: 60_001 } } },
    ],
    [
      "the URL of a webhook",
      { approver: { webhook: { ...webhook, url: "http://localhost:1" } } },
      { approver: { webhook: { ...webhook, url: "ftp://ops.example" } } },
    ],
    ["the time of a hook", hook({ timeoutMs: 1 }), hook({ timeoutMs: 0 })],
    ["the tools of a hook", hook({ tools: ["x"] }), hook({ tools: [""] })],
    ["a pattern", { deny: [`x(${"y".repeat(997)})`] }, { deny: [`x(${"y".repeat(998)})`] }],
    ["the tool of a pattern", { deny: ["x".repeat(128)] }, { deny: ["x".repeat(129)] }],
    [
      "a glob of a flow",
      into({ match: { tool: "x".repeat(200) } }),
      into({ match: { tool: "x".repeat(201) } }),
    ],
    ["a glob of a flow", into({ match: { server: "x" } }), into({ match: { server: "" } })],
    ["a control argument", into({ control: ["x"] }), into({ control: [""] })],
    ["a content argument", into({ content: ["x"] }), into({ content: [""] })],
    ["an argument with people", into({ audience: ["x"] }), into({ audience: [""] })],
    ["the arguments with people", into({ audience: ["x"] }), into({ audience: [] })],
    ["a word of an intent", into({ intent: ["ab"] }), into({ intent: ["a"] })],
    ["a word of an intent", into({ intent: ["a".repeat(60)] }), into({ intent: ["a".repeat(61)] })],
    ["the words of an intent", into({ intent: [["ab"]] }), into({ intent: [[]] })],
    ["the lists of an intent", into({ intent: [["ab"]] }), into({ intent: [] })],
    ["a reason of a flow", into({ reason: "x" }), into({ reason: "" })],
    ["a reason of a flow", into({ reason: "x".repeat(500) }), into({ reason: "x".repeat(501) })],
    [
      "a value of the user's own",
      { flows: { identity: ["x".repeat(500)] } },
      { flows: { identity: ["x".repeat(501)] } },
    ],
    [
      "values of the user's own",
      { flows: { identity: Array(1_000).fill("x") } },
      { flows: { identity: Array(1_001).fill("x") } },
    ],
    [
      "a word of a tool's name",
      { flows: { words: { ["a".repeat(60)]: ["x"] } } },
      { flows: { words: { ["a".repeat(61)]: ["x"] } } },
    ],
    ["a word of a tool's name", { flows: { words: { a: ["x"] } } }, { flows: { words: { "": ["x"] } } }],
    [
      "the user's word for it",
      { flows: { words: { a: ["x".repeat(60)] } } },
      { flows: { words: { a: ["x".repeat(61)] } } },
    ],
    ["the user's word for it", { flows: { words: { a: ["x"] } } }, { flows: { words: { a: [""] } } }],
    ["the users of MCP clients", { flows: { mcpUsers: ["*"] } }, { flows: { mcpUsers: [""] } }],
    ["what a line about results says", results({ trust: "trusted" }), results({})],
    ["whose labels lower the trust", results({ from: "_meta.ifc" }), results({ from: "_meta.tags" })],
  ])("%s: %j is valid, %j is not", (_title, valid, invalid) => {
    expect([isValid(valid), isValid(invalid)]).toEqual([true, false]);
  });

  test("whole numbers only", () => {
    for (const bad of [
      { budgets: { calls: 1.5 } },
      { budgets: { depth: 0.5 } },
      { budgets: { repeats: 2.5 } },
      hook({ timeoutMs: 1.5 }),
      hook({ priority: 0.5 }),
      { approver: { webhook: { ...webhook, pollMs: 10.5 } } },
    ])
      expect(isValid(bad)).toBe(false);
  });

  test("no key that is not known", () => {
    for (const bad of [
      { more: 1 },
      rule({ more: 1 }),
      rule({ match: { more: 1 } }),
      { budgets: { more: 1 } },
      { loopGuard: {} },
      { approver: { webhook, more: 1 } },
      { approver: { webhook: { ...webhook, more: 1 } } },
      hook({ more: 1 }),
      { flows: { more: 1 } },
      into({ more: 1 }),
      into({ match: { more: 1 } }),
      results({ trust: "trusted", more: 1 }),
      results({ trust: "trusted", match: { tag: "x" } }),
    ])
      expect(isValid(bad)).toBe(false);
  });
});

describe("the words that a setting knows", () => {
  test.each<[string, readonly string[], (word: string) => unknown]>([
    ["level", ["autonomous", "cautious", "standard", "paranoid"], (level) => ({ level })],
    [
      "category",
      ["read", "write", "delete", "side_effect", "unclassified"],
      (category) => rule({ match: { category } }),
    ],
    [
      "consequence",
      ["low", "medium", "high", "unclassified"],
      (consequence) => rule({ match: { consequence } }),
    ],
    ["answer", ["allow", "ask", "deny"], (answer) => rule({ answer })],
    ["waives", ["confirmation"], (waives) => rule({ answer: "allow", waives })],
    ["per", ["turn", "session"], (per) => ({ budgets: { per } })],
    ["events", ["tool:pre", "tool:post"], (event) => hook({ events: [event] })],
    ["onFailure", ["deny", "allow"], (onFailure) => hook({ onFailure })],
    ["dialect", ["claude", "gemini"], (dialect) => hook({ dialect })],
    ["trust", ["trusted", "structured", "contact", "identity", "untrusted"], (trust) => results({ trust })],
    [
      "the trust of a field",
      ["trusted", "structured", "contact", "identity", "untrusted"],
      (trust) => results({ fields: { "*.a": trust } }),
    ],
    ["the audience of results", ["user"], (audience) => results({ audience })],
    ["the audience of a flow", ["user"], (audience) => into({ audience })],
    ["intent", ["user"], (intent) => into({ intent })],
    ["from", ["user", "identity", "trusted", "structured", "contact"], (from) => into({ from: [from] })],
    ["lastPart", ["user"], (lastPart) => into({ from: [{ lastPart }] })],
    ["whole", ["user"], (whole) => into({ from: [{ whole }] })],
    ["sameHost", ["user"], (sameHost) => into({ from: [{ sameHost }] })],
    ["shown", ["verbatim"], (shown) => into({ from: [{ sameHost: "user", shown }] })],
    ["else", ["ask", "deny", "allow"], (answer) => into({ else: answer })],
    ["flows", ["on"], (flows) => ({ flows })],
  ])("%s: %j", (_title, words, section) => {
    expect(words.filter((word) => isValid(section(word)))).toEqual(words);
    expect(isValid(section(`${words[0]}~`))).toBe(false);
  });
});

test.each([
  [
    { deny: ["b ash"] },
    "a tool's name or a glob, and in brackets a pattern of its first required argument: bash(git push*), or of a named one: grep(path: src/*)",
  ],
])("%j is refused with a sentence that says what is valid", (section, problem) => {
  expect(problemOf(section)).toBe(problem);
});

test.each([
  [
    results({ trust: "ours" }),
    "the trust of a result is trusted, structured, contact, identity or untrusted",
  ],
  [results({}), "a line about results says `trust`, `fields`, `audience` or `from`"],
  [
    into({ from: ["others"] }),
    "a source is user, identity, trusted, structured, contact, { sameHost: user }, { lastPart: user } or { whole: user }",
  ],
])("the flows %j are refused with a sentence that says what is valid", (section, problem) => {
  expect(JSON.stringify(config.safeParse(section).error)).toContain(problem);
});

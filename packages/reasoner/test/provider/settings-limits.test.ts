import { describe, expect, test } from "vitest";
import { config, requireConsistent, settingsSchema } from "../../src/config/settings.ts";

const isValid = (more: object) => settingsSchema.safeParse({ model: "m", ...more }).success;
const isPlan = (session: object) => config.safeParse(session).success;
const agent = (more: object) => ({ agents: { a: { description: "Helps.", ...more } } });
const prices = (more: object) => ({ prices: { input: 0, output: 0, ...more } });
const step = (more: object) => ({ bootstrap: { plan: [{ tool: "t", ...more }] } });
const longest = 2 ** 31 - 1;

test("what a plan leaves out has a default", () => {
  expect(settingsSchema.parse({ model: "m" })).toEqual({
    model: "m",
    stream: true,
    guidance: "full",
    maxIterations: 32,
    budgets: {},
    strictSchemas: false,
    parallelToolCalls: true,
    continueBy: "items",
    store: false,
    retries: 2,
    retryDelayMs: 500,
    timeoutMs: 600_000,
    compaction: { keepTurns: 2, summary: true },
    bootstrap: {},
    maxInjectionBytes: 10_240,
    injectionTokens: 10_000,
    maxDepth: 3,
  });
  expect(settingsSchema.parse({ model: "m", ...prices({}), ...step({}) })).toMatchObject({
    prices: { currency: "USD" },
    bootstrap: { plan: [{ tool: "t", arguments: {}, output: "inject" }] },
  });
  expect(config.parse(agent({})).agents).toEqual({ a: { description: "Helps.", tools: ["*"] } });
});

test.each<[string, object, object]>([
  ["a model", { model: "x" }, { model: "" }],
  ["a provider", { provider: { module: "x" } }, { provider: { module: "" } }],
  [
    "an export of a provider",
    { provider: { module: "x", export: "y" } },
    { provider: { module: "x", export: "" } },
  ],
  ["a server", { baseUrl: "http://localhost:1" }, { baseUrl: "ftp://a.example" }],
  ["a key", { apiKey: "k" }, { apiKey: "" }],
  ["requests of a turn", { maxIterations: 1_000 }, { maxIterations: 1_001 }],
  ["requests of a turn", { maxIterations: 1 }, { maxIterations: 0 }],
  ["turns of a session", { budgets: { turns: 1 } }, { budgets: { turns: 0 } }],
  ["calls of a turn", { budgets: { calls: 1 } }, { budgets: { calls: 0.5 } }],
  ["tokens of a session", { budgets: { tokens: 1 } }, { budgets: { tokens: 0 } }],
  ["a cost", { budgets: { cost: 0.1 } }, { budgets: { cost: 0 } }],
  ["time of a turn", { budgets: { ms: longest } }, { budgets: { ms: longest + 1 } }],
  ["a price", prices({ input: 0, cachedInput: 0, output: 0 }), prices({ input: -1 })],
  ["a price of cached input", prices({ cachedInput: 1 }), prices({ cachedInput: -1 })],
  ["a price of output", prices({ output: 1 }), prices({ output: -1 })],
  ["a currency", prices({ currency: "x" }), prices({ currency: "" })],
  ["a currency", prices({ currency: "x".repeat(8) }), prices({ currency: "x".repeat(9) })],
  ["a tool of a step", step({ tool: "x" }), step({ tool: "" })],
  ["a temperature", { temperature: 0 }, { temperature: -0.1 }],
  ["a temperature", { temperature: 2 }, { temperature: 2.1 }],
  ["tokens of an answer", { maxOutputTokens: 1 }, { maxOutputTokens: 0 }],
  ["retries", { retries: 0 }, { retries: -1 }],
  ["retries", { retries: 10 }, { retries: 11 }],
  ["the delay of a retry", { retryDelayMs: 0 }, { retryDelayMs: -1 }],
  ["the delay of a retry", { retryDelayMs: 60_000 }, { retryDelayMs: 60_001 }],
  ["the time of a request", { timeoutMs: longest }, { timeoutMs: longest + 1 }],
  ["the time of a request", { timeoutMs: 1 }, { timeoutMs: 0 }],
  ["a window", { contextTokens: 1 }, { contextTokens: 0 }],
  ["the size of a compaction", { compaction: { atTokens: 1 } }, { compaction: { atTokens: 0 } }],
  ["the turns of a compaction", { compaction: { keepTurns: 1 } }, { compaction: { keepTurns: 0 } }],
  ["no compaction", { compaction: false }, { compaction: true }],
  ["bytes that hooks inject", { maxInjectionBytes: 1 }, { maxInjectionBytes: 0 }],
  ["tokens that hooks inject", { injectionTokens: 1 }, { injectionTokens: 0 }],
  ["levels of sub-agents", { maxDepth: 0 }, { maxDepth: -1 }],
  ["levels of sub-agents", { maxDepth: 16 }, { maxDepth: 17 }],
])("%s: %j is valid, %j is not", (_title, valid, invalid) => {
  expect([isValid(valid), isValid(invalid)]).toEqual([true, false]);
});

test.each<[string, object, object]>([
  ["a description of an agent", agent({ description: "x" }), agent({ description: "" })],
  ["a tool of an agent", agent({ tools: ["x"] }), agent({ tools: [""] })],
  ["a mode of an agent", agent({ mode: "x" }), agent({ mode: "" })],
  ["a model of an agent", agent({ model: "x" }), agent({ model: "" })],
  ["requests of an agent", agent({ maxIterations: 1_000 }), agent({ maxIterations: 1_001 })],
  [
    "the bytes of Amplifier's hooks",
    { session: { injection_size_limit: 1 } },
    { session: { injection_size_limit: 0 } },
  ],
  [
    "the tokens of Amplifier's hooks",
    { session: { injection_budget_per_turn: 1 } },
    { session: { injection_budget_per_turn: 0 } },
  ],
])("of a session, %s: %j is valid, %j is not", (_title, valid, invalid) => {
  expect([isPlan(valid), isPlan(invalid)]).toEqual([true, false]);
});

describe("the words that a setting knows", () => {
  test.each<[string, readonly string[], (word: string) => object]>([
    ["guidance", ["full", "brief"], (guidance) => ({ guidance })],
    ["continueBy", ["items", "response"], (continueBy) => ({ continueBy, store: true })],
    [
      "effort",
      ["none", "minimal", "low", "medium", "high", "xhigh"],
      (effort) => ({ reasoning: { effort } }),
    ],
    ["summary", ["auto", "concise", "detailed"], (summary) => ({ reasoning: { summary } })],
    ["output", ["inject", "store", "both"], (output) => step({ output })],
  ])("%s: %j", (_title, words, settings) => {
    expect(words.filter((word) => isValid(settings(word)))).toEqual(words);
    expect(isValid(settings(`${words[0]}~`))).toBe(false);
  });
});

test("no key that is not known", () => {
  for (const bad of [
    { more: 1 },
    { budgets: { more: 1 } },
    prices({ more: 1 }),
    step({ more: 1 }),
    { provider: { module: "x", more: 1 } },
    { abilities: { more: true } },
    { reasoning: { more: 1 } },
    { compaction: { more: 1 } },
  ])
    expect(isValid(bad)).toBe(false);
  for (const bad of [
    { more: 1 },
    agent({ more: 1 }),
    { orchestrator: "loop" },
    { session: { more: 1 } },
    { session: { orchestrator: { more: 1 } } },
    { session: { context: { more: 1 } } },
  ])
    expect(isPlan(bad)).toBe(false);
});

test.each<[object, string]>([
  [{ budgets: { cost: 1 } }, "budgets.cost needs prices, so that the cost of a turn is known"],
  [
    { continueBy: "response" },
    "continueBy: response needs store: true; a server that does not store a response cannot continue from it",
  ],
])("%j is refused with its reason", (settings, problem) => {
  expect(() => requireConsistent(settingsSchema.parse({ model: "m", ...settings }))).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID", details: { module: "@toolmount/reasoner", problem } }),
  );
});

test("settings that fit each other are kept", () => {
  const whole = settingsSchema.parse({
    model: "m",
    continueBy: "response",
    store: true,
    budgets: { cost: 1 },
    ...prices({}),
  });
  expect(requireConsistent(whole)).toBe(whole);
});

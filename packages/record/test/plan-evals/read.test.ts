import { expect, test } from "vitest";
import { readEvals } from "../../src/plan-evals/read.ts";
import { problemOf, writtenPlan } from "../support/written-plan.ts";

const prompt = "Find it.";
const one = (item: unknown) => readEvals(writtenPlan("tests", [item]))[0]!;

test("an evaluation of a prompt and what it expects has the defaults of the others", () => {
  expect(one({ prompt, expect: { tools: [] } })).toEqual({
    path: ["tests", 0],
    name: prompt,
    prompt,
    label: undefined,
    user: undefined,
    requests: 5,
    given: {},
    world: undefined,
    replies: [],
    expect: {
      tools: [],
      oneOf: undefined,
      calls: undefined,
      not: undefined,
      errors: undefined,
      text: undefined,
      state: undefined,
      max: undefined,
    },
    stateAfter: undefined,
  });
});

test("an evaluation that says everything is read as it is written", () => {
  const text = { contains: ["a", ["b", "c"]], not: ["d"], matches: "^a", json: ["id"], maxLength: 0 };
  const written = {
    name: "finds",
    prompt,
    label: "edge",
    as: "ada",
    requests: 1,
    given: { find: { data: 1 } },
    world: "world/plan.yaml",
    replies: ["yes", { say: "no" }, { when: "really?", say: "yes" }, { when: ["a", "b"], say: "c" }],
    expect: {
      tools: ["find"],
      oneOf: [["find"], []],
      calls: [{ find: { id: 1 } }, { list: null }],
      not: ["send"],
      errors: false,
      text,
      state: { orders: 1 },
      stateAfter: [{ order: {} }],
      max: { calls: 0, tokens: 1, cost: 0.5, ms: 10 },
      "x-note": 1,
    },
    "x-note": "kept apart",
  };

  expect(one(written)).toEqual({
    path: ["tests", 0],
    name: "finds",
    prompt,
    label: "edge",
    user: "ada",
    requests: 1,
    given: { find: { data: 1 } },
    world: "/plans/world/plan.yaml",
    replies: [
      { when: [], say: "yes" },
      { when: [], say: "no" },
      { when: ["really?"], say: "yes" },
      { when: ["a", "b"], say: "c" },
    ],
    expect: {
      tools: ["find"],
      oneOf: [["find"], []],
      calls: [
        { tool: "find", arguments: { id: 1 } },
        { tool: "list", arguments: {} },
      ],
      not: ["send"],
      errors: false,
      text,
      state: { orders: 1 },
      max: { calls: 0, tokens: 1, cost: 0.5, ms: 10 },
    },
    stateAfter: [{ tool: "order", arguments: {} }],
  });
});

test.each(["straightforward", "ambiguous", "edge", "regression"])("a label is %s", (label) => {
  expect(one({ prompt, label, expect: { errors: true } }).label).toBe(label);
});

test("a plan without evaluations has none, and each has its place", () => {
  expect(readEvals(writtenPlan("tests", undefined))).toEqual([]);
  expect(readEvals(writtenPlan("tests", "no list"))).toEqual([]);
  const two = [
    { prompt, expect: { tools: [] } },
    { prompt, expect: { tools: [], text: { json: true } } },
  ];
  expect(readEvals(writtenPlan("tests", two)).map(({ path }) => path)).toEqual([
    ["tests", 0],
    ["tests", 1],
  ]);
});

const item = { prompt, expect: { tools: [] } };
const expecting = (expected: unknown) => ({ prompt, world: "w.yaml", expect: expected });
const evaluationKeys = "name, prompt, replies, label, as, requests, given, world, expect";
const expectKeys = "tools, oneOf, calls, not, errors, text, state, stateAfter, max";
const replyShape = "a reply is a text, or a map with when and say";
const replyTexts = "say is a text, and when a text or a list of texts";
const callShape = "a call is a map of one tool and the arguments that it must have";

test.each<[unknown, string, string]>([
  ["text", "", "a test is a map with one of call, replay and prompt"],
  [{ ...item, tools: [] }, "/tools", `unknown key "tools"; there are ${evaluationKeys}`],
  [{ expect: {} }, "", "a test is a map with one of call, replay and prompt"],
  [{ ...item, call: {} }, "", "a test is a map with one of call, replay and prompt"],
  [{ ...item, prompt: " " }, "/prompt", "prompt is a text"],
  [{ ...item, prompt: 7 }, "/prompt", "prompt is a text"],
  [{ ...item, name: 7 }, "/name", "name is a text"],
  [{ ...item, as: 7 }, "/as", "as is a text"],
  [{ ...item, world: 7 }, "/world", "world is a text"],
  [{ ...item, label: 7 }, "/label", "label is a text"],
  [{ ...item, label: "hard" }, "/label", "label is one of straightforward, ambiguous, edge, regression"],
  ...[0, -1, 1.5, "1"].map<[unknown, string, string]>((requests) => [
    { ...item, requests },
    "/requests",
    "requests is a whole number from 1 on",
  ]),
  ...[7, { find: 7 }, [{}]].map<[unknown, string, string]>((given) => [
    { ...item, given },
    "/given",
    "given is a map from tools to results: data, or error",
  ]),
  [{ ...item, replies: {} }, "/replies", "replies is a list of texts, and of maps with when and say"],
  [{ ...item, replies: ["a", 7] }, "/replies/1", replyShape],
  [
    { ...item, replies: [{ say: "a", then: "b" }] },
    "/replies/0/then",
    'unknown key "then"; there are when, say',
  ],
  [{ ...item, replies: [{ say: 7 }] }, "/replies/0", replyTexts],
  [{ ...item, replies: [{ when: 7, say: "a" }] }, "/replies/0", replyTexts],
  [{ ...item, replies: [{ when: ["a", 7], say: "a" }] }, "/replies/0", replyTexts],
  [expecting(undefined), "/expect", `expect names ${expectKeys}`],
  [expecting({}), "/expect", `expect names ${expectKeys}`],
  [expecting({ tool: "a" }), "/expect/tool", `unknown key "tool"; there are ${expectKeys}`],
  [expecting({ tools: "a" }), "/expect/tools", "tools is a list of tools"],
  [expecting({ not: [7] }), "/expect/not", "not is a list of tools"],
  ...["a", [], ["a"], [[7]]].map<[unknown, string, string]>((oneOf) => [
    expecting({ oneOf }),
    "/expect/oneOf",
    "oneOf is a list of lists of tools",
  ]),
  [expecting({ errors: "no" }), "/expect/errors", "errors is true or false"],
  [expecting({ state: [] }), "/expect/state", "state is a map of what the world has at the end"],
  [expecting({ calls: {} }), "/expect/calls", "calls is a list of calls"],
  [expecting({ stateAfter: {} }), "/expect/stateAfter", "stateAfter is a list of calls"],
  [expecting({ calls: ["a"] }), "/expect/calls", callShape],
  [expecting({ calls: [{}] }), "/expect/calls", callShape],
  [expecting({ calls: [{ a: {}, b: {} }] }), "/expect/calls", callShape],
  [expecting({ stateAfter: [{ a: 7 }] }), "/expect/stateAfter", callShape],
  [
    { prompt, expect: { state: {} } },
    "/expect/state",
    "state needs a world: the plan whose tools run in this evaluation",
  ],
  [
    { prompt, expect: { stateAfter: [] } },
    "/expect/stateAfter",
    "stateAfter needs a world: the plan whose tools run in this evaluation",
  ],
  [expecting({ text: [] }), "/expect/text", "text is a map"],
  [
    expecting({ text: { has: "a" } }),
    "/expect/text/has",
    'unknown key "has"; there are contains, not, matches, json, maxLength',
  ],
  ...["a", [7], [[7]]].map<[unknown, string, string]>((contains) => [
    expecting({ text: { contains } }),
    "/expect/text/contains",
    "contains is a list of texts, and of lists of which one is enough",
  ]),
  [expecting({ text: { not: "a" } }), "/expect/text/not", "not is a list of texts"],
  ...[7, "(", "\\-"].map<[unknown, string, string]>((matches) => [
    expecting({ text: { matches } }),
    "/expect/text/matches",
    "matches is a regular expression",
  ]),
  [expecting({ text: { json: false } }), "/expect/text/json", "json is true, or a list of members"],
  ...["9", 1.5, -1].map<[unknown, string, string]>((maxLength) => [
    expecting({ text: { maxLength } }),
    "/expect/text/maxLength",
    "maxLength is a whole number",
  ]),
  [expecting({ max: 7 }), "/expect/max", "max is a map"],
  [
    expecting({ max: { time: 1 } }),
    "/expect/max/time",
    'unknown key "time"; there are calls, tokens, cost, ms',
  ],
  ...["1", -1, Number.NaN].map<[unknown, string, string]>((cost) => [
    expecting({ max: { cost } }),
    "/expect/max/cost",
    "cost is a number",
  ]),
])("the evaluation %j is refused at its %s: %s", (written, place, problem) => {
  const at = `tests/1${place}`;

  expect(problemOf(() => readEvals(writtenPlan("tests", [item, written])))).toBe(
    `${at}:${at.split("/").length}:1: ${problem}`,
  );
});

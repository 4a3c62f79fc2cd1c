import { expect, test } from "vitest";
import { checkDescriptions, compareRuns, countChoices, judgeTurn, type SeenTurn } from "../src/evals.ts";
import { judgeState } from "../src/evals/judge-state.ts";
import { meanInterval, mcNemar, passAll, runsToShow, wilsonInterval } from "../src/evals/statistics.ts";

const long = "x".repeat(250);

test.each<[unknown, unknown, boolean, string[]]>([
  [{ a: 1 }, { a: 1, b: 2 }, false, []],
  [{ a: 1 }, { a: 1, b: 2 }, true, ["the state at b is 2, not absent"]],
  [{ a: 1, b: undefined }, { a: 1 }, true, []],
  [{ a: 1 }, {}, false, ["the state at a is absent, not 1"]],
  [{ a: { b: { c: 1 } } }, { a: { b: { c: 2, d: 3 } } }, false, ["the state at a.b.c is 2, not 1"]],
  [{ a: [1, 2] }, { a: [1] }, false, ["the state at a is [1], not [1,2]"]],
  [{ a: null }, { a: {} }, false, ["the state at a is {}, not null"]],
  [1, "x", false, ['the state at its root is "x", not 1']],
  [{ a: {} }, { a: [] }, false, ["the state at a is [], not {}"]],
  [{ toString: 1 }, {}, false, ["the state at toString is absent, not 1"]],
  [long.slice(0, 198), 1, false, [`the state at its root is 1, not "${long.slice(0, 198)}"`]],
  [long.slice(0, 199), 1, false, [`the state at its root is 1, not "${long.slice(0, 198)}…`]],
])("wanted %j, is %j (whole: %s): %j", (wanted, state, isWhole, problems) => {
  expect(judgeState(wanted, state, isWhole)).toEqual(problems);
});

test("ten differences of a state are reported, and how many more there are", () => {
  const wanted = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));

  expect(judgeState(wanted(10), {})).toHaveLength(10);
  expect(judgeState(wanted(12), {}).slice(9)).toEqual(["the state at k9 is absent, not 1", "… and 2 more"]);
});

const turn = (more: Partial<SeenTurn>): SeenTurn => ({
  calls: [],
  text: "",
  durationMs: 1.5,
  tokens: 3,
  cost: 2,
  ...more,
});
const call = (tool: string, given = "{}", more: object = {}) => ({ tool, arguments: given, ...more });

test.each<[Parameters<typeof judgeTurn>[0], Partial<SeenTurn>, string[]]>([
  [{}, { calls: [call("a", "{}", { status: "failed" })] }, []],
  [{ errors: true }, { calls: [call("a", "{}", { status: "failed" })] }, []],
  [{ errors: false }, { calls: [call("a"), call("b", "{}", { status: "ok" })] }, []],
  [
    { errors: false },
    { calls: [call("a", "{}", { status: "failed", text: long })] },
    [`a ended failed: ${long.slice(0, 200)}`],
  ],
  [{ errors: false }, { calls: [call("a", "{}", { status: "failed" })] }, ["a ended failed: "]],
  [
    { calls: [{ tool: "a" }, { tool: "a" }] },
    { calls: [call("a")] },
    ["there is no call a {} after the one before it"],
  ],
  [
    { calls: [{ tool: "a", arguments: { x: 1 } }] },
    { calls: [call("a", "no")] },
    ['there is no call a {"x":1}'],
  ],
  [{ calls: [{ tool: "a", arguments: {} }] }, { calls: [call("a", "null")] }, []],
  [{ calls: [{ tool: "a", arguments: { x: [1] } }] }, { calls: [call("a", '{"x":[1],"y":2}')] }, []],
  [{ not: ["a", "b"] }, { calls: [call("b"), call("a")] }, ["the model called a", "the model called b"]],
  [{ oneOf: [[], ["a"]] }, { calls: [call("b")] }, ["the model called b, not one of no tool | a"]],
  [{ state: { a: 1 } }, { state: { a: 2 } }, ["the state at a is 2, not 1"]],
  [{ text: { maxLength: 3 } }, { text: "abc" }, []],
  [{ text: { maxLength: 2 } }, { text: "abc" }, ["the text has 3 characters, more than 2"]],
  [{ text: { json: ["a", "toString"] } }, { text: '{"a":1}' }, ['the JSON has no "toString"']],
  [{ text: { json: ["a"] } }, { text: "null" }, ['the JSON has no "a"']],
  [{ text: { json: true } }, { text: "5" }, []],
  [{ text: { matches: "^\\p{L}$" } }, { text: "é" }, []],
  [{ max: { calls: 1, tokens: 3, ms: 2, cost: 2 } }, { calls: [call("a")] }, []],
  [
    { max: { tokens: 2, ms: 1, cost: 1 } },
    {},
    ["tokens: 3, more than 2", "ms: 2, more than 1", "cost: 2, more than 1"],
  ],
])("%j, and a turn with %j: %j", (expected, more, problems) => {
  expect(judgeTurn(expected, turn(more))).toEqual(problems);
});

test("descriptions: limits of summaries, words of four letters, and the start of a prompt", () => {
  const tool = (members: object) => ({ name: "find_order", description: "Finds an order.", ...members });
  const against = { prompt: "orders?", expect: { not: ["find_order"] } };
  const check = (members: object, prompt = "my orders", expected: object = { tools: ["find_order"] }) =>
    checkDescriptions([tool(members)], [against, { prompt, expect: expected }]);

  expect(check({ summary: "x".repeat(120) })).toEqual([]);
  expect(check({ summary: "x".repeat(121) })).toEqual([
    "find_order: its summary has 121 characters, more than 120",
  ]);
  expect(check({ summary: "Finds it. Or not." })).toEqual([
    "find_order: its summary has more than one sentence",
  ]);
  expect(check({ summary: "Finds it.x" })).toEqual([]);
  for (const word of "may might could maybe perhaps possibly probably usually sometimes various etc".split(
    " ",
  ))
    expect(check({ summary: `Finds ${word} all` })).toEqual([`find_order: its summary says "${word}"`]);
  expect(check({ summary: "It can help" })).toEqual(['find_order: its summary says "can help"']);
  expect(check({}, "the an its")).toEqual([
    'find_order: its description has no word of the prompt "the an its"',
  ]);
  expect(check({}, "y".repeat(90))).toEqual([
    `find_order: its description has no word of the prompt ${JSON.stringify("y".repeat(80))}`,
  ]);
  expect(check({}, "ORDER it", { oneOf: [["find_order"]] })).toEqual([]);
  expect(check({}, "finding", { calls: [{ tool: "find_order" }] })).toEqual([
    'find_order: its description has no word of the prompt "finding"',
  ]);
  expect(checkDescriptions([tool({})], [])).toEqual([
    "find_order: no evaluation expects it",
    "find_order: no evaluation has a prompt for which it must not be called",
  ]);
});

test("runs: what is stale and what drifts, at the limits", () => {
  const run = (passRate: number, tools: Record<string, [string, string?]> = {}) => ({
    passRate,
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, [definition, version]]) => [name, { definition, version }]),
    ),
  });
  const names = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, ["1"] as [string]]));

  const unknown = "none";

  expect(compareRuns([])).toEqual([]);
  expect(compareRuns([run(1, names(2)), run(1, names(3))])).toEqual([]);
  expect(compareRuns([run(1, names(2)), run(1, names(4))])).toEqual([
    "there are 4 tools, were 2: the evaluations may no longer cover what a model chooses among",
  ]);
  expect(compareRuns([run(1), run(1, names(9))])).toEqual([]);
  expect(compareRuns([run(1, { a: ["1", "1.0.0"] }), run(1, { a: ["2", "1.9.0"] })])).toEqual([
    "a: its definition has changed since the last run",
  ]);
  expect(compareRuns([run(1, { a: ["1"] }), run(1, { a: ["1", "2.0.0"] })])).toEqual([
    `a: version 2.0.0, was ${unknown}: look through its evaluations`,
  ]);
  expect(compareRuns([run(1, { a: ["1", "1.0.0"] }), run(1, { a: ["1"] })])).toEqual([
    `a: version ${unknown}, was 1.0.0: look through its evaluations`,
  ]);
  expect(compareRuns([run(1), run(0.81)])).toEqual([]);
  expect(compareRuns([run(1), run(0.8)])).toEqual([
    "drift: 90 % passed on average of 2 runs, 100 % in the first; changed since all passed: no tool",
  ]);
  const many = [run(0.9), ...Array.from({ length: 5 }, () => run(0.8))];
  expect(compareRuns(many)).toEqual([
    "drift: 80 % passed on average of 5 runs, 90 % in the first; changed since all passed: no tool",
  ]);
});

test("choices are compared with the nearest of several lists", () => {
  const [row] = countChoices([
    {
      expect: {
        oneOf: [
          ["a", "b", "c"],
          ["a", "b"],
        ],
      },
      chosen: ["a", "b"],
    },
  ]);

  expect(row).toEqual({ tool: "a", expected: 1, chosen: 1, missed: 0, extra: 0, confused: {} });
  expect(
    countChoices([{ expect: { calls: [{ tool: "b" }, { tool: "a" }] }, chosen: ["a", "x", "y"] }]),
  ).toEqual([
    { tool: "a", expected: 1, chosen: 1, missed: 0, extra: 0, confused: {} },
    { tool: "b", expected: 1, chosen: 0, missed: 0, extra: 0, confused: { x: 1 } },
    { tool: "y", expected: 0, chosen: 0, missed: 0, extra: 1, confused: {} },
  ]);
});

/** Quantiles of Student's distribution for 97.5 %, from a table of them. */
const quantiles = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

test.each(quantiles.map((quantile, at) => [at + 2, quantile]))(
  "the interval of a mean of %i values has the quantile %d",
  (count, quantile) => {
    const values = Array.from({ length: count }, (_, at) => (at === 0 ? count : 0));
    const { mean, high = 0 } = meanInterval(values);
    // The variance of such a list is its length.
    expect([mean, (high - mean) / Math.sqrt(count / count)]).toEqual([1, expect.closeTo(quantile, 2)]);
  },
);

test("figures that are known", () => {
  expect(wilsonInterval(0, 10)).toEqual({ low: 0, high: expect.closeTo(0.2775, 4) });
  expect(wilsonInterval(10, 10)).toEqual({ low: expect.closeTo(0.7225, 4), high: 1 });
  expect(wilsonInterval(7, 10)).toEqual({ low: expect.closeTo(0.3968, 4), high: expect.closeTo(0.8922, 4) });
  expect([runsToShow(0.5), runsToShow(0.95)]).toEqual([4, 73]);
  expect([passAll(3, 4, 1), passAll(3, 4, 2), passAll(1, 4, 2)]).toEqual([0.75, 0.5, 0]);
  expect([mcNemar(0, 0), mcNemar(1, 9), mcNemar(9, 1), mcNemar(5, 5)]).toEqual([
    1,
    expect.closeTo(22 / 1024, 10),
    expect.closeTo(22 / 1024, 10),
    1,
  ]);
  expect(meanInterval([4])).toEqual({ mean: 4 });
});

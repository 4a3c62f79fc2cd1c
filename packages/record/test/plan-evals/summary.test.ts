import { expect, test } from "vitest";
import { compareSides, describeComparison } from "../../src/plan-evals/compare.ts";
import { toJunit, toMarkdown } from "../../src/plan-evals/files.ts";
import { countPassed, gateFailures, isFlaky, summarize } from "../../src/plan-evals/summary.ts";
import { all, evaluated, flaky, good, side } from "../support/reports.ts";

test("runs are counted, and an evaluation that passes in some of them is flaky", () => {
  expect(all.map(countPassed)).toEqual([2, 1, 0]);
  expect(all.map(isFlaky)).toEqual([false, true, false]);
});

test("a summary counts runs, shares, tokens, times, choices and what is not known", () => {
  const summary = summarize(all, []);

  expect(summary).toMatchObject({
    runs: 6,
    passed: 3,
    passRate: 0.5,
    passAll: 1 / 3,
    flaky: ["lists & finds"],
    stale: [],
    tokens: 600,
    tokensPerRun: { mean: 100 },
    cost: null,
    costPerRun: null,
    p95Ms: 1_500,
    overlaps: [{ tools: ["find", "list"], count: 1 }],
  });
  expect(summary.interval.low).toBeCloseTo(0.188, 3);
  expect(
    summary.tools.map(({ tool, expected, chosen, missed: left, extra }) => [
      tool,
      expected,
      chosen,
      left,
      extra,
    ]),
  ).toEqual([
    ["find", 6, 4, 1, 0],
    ["list", 0, 0, 0, 1],
  ]);
  const priced = summarize(
    [
      evaluated("a", 0, [
        { cost: 0.5, ms: 1 },
        { cost: 1.5, ms: 20.6 },
      ]),
      evaluated("b", 1, [{ cost: 1, isStale: true }]),
    ],
    [],
  );
  expect(priced).toMatchObject({ cost: 3, costPerRun: { mean: 1 }, stale: ["b"], p95Ms: 1_500 });
  expect(summarize([evaluated("a", 0, [{ cost: 1 }, {}])], []).cost).toBeNull();
});

test.each<[object, object, string[]]>([
  [{}, {}, []],
  [{ stale: ["a", "b"] }, {}, ["stale: 2 must be recorded again, with a model and --record"]],
  [{ passRate: 1 }, { minPass: 1 }, []],
  [{ passRate: 0.996 }, { minPass: 1 }, ["pass rate 1.00, less than 1"]],
  [{ passRate: 0.9, interval: { low: 0.8, high: 1 } }, { minPass: 0.8 }, []],
  [
    { passRate: 0.7, interval: { low: 0.5, high: 1 } },
    { minPass: 0.8 },
    ["pass rate 0.70, but its 95 % interval begins at 0.50, below 0.8"],
  ],
  [
    { passRate: 0.8, interval: { low: 0.5, high: 1 }, runs: 5 },
    { minPass: 0.8 },
    [
      "pass rate 0.80, but its 95 % interval begins at 0.50, below 0.8; it takes 16 runs that all pass, see --runs",
    ],
  ],
  [
    { passRate: 0.8, interval: { low: 0.5, high: 1 }, runs: 16 },
    { minPass: 0.8 },
    ["pass rate 0.80, but its 95 % interval begins at 0.50, below 0.8"],
  ],
  [{ cost: null }, { maxCost: 1 }, ["the cost is not known: the plan has no agent.prices"]],
  [{ cost: 1 }, { maxCost: 1 }, []],
  [{ cost: 1.00001 }, { maxCost: 1 }, ["cost 1.0000, more than 1"]],
  [{ p95Ms: 100 }, { maxP95: 100 }, []],
  [{ p95Ms: 101 }, { maxP95: 100 }, ["95 % of the turns took up to 101 ms, more than 100"]],
])("of %j the gates %j are not passed: %j", (summary, gates, failures) => {
  const whole = {
    cost: null,
    p95Ms: 0,
    stale: [],
    passRate: 1,
    interval: { low: 1, high: 1 },
    runs: 1,
    ...summary,
  };

  expect(gateFailures(whole as never, gates)).toEqual(failures);
});

test("two sides are compared pair by pair", () => {
  const even = compareSides(side("one", [1, 0, 1]), side("two", [0, 1, 1]));
  const shown = compareSides(side("one", [0, 0, 0, 0, 0, 0]), side("two", [1, 1, 1, 1, 1, 1]));

  expect(even).toMatchObject({
    pairs: 4,
    firstPassed: 3,
    secondPassed: 3,
    onlyFirst: 1,
    onlySecond: 1,
    p: 1,
    better: null,
    changed: [],
  });
  expect(describeComparison(even)).toEqual([
    "one: 3 of 4 pass; two: 3 of 4",
    "only one passes in 1 pairs, only two in 1: no difference is shown (exact McNemar test, two-sided, p = 1.0000)",
  ]);
  expect(shown).toMatchObject({ better: "two", changed: [{ name: "a", first: 0, second: 6 }] });
  expect(describeComparison(shown)).toEqual([
    "one: 1 of 7 pass; two: 7 of 7",
    "  a: 0 with one, 6 with two",
    "only one passes in 0 pairs, only two in 6: two is better (exact McNemar test, two-sided, p = 0.0313)",
  ]);
  expect(compareSides(side("one", [1, 1, 1, 1, 1, 1]), side("two", [0, 0, 0, 0, 0, 0])).better).toBe("one");
  expect(describeComparison({ ...shown, p: 0.000_012_3 })[2]).toContain("p = 1.2e-5");
});

test("evaluations are JUnit's test cases, and Markdown for a comment", () => {
  expect(toJunit({ reports: all })).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="toolmount test prompts" tests="3" failures="2">
  <testcase classname="evals" name="finds &lt;it&gt;" time="3.000"/>
  <testcase classname="evals" name="lists &amp; finds" time="3.000">
    <failure message="1 of 2 runs pass, flaky">the model called list, not find</failure>
  </testcase>
  <testcase classname="evals" name="thanks" time="3.000">
    <failure message="0 of 2 runs pass">the model called list, not find
b\u{fffd}</failure>
  </testcase>
</testsuite>
`);
  const comparisons = [compareSides(side("one", [1]), side("two", [0]))];
  const written = {
    reports: [good, flaky],
    summary: summarize([good, flaky], []),
    comparisons,
    failures: ["a *b*"],
  };
  expect(toMarkdown(written)).toBe(`### ✖ Evaluations: 3 of 4 runs pass

75 %, 95 % interval 30 % to 95 %; 1 flaky; 400 tokens.

- one: 2 of 2 pass; two: 1 of 2
- a: 1 with one, 0 with two
- only one passes in 1 pairs, only two in 0: no difference is shown (exact McNemar test, two-sided, p = 1.0000)

- **a \\*b\\***

| evaluation | passes | problems |
| --- | --- | --- |
| finds \\<it\\> | 2/2 |  |
| lists & finds | 1/2 flaky | the model called list, not find |
`);
  expect(toMarkdown({ ...written, failures: [], comparisons: [] })).toMatch(/^### ✔ Evaluations: 3 of 4/);
});

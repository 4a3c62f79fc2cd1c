import { expect, test } from "vitest";
import { compareSides, summarize } from "@toolmount/record/internal";
import { all, evaluated, flaky, good, missed, side } from "../../../record/test/support/reports.ts";
import { writeEvals, writeImprovement, type EvalOutput } from "../../src/render/evals.ts";
import { markedScreen } from "../support/marked-screen.ts";

function output(more: Partial<EvalOutput>): EvalOutput {
  const reports = more.reports ?? all;
  const position = (_: string, at: number) =>
    at === 1 ? undefined : { file: "/plans/plan.yaml", line: at + 1, column: 5 };
  const plan = { file: "/plans/plan.yaml", position };
  const given = { reports, summary: summarize(reports, []), comparisons: [], changes: [], failures: [] };
  return { ...given, plan: plan as never, ...more };
}

function written(evals: EvalOutput): string[] {
  const { screen, lines } = markedScreen();
  writeEvals(evals, false, { out: screen, cwd: "/plans" } as never);
  return lines();
}

test("evaluations are shown one by one, with the tools, counts and failures below", () => {
  const overlaps = [
    { tools: ["find", "list"], count: 1 },
    { tools: ["a", "b"], count: 2 },
  ] as never;
  const summary = { ...summarize(all, []), overlaps, gaps: ["a gap\u0007"] };
  const comparisons = [compareSides(side("one", [1]), side("two", [1]))];
  const lines = written(output({ summary, comparisons, changes: ["a change"], failures: ["too few\u0007"] }));

  expect(lines.map((line) => line.replaceAll(/ {2,}(?=\S)/g, (gap, at) => (at === 0 ? gap : "  ")))).toEqual([
    "green(✔) plan.yaml:1:5 finds <it>: 2/2 find",
    "yellow(~) evaluation 2 lists & finds: 1/2 flaky list | find, list",
    `    ${missed}`,
    "red(✖) plan.yaml:3:5 thanks: 0/2 find | no tool",
    `    ${missed}`,
    "    b\\u0007",
    "",
    expect.stringMatching(
      /^dim\(tool\).*dim\(expected\).*dim\(chosen\).*dim\(missed\).*dim\(extra\).*dim\(confused with\)$/,
    ),
    "find  6  4  1  0  list",
    "list  0  0  0  1  –",
    "yellow(confused: find and list, 1 time)",
    "yellow(confused: a and b, 2 times)",
    "dim(a gap\\u0007)",
    "dim(a change)",
    "3 evaluations, 2 failed; 600 tokens (100 a run, 100 to 100), 95 % within 1500 ms",
    "3 of 6 runs pass: 50 %, 95 % interval 19 % to 81 %; pass^2 33 %, 1 flaky",
    "one: 2 of 2 pass; two: 2 of 2",
    "only one passes in 0 pairs, only two in 0: no difference is shown (exact McNemar test, two-sided, p = 1.0000)",
    "red(too few\\u0007)",
  ]);
});

test("one run of each needs no counts of runs, and a cost is shown where it is known", () => {
  const lines = written(output({ reports: [evaluated("a", 0, [{ cost: 0.25 }])] }));

  expect(lines[0]).toBe("green(✔) plan.yaml:1:5 a: find");
  expect(lines.slice(-2)).toEqual([
    "1 evaluation, 0 failed; 100 tokens, cost 0.2500, 95 % within 1500 ms",
    "1 of 1 run pass: 100 %, 95 % interval 21 % to 100 %",
  ]);
});

test("as JSON each evaluation has its place, problems and runs", () => {
  const found: unknown[] = [];
  const screen = { json: (value: unknown) => void found.push(value) };
  writeEvals(output({ reports: [good, flaky] }), true, { out: screen, cwd: "/plans" } as never);

  expect(found).toMatchObject([
    {
      plan: "/plans/plan.yaml",
      evals: [
        { at: "plan.yaml:1:5", name: "finds <it>", label: "edge", passed: 2, isFlaky: false, problems: [] },
        {
          at: "evaluation 2",
          passed: 1,
          isFlaky: true,
          problems: [missed],
          runs: [{ isStale: false, problems: [missed], tokens: 100 }, { problems: [] }],
        },
      ],
      runs: 4,
      comparisons: [],
      changes: [],
      failures: [],
    },
  ]);
  expect((found[0] as { evals: object[] }).evals[1]).not.toHaveProperty("label");
});

const heldOut = {
  first: "now",
  second: "next",
  pairs: 4,
  firstPassed: 1,
  secondPassed: 4,
  onlyFirst: 0,
  onlySecond: 3,
  test: "exact McNemar test, two-sided",
  p: 0.25,
  better: null,
  changed: [{ name: "by id", first: 1, second: 4 }],
} as const;
const found = {
  tool: "find\u0007",
  before: "Finds.",
  after: "Finds notes.",
  tried: 3,
  heldOut,
  isBetter: false,
};

function improved(over: object): readonly string[] {
  const { screen, lines } = markedScreen();
  writeImprovement({ ...found, ...over }, { out: screen } as never);
  return lines();
}

test("a better description is shown beside the present one, with what the held-out evaluations say", () => {
  const shown = [
    "red(- Finds.)",
    "green(+ Finds notes.)",
    "now: 1 of 4 pass; next: 4 of 4",
    "  by id: 1 with now, 4 with next",
    "only now passes in 0 pairs, only next in 3: no difference is shown (exact McNemar test, two-sided, p = 0.2500)",
  ];

  expect(improved({})).toEqual([
    ...shown,
    "not shown to be better on evaluations that it was not made for; keep the present one, or use more --runs",
  ]);
  expect(improved({ isBetter: true })).toEqual([
    ...shown,
    "better on evaluations that it was not made for; write it under tools: of the entry: { find\\u0007: { description: … } }",
  ]);
});

test.each([{ after: null }, { heldOut: null }])("without a better description one line says so", (over) => {
  expect(improved(over)).toEqual(["find\\u0007: none of 3 proposed descriptions passes more often"]);
});

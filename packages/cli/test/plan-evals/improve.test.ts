import { expect, test } from "vitest";
import { writeImprovement } from "../../src/plan-evals/improve.ts";
import { markedScreen } from "../support/marked-screen.ts";

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

function written(over: object): readonly string[] {
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

  expect(written({})).toEqual([
    ...shown,
    "not shown to be better on evaluations that it was not made for; keep the present one, or use more --runs",
  ]);
  expect(written({ isBetter: true })).toEqual([
    ...shown,
    "better on evaluations that it was not made for; write it under tools: of the entry: { find\\u0007: { description: … } }",
  ]);
});

test.each([{ after: null }, { heldOut: null }])("without a better description one line says so", (over) => {
  expect(written(over)).toEqual(["find\\u0007: none of 3 proposed descriptions passes more often"]);
});

import { expect, test } from "vitest";
import { createPlanText } from "../../src/diagnostics/source-text.ts";
import { parsePlan } from "../../src/plan/parse-yaml.ts";

function firstOf(text: string) {
  const parsed = parsePlan(createPlanText("plan.yaml", text));
  const [problem] = parsed.ok ? [] : parsed.problems;
  return problem && `${problem.line}:${problem.column} ${/the \S of line .*/.exec(problem.message)?.[0]}`;
}

test.each([
  ['name: "mine\ntools: []\n', '1:7 the " of line 1 is not closed; add " at the end of the text'],
  ["name: 'mine\ntools: []\n", "1:7 the ' of line 1 is not closed; add ' at the end of the text"],
  ["tools: [\n  { module: a },\n", "1:8 the [ of line 1 is not closed; add ]"],
  ["tools:\n  - { module: a\n  - { module: b }\n", "2:5 the { of line 2 is not closed; add }"],
  ['name: "a\\"b\ntools: []\n', '1:7 the " of line 1 is not closed; add " at the end of the text'],
  ['a: "x\\"y"\nname: "mine\n', '2:7 the " of line 2 is not closed; add " at the end of the text'],
  ["a: 'x\\'\nname: 'mine\n", "2:7 the ' of line 2 is not closed; add ' at the end of the text"],
  ['a: 1\ntools: ["b", c\n', "2:8 the [ of line 2 is not closed; add ]"],
  ["a: '[{'\nname: 'mine\n", "2:7 the ' of line 2 is not closed; add ' at the end of the text"],
  ['a: it\'s # "not\nname: "mine\n', '2:7 the " of line 2 is not closed; add " at the end of the text'],
])("of %j the mark that is not closed is named where it begins", (text, problem) => {
  expect(firstOf(text)).toBe(problem);
});

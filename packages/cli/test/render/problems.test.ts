import type { Problem } from "@toolmount/loader";
import { expect, test } from "vitest";
import { shortPath, writeProblems } from "../../src/render/problems.ts";
import { markedScreen } from "../support/marked-screen.ts";

const problem = { code: "PLAN_SYNTAX", message: "it is\u001b wrong\nin two lines" } as Problem;

test("a problem is shown with its place, the lines around it, and how to fix it", () => {
  const { screen, lines } = markedScreen();
  const frame = "  1 | a:\n> 2 |   b\u202e\n    |   ^\n  3 |  ^";
  const at = { file: "/work/plans/plan\u001b.yaml", line: 2, column: 3, path: "tools[0]" };
  writeProblems(screen, [{ ...problem, ...at, frame, hint: "write c\u001b" }, problem], "/work");
  expect(lines()).toEqual([
    "red(PLAN_SYNTAX) bold(plans/plan\\u001b.yaml:2:3)",
    "  it is\\u001b wrong",
    "  in two lines",
    "  dim(  1 | a:)",
    "  bold(> 2 |   b\u202e)",
    "  red(    |   ^)",
    "  dim(  3 |  ^)",
    "  cyan(hint:) write c\\u001b",
    "",
    "red(PLAN_SYNTAX)",
    "  it is\\u001b wrong",
    "  in two lines",
    "",
  ]);
});

test("a problem without a file has its path in the plan, and one of a module has the place in its code", () => {
  const { screen, lines } = markedScreen();
  const origin = { file: "/work/tool\u001b.ts", line: 7, column: 9, frame: "> 7 | x" };
  const message = "it threw (at /work/tool\u001b.ts:7:9) here";
  writeProblems(
    screen,
    [
      { ...problem, message: "bad", path: "tools[0]\u001b" },
      { ...problem, message, details: { origin } },
    ],
    "/work",
  );
  expect(lines()).toEqual([
    "red(PLAN_SYNTAX) bold(tools[0]\\u001b)",
    "  bad",
    "",
    "red(PLAN_SYNTAX)",
    "  it threw here",
    "  tool\\u001b.ts:7:9",
    "  bold(> 7 | x)",
    "",
  ]);
});

test("a long sentence and a long hint are broken at the width of the terminal", () => {
  const { screen, lines } = markedScreen(30);
  const text = "one two three four five six seven";
  writeProblems(screen, [{ ...problem, message: text, hint: text }], "/work");
  expect(lines()).toEqual([
    "red(PLAN_SYNTAX)",
    "  one two three four five six",
    "  seven",
    "  cyan(hint:) one two three",
    "  four five six seven",
    "",
  ]);
});

test.each([
  ["/work/a.yaml", "/work", "a.yaml"],
  ["/work/a.yaml", "/work/deep", "../a.yaml"],
  ["/a.yaml", "/work/deep", "/a.yaml"],
  ["/work", "/work", "/work"],
])("the path %s is shown in %s as %s", (path, cwd, shown) => {
  expect(shortPath(path, cwd)).toBe(shown);
});

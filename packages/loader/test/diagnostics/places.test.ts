import { describe, expect, test } from "vitest";
import { codeFrame } from "../../src/diagnostics/code-frame.ts";
import {
  findHistory,
  findPlace,
  findPosition,
  pathKey,
  showPath,
  type Path,
  type PlanMap,
} from "../../src/diagnostics/positions.ts";
import { createPlanText, positionAt } from "../../src/diagnostics/source-text.ts";

describe("a place in a text", () => {
  const text = createPlanText("plan.yaml", "ab\nc\n\nde");

  test.each([
    [0, 1, 1],
    [2, 1, 3],
    [3, 2, 1],
    [4, 2, 2],
    [5, 3, 1],
    [6, 4, 1],
    [8, 4, 3],
    [9, 4, 4],
  ])("the offset %i is in line %i, column %i", (offset, line, column) => {
    expect(positionAt(text, offset)).toEqual({ file: "plan.yaml", line, column });
  });

  test.each([
    [1, 1, ["> 1 | one", "    | ^", "  2 | two"]],
    [2, 3, ["  1 | one", "> 2 | two", "    |   ^", "  3 | three"]],
    [4, 1, ["  2 | two", "  3 | three", "> 4 | four", "    | ^"]],
    [5, 1, ["  3 | three", "  4 | four", "> 5 |", "    | ^"]],
  ])("the frame of line %i, column %i", (line, column, rows) => {
    const shown = codeFrame(createPlanText("p", "one\r\ntwo\nthree\nfour\n"), { line, column });
    expect(shown.split("\n")).toEqual(rows);
  });

  test("numbers of several digits stand under each other, and tabs are one blank", () => {
    const lines = Array.from({ length: 11 }, (_, at) => `\tl${at + 1}`).join("\n");
    expect(codeFrame(createPlanText("p", lines), { line: 9, column: 2 }).split("\n")).toEqual([
      "   7 |  l7",
      "   8 |  l8",
      ">  9 |  l9",
      "     |  ^",
      "  10 |  l10",
    ]);
  });

  test("of a long line 120 characters are shown, half of them before the place", () => {
    const row = (column: number) =>
      codeFrame(createPlanText("p", "0123456789".repeat(30)), { line: 1, column }).split("\n");

    expect(row(61)).toEqual([`> 1 | ${"0123456789".repeat(12)}`, `    | ${" ".repeat(60)}^`]);
    expect(row(62)).toEqual([`> 1 | ${"1234567890".repeat(12)}`, `    | ${" ".repeat(60)}^`]);
  });
});

describe("the place of a value", () => {
  const text = createPlanText("plan.yaml", "a:\n  b/c: x\n");
  const below = createPlanText("base.yaml", "a: 1\n");
  const map: PlanMap = new Map([
    ["", { text, value: 0 }],
    ["/a", { text, key: 0, value: 5 }],
    ["/a/b~1c", { text, key: 5, value: 10, over: { text: below, key: 0, value: 3 } }],
  ]);
  const at = (path: Path, part?: "key" | "value") => findPlace(map, path, part)?.offset;

  test("is that of the value, or of its key, or of the nearest key around it", () => {
    expect([at(["a", "b/c"]), at(["a", "b/c"], "key"), at(["a", "b/c", 0, "d"])]).toEqual([10, 5, 5]);
    expect([at(["a"]), at(["a", "z"]), at(["z"]), at([])]).toEqual([5, 0, 0, 0]);
    expect(findPlace(new Map(), ["a"])).toBeUndefined();
    expect(findPosition(map, ["a", "b/c"])).toEqual({ file: "plan.yaml", line: 2, column: 8 });
    expect(findPosition(new Map(), [])).toBeUndefined();
  });

  test("has its history, the newest first", () => {
    expect(findHistory(map, ["a", "b/c"])).toEqual([
      { file: "plan.yaml", line: 2, column: 3 },
      { file: "base.yaml", line: 1, column: 1 },
    ]);
    expect(findHistory(map, [])).toEqual([{ file: "plan.yaml", line: 1, column: 1 }]);
    expect(findHistory(map, ["z"])).toEqual([]);
  });

  test.each<[Path, string, string]>([
    [[], "", ""],
    [["tools", 0, "config"], "tools[0].config", "/tools/0/config"],
    [["a.b", "c d"], '"a.b"."c d"', "/a.b/c d"],
    [["$x-y_1"], "$x-y_1", "/$x-y_1"],
    [["a~b/c"], '"a~b/c"', "/a~0b~1c"],
    [["é".repeat(200)], `"${"é".repeat(100)}"`, `/${"é".repeat(200)}`],
  ])("the path %j is shown as %j", (path, shown, key) => {
    expect([showPath(path), pathKey(path)]).toEqual([shown, key]);
  });
});

import { expect, test } from "vitest";
import { codeFrame } from "../../src/diagnostics/code-frame.ts";
import { createPlanText, positionAt } from "../../src/diagnostics/source-text.ts";

test("a frame shows the lines around, with a caret under the place", () => {
  const text = createPlanText("plan.yaml", "version: 1\ntools:\n  - module: web\n    sorce: x\nname: mine\n");

  expect(codeFrame(text, { line: 4, column: 5 })).toBe(
    ["  2 | tools:", "  3 |   - module: web", "> 4 |     sorce: x", "    |     ^", "  5 | name: mine"].join(
      "\n",
    ),
  );
});

test("a long line is cut around the caret", () => {
  const text = createPlanText("plan.yaml", `a: "${"x".repeat(100_000)}!"`);
  const frame = codeFrame(text, positionAt(text, 100_004));

  expect(frame.length).toBeLessThan(400);
  expect(frame.split("\n")[1]?.indexOf("^")).toBe(frame.split("\n")[0]?.indexOf("!"));
});

test("a frame never sends a control character to a terminal", () => {
  const text = createPlanText("plan.yaml", "a: \u001B[2J\u202Egone\n");

  expect(codeFrame(text, { line: 1, column: 1 })).toContain("a: \uFFFD[2J\uFFFDgone");
});

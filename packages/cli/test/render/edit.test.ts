import { expect, test } from "vitest";
import type { EditReport } from "../../src/edit/edit-plan.ts";
import type { Shell } from "../../src/process/shell.ts";
import { reportEdit } from "../../src/render/edit.ts";
import { markedScreen } from "../support/marked-screen.ts";

/** What an edit prints, and with which code it ends. */
function edited(report: Partial<EditReport>, json = false, ...more: [object?, boolean?]) {
  const { screen, lines } = markedScreen();
  const codes: number[] = [];
  const shell = { out: screen, cwd: "/work", end: (code: number) => void codes.push(code) };
  const whole = { file: "/work/plan\u001b.yaml", added: [], removed: [], kept: [], ...report };
  reportEdit(whole, shell as unknown as Shell, json, ...more);
  return { lines: lines(), codes };
}

test("an edit says what was added, removed and kept, and ends well", () => {
  const lists = { added: ["a\u001b", "b"], removed: ["c"], kept: ["d"] };
  expect(edited(lists)).toEqual({
    lines: [
      "green(✔) plan\\u001b.yaml: added a\\u001b, b",
      "green(✔) plan\\u001b.yaml: removed c",
      "yellow(•) plan\\u001b.yaml: has already d",
    ],
    codes: [0],
  });
  expect(edited({})).toEqual({ lines: [], codes: [0] });
  expect(edited({ added: ["a"] }, false, {}, true).lines).toEqual(["green(✔) plan\\u001b.yaml: would get a"]);
});

test("an edit as JSON has the report, and more where the command has more", () => {
  const { lines, codes } = edited({ added: ["a"] }, true, { dryRun: true });
  expect([JSON.parse(lines.join("\n")), codes]).toEqual([
    { file: "/work/plan\u001b.yaml", added: ["a"], removed: [], kept: [], dryRun: true },
    [0],
  ]);
});

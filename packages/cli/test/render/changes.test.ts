import type { SessionChange, UndoReport } from "@toolmount/core";
import type { LockChange } from "@toolmount/loader";
import { expect, test } from "vitest";
import { writeChanges, writeUndo } from "../../src/render/changes.ts";
import { writeDrift, writeLockChanges } from "../../src/render/lock-changes.ts";
import type { Screen } from "../../src/screen/screen.ts";
import { markedScreen } from "../support/marked-screen.ts";

function written(write: (screen: Screen) => void): string[] {
  const { screen, lines } = markedScreen();
  write(screen);
  return lines();
}

const change = (number: number, more: object = {}): SessionChange =>
  ({
    number,
    tool: "pay\u0007",
    arguments: { to: "a" },
    isUndone: false,
    ...more,
  }) as unknown as SessionChange;

test("changes are a table with their numbers and states", () => {
  const rows = written((screen) =>
    writeChanges(screen, [
      change(1),
      change(2, { isUndone: true }),
      change(3, { undoBegan: true, isUndone: true }),
      change(4, { irreversible: "it is sent", undoBegan: true }),
      change(5, { sessionId: "agent-1" }),
    ]),
  );

  expect(rows[0]!.match(/dim\(\w+\)/g)).toEqual(["dim(number)", "dim(state)", "dim(tool)", "dim(arguments)"]);
  const cells = ["cyan(pay\\u0007)", '{"to":"a"}'];
  expect(rows.slice(1).map((row) => row.split(/ {2,}/))).toEqual([
    ["1", "green(can be undone)", ...cells],
    ["2", "undone", ...cells],
    ["3", "yellow(undo began)", ...cells],
    ["4", "yellow(cannot be undone)", ...cells],
    ["agent", "green(can be undone)", ...cells],
  ]);
  expect(written((screen) => writeChanges(screen, []))).toEqual(["no change that could be undone"]);
});

const report = (more: object): UndoReport => ({
  undone: [],
  stopped: null,
  left: [],
  irreversible: [],
  isPartial: false,
  ...more,
});

test("an undo says what it did, what stopped it, and what stays", () => {
  const stopped = (code: string) => ({
    change: change(2),
    outcome: { result: { error: "it\nfailed", code } },
    later: [change(3)],
  });

  expect(
    written((screen) =>
      writeUndo(
        screen,
        report({
          undone: [change(4)],
          stopped: stopped("CHANGED_SINCE"),
          irreversible: [change(5, { irreversible: "it is\nsent" })],
          isPartial: true,
          left: [change(1), change(2)],
        }),
      ),
    ),
  ).toEqual([
    'green(✔) 4 pay\\u0007 {"to":"a"}',
    'red(✖) 2 pay\\u0007 {"to":"a"}: it\\nfailed',
    '  changed since by 3 pay\\u0007 {"to":"a"}',
    'yellow(!) 5 pay\\u0007 {"to":"a"} stays: it is\\nsent',
    "older changes of this session are no longer kept",
    "1 change undone, 2 left",
  ]);
  expect(written((screen) => writeUndo(screen, report({ stopped: stopped("OUTCOME_UNKNOWN") })))[1]).toBe(
    "  its undo began in a process that died or stalled: look, then add --unclear done or --unclear repeat",
  );
  expect(written((screen) => writeUndo(screen, report({})))).toEqual(["0 changes undone"]);
});

const differs = (path: string, before: unknown, now: unknown, more: object = {}) => ({
  path,
  before,
  now,
  ...more,
});

test("a lock's changes show each value before and now, without the lines that are equal", () => {
  const changes = [
    {
      tool: "pay\u0007",
      change: "changed",
      before: { module: "@acme/pay", version: "1.0.0" },
      now: { module: "@acme/bank", version: "2.0.0" },
      differences: [
        differs("description", "a\nb\nc\nd\u0007", "a\nx\ny\nd\u0007"),
        differs("requiresConfirmation", true, false, { isMilder: true }),
        differs("consequenceLevel", "high", "low", { isMilder: true }),
        differs("summary", undefined, "new"),
        differs("usage", "a\na", "a"),
        differs("schema", { a: 1 }, { a: 2 }),
      ],
    },
    {
      tool: "old",
      change: "removed",
      before: { module: "m", version: "1.0.0" },
      now: undefined,
      differences: [],
    },
    {
      tool: "same",
      change: "changed",
      before: { module: "m", version: "1.0.0" },
      now: { module: "m", version: "1.0.0" },
      differences: [],
    },
    { tool: "none", change: "added", before: undefined, now: undefined, differences: [] },
  ] as unknown as LockChange[];
  const lines = [
    "  yellow(changed) pay\\u0007  @acme/bank 1.0.0 → 2.0.0",
    "    bold(description)",
    "      red(- b)",
    "      red(- c)",
    "      green(+ x)",
    "      green(+ y)",
    "    bold(requiresConfirmation)bold+red(  ⚠ it asks less than before)",
    "      red(- true)",
    "      green(+ false)",
    "    bold(consequenceLevel)bold+red(  ⚠ it says that it is milder than before)",
    "      red(- high)",
    "      green(+ low)",
    "    bold(summary)",
    "      green(+ new)",
    "    bold(usage)",
    "      red(- a)",
    "    bold(schema)",
    '      red(-   "a": 1)',
    '      green(+   "a": 2)',
    "  yellow(removed) old  m 1.0.0",
    "  yellow(changed) same  m 1.0.0",
    "  yellow(added  ) none",
  ];

  expect(written((screen) => writeLockChanges(screen, changes))).toEqual(lines);
  expect(written((screen) => writeDrift(screen, changes))).toEqual([
    "yellow(  ⚠ 3 tools changed since the lock file, and 1 tool is not in it; calls of changed and added tools are denied:)",
    ...lines,
    "  review the changes, then run bold(toolmount lock --accept)",
  ]);
  expect(written((screen) => writeDrift(screen, []))).toEqual([]);
});

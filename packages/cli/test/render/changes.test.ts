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

const pay = {
  tool: "pay\u0007",
  change: "changed",
  before: { module: "@acme/pay", version: "1.0.0" },
  now: { module: "@acme/bank", version: "2.0.0" },
  differences: [
    differs("description", "a\nb\nc\nd\u0007", "a\nx\ny\nd\u0007"),
    differs("requiresConfirmation", true, false, { care: "less" }),
    differs("consequenceLevel", "high", "low", { care: "less" }),
    differs("summary", undefined, "new"),
    differs("usage", "a\na", "a"),
    differs("schema", { a: 1 }, { a: 2 }),
  ],
};

test("a lock's changes show each value before and now, without the lines that are equal", () => {
  const lines = [
    "bold(@acme/bank 1.0.0 → 2.0.0)  1 tool",
    "  yellow(changed) pay\\u0007",
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
    "bold()  1 tool",
    "  yellow(added  ) none",
  ];
  const none = { tool: "none", change: "added", differences: [] };
  const changes = [pay, none] as unknown as LockChange[];

  expect(written((screen) => writeLockChanges(screen, changes))).toEqual(lines);
  expect(written((screen) => writeDrift(screen, changes))).toEqual([
    "yellow(  ⚠ 1 tool changed since the lock file, and 1 tool is not in it; calls of changed and added tools are denied:)",
    ...lines,
    "  review the changes, then run bold(toolmount lock --accept)",
  ]);
  expect(written((screen) => writeDrift(screen, []))).toEqual([]);
});

test("what an upgrade changed is shown by module: what needs care first, and the same change once", () => {
  const module = { module: "m", version: "1" };
  const definition = (category: string, consequenceLevel: string) => ({
    definition: { category, consequenceLevel },
  });
  const changed = (tool: string, ...differences: object[]) => ({
    tool,
    change: "changed",
    before: module,
    now: { ...module, version: "2" },
    differences,
  });
  const added = (tool: string, ...[category, level]: [string, string]) => ({
    tool,
    change: "added",
    now: { ...module, ...definition(category, level) },
    differences: [],
  });
  const more = differs("limit", undefined, 1);
  const changes = [
    changed("a", more),
    { tool: "b", change: "removed", before: module, differences: [] },
    changed("c", more),
    added("d", "read", "low"),
    added("e", "delete", "high"),
    changed("f", differs("category", "read", "delete", { care: "more" })),
    changed("g", differs("category", "delete", "read", { care: "less" })),
    { tool: "h", change: "removed", before: module, differences: [] },
  ] as unknown as LockChange[];

  expect(written((screen) => writeLockChanges(screen, changes))).toEqual([
    "bold(m 1 → 2)  8 tools",
    "  yellow(changed) g",
    "    bold(category)bold+red(  ⚠ it says that it is milder than before)",
    "      red(- delete)",
    "      green(+ read)",
    "  yellow(changed) f",
    "    bold(category)bold+yellow(  ⚠ it needs more care)",
    "      red(- read)",
    "      green(+ delete)",
    "  yellow(added  ) e  dim(delete, high)",
    "  yellow(added  ) d  dim(read, low)",
    "  yellow(changed) a, c",
    "    bold(limit)",
    "      green(+ 1)",
    "  yellow(removed) b",
    "  yellow(removed) h",
  ]);
});

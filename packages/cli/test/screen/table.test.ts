import fc from "fast-check";
import { expect, test } from "vitest";
import { createScreen } from "../../src/screen/screen.ts";
import { widthOf, writeTable, type Column } from "../../src/screen/table.ts";

interface Row {
  readonly name: string;
  readonly text: string;
}

const columns = [
  { title: "name", cell: ({ name }: Row) => name },
  { title: "text", cell: ({ text }: Row) => text },
];

/** The lines of a table on a terminal so many columns wide; undefined is no terminal. */
function draw(
  rows: readonly Row[],
  width: number | undefined,
  drawn: readonly Column<Row>[] = columns,
): string[] {
  let written = "";
  const sink = { isTTY: width !== undefined, columns: width, write: (text: string) => (written += text) };
  writeTable(createScreen(sink, { NO_COLOR: "1" }), drawn, rows);
  return written.split("\n").slice(0, -1);
}

const rows = [
  { name: "a", text: "short" },
  { name: "long_name", text: "a text that is longer than there is room for it" },
];

test("without a terminal nothing is cut", () => {
  expect(draw(rows, undefined)).toEqual([
    "name       text",
    "a          short",
    "long_name  a text that is longer than there is room for it",
  ]);
});

test("a terminal cuts the last column", () => {
  expect(draw(rows, 44).at(-1)).toBe("long_name  a text that is longer than there…");
});

test("a narrow terminal has the last column on a line of its own", () => {
  expect(draw(rows, 30)).toEqual([
    "name",
    "  text",
    "a",
    "  short",
    "long_name",
    "  a text that is longer than…",
  ]);
});

test("East Asian signs and emoji take two columns", () => {
  expect(widthOf("東京🎉a")).toBe(7);
  expect(
    draw(
      [
        { name: "東京", text: "x" },
        { name: "abcde", text: "y" },
      ],
      undefined,
    ),
  ).toEqual(["name   text", "東京   x", "abcde  y"]);
});

test("no line is wider than the terminal, as long as the other columns fit", () => {
  const row = fc.record({
    name: fc.string({ maxLength: 10, unit: "grapheme-ascii" }),
    text: fc.string({ unit: "grapheme" }),
  });
  fc.assert(
    fc.property(fc.array(row), fc.integer({ min: 16, max: 120 }), (drawn, width) => {
      const safe = drawn.map(({ name, text }) => ({ name, text: text.replaceAll(/\p{C}/gu, "") }));
      for (const line of draw(safe, width)) expect(widthOf(line)).toBeLessThanOrEqual(width);
    }),
  );
});

test.each([24, 30, 44, 60, undefined])("a whole last column keeps each word at %s columns", (width) => {
  const whole: Column<Row>[] = [columns[0]!, { ...columns[1]!, whole: true }];
  const lines = draw(rows, width, whole);
  const words = lines.flatMap((line) => line.trim().split(/\s+/));

  expect(words).toEqual(["name", "text", ...rows.flatMap(({ name, text }) => [name, ...text.split(" ")])]);
  expect(lines.every((line) => line.length <= (width ?? Number.POSITIVE_INFINITY))).toBe(true);
});

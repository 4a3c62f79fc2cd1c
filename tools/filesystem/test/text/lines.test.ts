import fc from "fast-check";
import { expect, test } from "vitest";
import { pageOf } from "../../src/text/lines.ts";

const all = { offset: 1, limit: 2_000, maxBytes: 100_000, column: 1 };

test("lines have their numbers in six columns, and a tab", () => {
  expect(pageOf("a\nb\n", all)).toEqual({
    content: "     1\ta\n     2\tb",
    totalLines: 2,
    linesRead: 2,
    wasCut: false,
    hidden: 0,
  });
  expect(pageOf("a\r\n\r\nb", { ...all, offset: 2, limit: 1 })).toEqual({
    content: "     2\t",
    totalLines: 3,
    linesRead: 1,
    wasCut: false,
    hidden: 0,
  });
});

test("a page after the end of the text is empty, and says how long the text is", () => {
  expect(pageOf("a\nb", { ...all, offset: 3 })).toEqual({
    content: "",
    totalLines: 2,
    linesRead: 0,
    wasCut: false,
    hidden: 0,
  });
  expect(pageOf("", all)).toMatchObject({ totalLines: 0, linesRead: 0 });
  expect(pageOf("\n", all)).toMatchObject({ totalLines: 1, content: "     1\t" });
});

test("a page ends before the line that does not fit in its bytes, but has always one", () => {
  const rows = "é\né\né"; // a row has six columns, a tab, two bytes and the end of the line
  expect(pageOf(rows, { ...all, maxBytes: 30 })).toMatchObject({ linesRead: 3, wasCut: false });
  expect(pageOf(rows, { ...all, maxBytes: 29 })).toMatchObject({ linesRead: 2, wasCut: true });
  expect(pageOf(rows, { ...all, maxBytes: 1 })).toMatchObject({ linesRead: 1, wasCut: true });
});

test("a line of more than 2,000 characters says how its rest is read, and no character is cut in two", () => {
  const most = "x".repeat(2_000);
  expect(pageOf(most, all).content).toBe(`     1\t${most}`);
  expect(pageOf(`${most}y`, all).content).toBe(
    `     1\t${most}... [1 more characters: offset 1, column 2001]`,
  );
  const astral = pageOf(`${"x".repeat(1_999)}😀`, all).content;
  expect(astral).toBe(`     1\t${"x".repeat(1_999)}... [2 more characters: offset 1, column 2000]`);
});

test("every character of a file of long lines can be read, by what each page says", () => {
  const line = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
    .map((unit) => unit.replaceAll(/[\r\n]/g, "") || "x");
  fc.assert(
    fc.property(fc.array(fc.tuple(line, fc.nat(400)), { minLength: 1, maxLength: 4 }), (parts) => {
      const lines = parts.map(([unit, times]) => unit.repeat(times + 1));
      const read = lines.map((_line, index) => {
        let text = "";
        for (let column = 1; ;) {
          const range = { offset: index + 1, limit: 1, maxBytes: 3000, column };
          const { content } = pageOf(lines.join("\r\n"), range);
          const more = /\.\.\. \[\d+ more characters: offset \d+, column (\d+)\]$/.exec(content);
          text += content.slice(7, more?.index);
          if (more === null) return text;
          column = Number(more[1]);
        }
      });
      expect(read).toEqual(lines);
    }),
  );
});

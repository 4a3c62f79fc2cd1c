import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText, printable, printableLines } from "../../src/screen/printable.ts";
import { root } from "../support/workspace.ts";

test.each([
  ["a\u001b[31mred", String.raw`a\u001b[31mred`],
  ["bidi \u202e override", String.raw`bidi \u202e override`],
  ["tag \u{e0041}", String.raw`tag \udb40\udc41`],
  ["two\nlines\tand\r", String.raw`two\nlines\tand\r`],
  ["half \ud83d", String.raw`half \ud83d`],
  ["byte \u{10ffe9}, private \u{100000}", String.raw`byte \xe9, private \udbc0\udc00`],
  ["C1 \u009b31m", String.raw`C1 \u009b31m`],
  ["Ünïcödé, 東京, 👩‍💻, می‌خواهم", "Ünïcödé, 東京, 👩‍💻, می‌خواهم"],
])("%j is shown as %s", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test("lines may be kept", () => {
  expect(printableLines("a\r\n\tb\u0007")).toBe(String.raw`a
	b\u0007`);
});

test("JSON says the same with everything invisible escaped", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = jsonText(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text).not.toMatch(/[^\n\P{C}]|[\p{Zl}\p{Zp}\p{Variation_Selector}]/u);
    }),
  );
});

interface Page {
  escapeHidden(text: string): string;
  piecesOf(text: string, isJson: boolean): readonly (string | { readonly shown: string })[];
}

test("the operators' page shows every character as the terminal does", async () => {
  const page = (await import(join(root, "packages/page/dist/ui/hidden.js"))) as Page;
  const asJson = (value: unknown) =>
    page
      .piecesOf(JSON.stringify(value, null, 2), true)
      .map((piece) => (typeof piece === "string" ? piece : piece.shown))
      .join("");
  const different: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    const text = `x${String.fromCodePoint(point)}y`;
    const isSame = page.escapeHidden(text) === printableLines(text) && asJson([text]) === jsonText([text]);
    if (!isSame) different.push(point.toString(16));
  }

  expect(different).toEqual([]);
  const marks = fc.string({
    unit: fc.constantFrom("a", "\u202e", "\u200d", "\ud83d", "\u{e0041}", "\ufe0f", "\n", "é"),
  });
  fc.assert(
    fc.property(marks, (text) => {
      expect(page.escapeHidden(text)).toBe(printableLines(text));
      expect(asJson({ [text]: [text] })).toBe(jsonText({ [text]: [text] }));
    }),
  );
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { htmlToMarkdown, htmlToText } from "../../src/text/html.ts";
import { measurePage } from "../../src/text/measure.ts";

const bareTextWarning = "the page is too large to be laid out; this is its bare text";

/** Pages, each with its Markdown below a line of dashes. */
const pages = readFileSync(join(import.meta.dirname, "html-pages.txt"), "utf8")
  .trim()
  .split(/^=== /m)
  .slice(1)
  .map((group) => {
    const [title = "", ...rest] = group.trimEnd().split("\n");
    const [source = "", markdown = ""] = `\n${rest.join("\n")}`.split("\n-----");
    return { title, source: source.slice(1), markdown: markdown.slice(1) };
  });

test.each(pages)("$title", ({ source, markdown }) => {
  expect(htmlToMarkdown(source, "https://example.com/dir/page")).toEqual({ text: markdown, warnings: [] });
});

const url = "https://example.com/";

/** Pages at a limit, and one beyond it. */
const limits = [
  { title: "30000 tags", page: (by: number) => `${"<!---->".repeat(29_999 + by)}<b>x` },
  { title: "400 elements deep", page: (by: number) => `${"<i>".repeat(400 + by)}x` },
  { title: "a tag of 20000 characters", page: (by: number) => `<a b="${"c".repeat(19_993 + by)}">x` },
];

test.each(limits)("a page with $title is laid out, and becomes its bare text with one more", ({ page }) => {
  expect(htmlToMarkdown(page(0), url).warnings).toEqual([]);
  expect(htmlToMarkdown(page(1), url)).toEqual({ text: "x", warnings: [bareTextWarning] });
});

test("of a page of more than 2000000 characters, the rest is not read", () => {
  const page = (by: number) => `<p>${"x".repeat(1_999_997 + by)}`;

  expect(htmlToMarkdown(page(0), url)).toEqual({ text: "x".repeat(1_999_997), warnings: [] });
  expect(htmlToMarkdown(page(1), url)).toEqual({
    text: "x".repeat(1_999_997),
    warnings: ["the page is longer than 2000000 characters; the rest was not read"],
  });
  expect(htmlToText(page(1))).toEqual({
    text: "x".repeat(1_999_997),
    warnings: ["the page is longer than 2000000 characters; the rest was not read", bareTextWarning],
  });
});

test("an article is looked for in a page of 10000 tags, and not in a larger one", () => {
  const sentence = "The article says something that is worth reading, with commas, and at length.";
  const article = `<article><p>${`${sentence} `.repeat(20)}</p></article>`;
  const page = (tags: number) =>
    `<html><body><div class="sidebar">beside</div>${article}${"<!---->".repeat(tags - 10)}</body></html>`;

  expect(htmlToMarkdown(page(10_000), url).text).not.toContain("beside");
  expect(htmlToMarkdown(page(10_001), url).text).toContain("beside");
});

test("without the search for an article, the main part is read, and a title is not repeated", () => {
  const large = "<!---->".repeat(10_001);
  const page = (title: string) =>
    `<title>${title}</title><p>before</p><main><h1>Guide</h1><p>Text</p>${large}</main>`;

  expect(htmlToMarkdown(page("Guide"), url).text).toBe("# Guide\n\nText");
  expect(htmlToMarkdown(page("Other"), url).text).toBe("# Other\n\n# Guide\n\nText");
});

test("rows of up to 100 cells stay rows, longer ones become lines before their table", () => {
  const line = (cells: number) => Array.from({ length: cells }, () => "c").join(" | ");
  const page = (cells: number) =>
    `<p>before</p><table><tr><th>a</th></tr><tr>${"<td> c </td>".repeat(cells)}</tr></table><p>after</p>`;

  expect(htmlToMarkdown(page(101), url).text).toBe(`before\n\n${line(101)}\n\na\n\nafter`);
  expect(htmlToMarkdown(page(100), url).text).toMatch(
    /^before\n\n\| a {3}\|\n\| --- \|.*\n(\| c {3}){100}\|\n\nafter$/,
  );
});

test("of a table of more than 4000 cells, each row becomes a line", () => {
  const table = `<table><tr><th>a</th><th>b</th></tr>${"<tr><td>c</td><td>d</td></tr>".repeat(2000)}</table>`;

  expect(htmlToMarkdown(table, url).text).toBe(
    ["a | b", ...Array.from({ length: 2000 }, () => "c | d")].join("\n\n"),
  );
});

test.each([
  ["<p>a</p><p>b</p>", "a b"],
  ["a<script>x</script>b<style type='a'>y</style >c", "a b c"],
  ["<SCRIPT src=a>x\ny</SCRIPT>b", "b"],
  ["<scripted>a", "a"],
  ["a \t b", "a b"],
  ["a  \n  \n b", "a\nb"],
  ["a < b > c", "a c"],
  ["", ""],
])("the bare text of %j is %j", (html, text) => {
  expect(htmlToText(html)).toEqual({ text, warnings: [bareTextWarning] });
});

test.each([
  ["", [0, 0, 0, 0]],
  ["text", [0, 0, 0, 0]],
  ["<", [1, 0, 0, 0]],
  ["<<<", [3, 0, 0, 0]],
  ["< p>", [1, 0, 0, 0]],
  ["<b>", [1, 1, 2, 0]],
  ["<b><i></i></b>", [4, 2, 3, 0]],
  ["<b></b><i></i>", [4, 1, 3, 0]],
  ["</b></b><i>", [3, 1, 3, 0]],
  ["<b/><i/>", [2, 0, 3, 0]],
  ["<p><li><dt><dd><tr><td><th><thead><tbody><tfoot>", [10, 0, 6, 2]],
  ["<option><optgroup><colgroup><rt><rp><html><head><body>", [8, 0, 9, 0]],
  ["<area><base><br><col><embed><hr><img><input><link><meta><param><source><track><wbr>", [14, 0, 7, 0]],
  ["<BR><B>", [2, 1, 3, 0]],
  ["<td>a</td><TH>b</TH>", [4, 0, 4, 2]],
  ['<a href="x">y', [1, 1, 11, 0]],
  ["<a href", [1, 1, 7, 0]],
  ["<a href<b>", [2, 2, 7, 0]],
  ["<!-- c --><b>", [2, 1, 2, 0]],
  ["<h1>", [1, 1, 3, 0]],
])("the cost of %j is %j: tags, depth, longest tag and cells", (html, cost) => {
  expect(Object.values(measurePage(html))).toEqual(cost);
});

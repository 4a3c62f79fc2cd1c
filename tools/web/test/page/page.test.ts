import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { measurePage } from "../../src/page/measure.ts";
import { layOutPage } from "../../src/page/page.ts";
import { readBareText, readPage } from "../../src/page/read-page.ts";

const options = { url: "https://example.com/dir/page", isXml: false, whole: false };
const read = (html: string, more = {}) => layOutPage(html, { ...options, ...more });

/**
 * Pages, each with what its text must have below a line of dashes, a line each. `\n` is a line end, and a line
 * that begins with `!` names what the text must not have.
 */
function pagesOf(file: string) {
  return readFileSync(join(import.meta.dirname, file), "utf8")
    .trim()
    .split(/^=== /m)
    .slice(1)
    .map((group) => {
      const [title = "", ...rest] = group.trimEnd().split("\n");
      const [source = "", facts = ""] = rest.join("\n").split("\n-----\n");
      return { title, source, facts: facts.split("\n").map((fact) => fact.replaceAll(String.raw`\n`, "\n")) };
    });
}

test.each([...pagesOf("documentation.txt"), ...pagesOf("pages.txt")])("$title", ({ source, facts }) => {
  const { text } = read(source);

  for (const fact of facts) {
    if (/^![^[]/.test(fact)) expect(text).not.toContain(fact.slice(1));
    else expect(text).toContain(fact);
  }
});

test("what stands around the main part is left out, counted by its kind, and read with whole", () => {
  const page =
    "<body><nav>Menu</nav><header>Logo</header><aside>Ads</aside><main><p>The text is long enough.</p><p hidden>x</p></main><div>Cookies</div><footer>Imprint</footer></body>";
  const leftOut = { "hidden text": 1, navigation: 4, "page header": 4, aside: 3, "page footer": 7 };

  expect(read(page)).toMatchObject({
    text: "The text is long enough.",
    leftOut: { ...leftOut, "text beside the main part": 7 },
  });
  expect(read(page, { whole: true })).toMatchObject({
    text: "Menu\n\nLogo\n\nAds\n\nThe text is long enough.\n\nCookies\n\nImprint",
    leftOut: { "hidden text": 1 },
  });
});

test("a title stands before the text, unless the text has it as its heading", () => {
  expect(read("<title> A  guide </title><p>Text</p>").text).toBe("# A guide\n\nText");
  expect(read("<title>Guide</title><h1>Guide</h1><p>Text</p>").text).toBe("# Guide\n\nText");
  expect(read("<title> </title><p>Text</p>").text).toBe("Text");
});

test.each([
  ["", "the page has no text"],
  [
    "<title>App</title><div id=root></div><script src=a.js></script>",
    "the page shows its text only by scripts",
  ],
  ["<script>location.href = '/next'</script>", "it sends its reader to https://example.com/next"],
  [
    '<script>window.location.replace("next?a=1")</script>',
    "it sends its reader to https://example.com/dir/next?a=1",
  ],
])("the page %j has nothing to read: %s", (html, lack) => {
  expect(read(html).lack).toContain(lack);
});

test.each([
  ["0; url=/docs/", "https://example.com/docs/"],
  ["0;URL='/docs/'", "https://example.com/docs/"],
  ["5, https://b.test/", "https://b.test/"],
  ["300; url=/again", undefined],
  ["0; url=javascript:x()", undefined],
  ["60", undefined],
])("a refresh of %j leads to %j", (content, address) => {
  const page = read(`<meta http-equiv="Refresh" content="${content}"><p>Redirecting</p>`);

  expect(page.destination?.address).toBe(address);
});

test("a page with little text that wants scripts says so", () => {
  expect(read("<noscript>Please enable JavaScript.</noscript><script src=a.js></script>").warnings).toEqual([
    "the page has only 25 characters without its scripts; what they add was not read",
  ]);
  expect(read("<p>Hello</p>").warnings).toEqual([]);
  expect(read(`<p>${"Long text. ".repeat(30)}</p><script src=a.js></script>`).warnings).toEqual([]);
});

test("XHTML is read as XHTML: an empty script ends where it stands", () => {
  const page = "<p>one</p><script src='a.js'/><p>two<br/>three <![CDATA[a < b]]></p><div/><p>end</p>";

  expect(read(page, { isXml: true }).text).toBe("one\n\ntwo\nthree a < b\n\nend");
});

test("links are absolute, by the page's base, and those that a reader cannot follow are text", () => {
  const links =
    '<a href="a">1</a> <a href="//c.org/d_(e)">2</a> <a href="#f">3</a> <a href="mailto:h@i.org">4</a> <a href="javascript:x()">5</a> <a>6</a>';

  expect(read(links).text).toBe(
    "[1](https://example.com/dir/a) [2](<https://c.org/d_(e)>) [3](https://example.com/dir/page#f) [4](mailto:h@i.org) 5 6",
  );
  expect(read(`<base href="/docs/">${links}`).text).toContain("[1](https://example.com/docs/a)");
  expect(read(`<base href="http://[">${links}`).text).toContain("[1](https://example.com/dir/a)");
});

test("spans of any size cost no more than the table may have", () => {
  const wide =
    "<table><tr><th colspan=10000000 rowspan=9999999>wide</th></tr><tr><td>1</td><td>2</td></tr></table>";

  expect(read(wide).text.length).toBeLessThan(10_000);
});

const bareTextWarning = "the page is too large to be laid out; this is its bare text";

test.each([
  { title: "100000 tags", page: (by: number) => `${"<!---->".repeat(99_999 + by)}<b>x` },
  { title: "400 elements deep", page: (by: number) => `${"<i>".repeat(400 + by)}x` },
  { title: "a tag of 20000 attributes", page: (by: number) => `<a${" b".repeat(20_000 + by)}>x` },
])("a page with $title is laid out, and becomes its bare text with one more", ({ page }) => {
  expect(readPage(page(0), options).warnings).toEqual([]);
  expect(readPage(page(1), options)).toMatchObject({ text: "x", warnings: [bareTextWarning] });
});

test("elements that nest without being counted become bare text", () => {
  expect(readPage(`${"<p><button>".repeat(300)}${"<rt>".repeat(20_000)}x`, options).text).toContain("x");
});

test("of a page of more than 2000000 characters, the rest is not read", () => {
  const page = (by: number) => `<p>${"x".repeat(1_999_997 + by)}`;

  expect(readPage(page(0), options).leftOut).toEqual({});
  expect(readPage(page(1), options)).toMatchObject({
    text: "x".repeat(1_999_997),
    leftOut: { "source after the first 2000000 characters": 1 },
  });
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
  expect(readBareText(html)).toMatchObject({ text, warnings: [bareTextWarning] });
});

test.each([
  ["", [0, 0, 0]],
  ["text", [0, 0, 0]],
  ["<", [1, 0, 0]],
  ["<<<", [3, 0, 0]],
  ["< p>", [1, 0, 0]],
  ["<b><i></i></b>", [4, 2, 0]],
  ["</b></b><i>", [3, 1, 0]],
  ["<b/><i/>", [2, 0, 0]],
  ["<p><li><dt><dd><tr><td><th><thead><tbody><tfoot>", [10, 0, 0]],
  ["<area><base><br><col><embed><hr><img><input><link><meta><param><source><track><wbr>", [14, 0, 0]],
  ['<a href="x" b>y z', [1, 1, 2]],
  ["<a href<b\tc>", [2, 2, 1]],
  ["<!-- c --><b>", [2, 1, 0]],
])("the cost of %j is %j: tags, depth and attributes of one tag", (html, cost) => {
  expect(Object.values(measurePage(html))).toEqual(cost);
});

import { createWebFetch, type Settings } from "@toolmount/tool-web";
import { expect, test } from "vitest";
import { pdfOf } from "./pdf.ts";
import { serve } from "./world.ts";

/** What a body of a type becomes. */
async function read(body: string | Buffer, type: string | null, settings: Settings = {}) {
  const { port, url } = await serve((_request, response) =>
    response.writeHead(200, type === null ? {} : { "content-type": type }).end(body),
  );
  // A reader starts a thread, which takes its time on a machine under load.
  const patient = { timeout: 600, extract_timeout: 600 };
  const tool = createWebFetch({ allow_private: true, allowed_ports: [port], ...patient, ...settings });
  const result = await tool.execute({ url: url("/dir/page.html") });
  return { ...result, base: url("/") };
}

async function textOf(body: string | Buffer, type: string | null = "text/html", settings: Settings = {}) {
  const { data } = await read(body, type, settings);
  return (data as { content: string } | undefined)?.content;
}

test("a page becomes Markdown: title, headings, lists, code, tables, and links made absolute", async () => {
  const { data, base } = await read(
    `<!doctype html><title>Guide</title><nav><a href="/">Home</a></nav><main><h1>Start</h1>
     <p>Read <a href="../next?a=1">the <b>next</b> page</a>.</p><ul><li>one</li><li>two</li></ul>
     <pre><code class="language-js">let a = 1;</code></pre>
     <table><thead><tr><th>k</th><th>v</th></tr></thead><tbody><tr><td>a</td><td>1</td></tr></tbody></table>
     <img src="pic.png" alt="A picture"></main><footer>Imprint</footer>`,
    "text/html; charset=utf-8",
  );

  expect((data as { content: string }).content).toBe(
    [
      "# Guide",
      "# Start",
      `Read [the **next** page](${base}next?a=1).`,
      "- one\n- two",
      "```js\nlet a = 1;\n```",
      "| k | v |\n| --- | --- |\n| a | 1 |",
      `![A picture](${base}dir/pic.png)`,
    ].join("\n\n"),
  );
});

test("scripts, styles and hidden elements are not read; a form and what stands there without scripts are", async () => {
  const content = await textOf(
    `<body><script>alert("s")</script><style>p{color:red}</style><noscript>n</noscript><template>t</template>
     <p hidden>h</p><p aria-hidden="true">i</p><form><input value="f"></form><p>seen</p><!-- c --></body>`,
  );

  expect(content).toBe("n\n\nf\n\nseen");
});

test("an article is found among its surroundings", async () => {
  const paragraph = `<p>${"The article says something that is worth reading, with commas, and at length. ".repeat(8)}</p>`;
  const content = await textOf(
    `<body><div class="sidebar"><a href="/x">promoted</a></div><article><h2>Story</h2>${paragraph.repeat(5)}</article>
     <div class="comments">first!</div></body>`,
  );

  expect(content).toContain("worth reading");
  expect(content).not.toContain("promoted");
});

test("a page that is no article keeps all of its text", async () => {
  const rows = Array.from(
    { length: 40 },
    (_, at) => `<div><a href="/item/${at}">Item ${at}</a> <span>${at} EUR</span></div>`,
  );
  const content = await textOf(`<body><div class="list">${rows.join("")}</div></body>`);

  for (const at of [0, 20, 39]) expect(content).toContain(`Item ${at}`);
});

test("links that a reader cannot follow become text", async () => {
  const content = await textOf(
    `<main><a href="javascript:alert(1)">a</a> <a href="data:text/html,x">b</a> <a href="http://[">c</a> <a href="mailto:me@example.com">d</a></main>`,
  );

  expect(content).toBe("a b c [d](mailto:me@example.com)");
});

test("a base element decides what links are relative to", async () => {
  expect(await textOf(`<base href="https://example.com/docs/"><main><a href="a">a</a></main>`)).toBe(
    "[a](https://example.com/docs/a)",
  );
});

const umlauts = (charset: string) => Buffer.from(`<meta charset="${charset}"><p>größe</p>`, "latin1");

test.each([
  ["the header", Buffer.from("<p>größe</p>", "latin1"), "text/html; charset=iso-8859-1", "größe"],
  ["the header over the page", umlauts("utf-8"), "text/html; charset=windows-1252", "größe"],
  ["the page itself", umlauts("iso-8859-1"), "text/html", "größe"],
  ["UTF-8 without a label, if it fits", Buffer.from("<p>größe</p>"), "text/html", "größe"],
  [
    "windows-1252 without a label, if it does not",
    Buffer.from("<p>größe</p>", "latin1"),
    "text/html",
    "größe",
  ],
  ["a byte order mark", Buffer.from("\ufeff<p>größe</p>", "utf16le"), "text/html; charset=utf-8", "größe"],
  [
    "Shift_JIS",
    Buffer.from([0x3c, 0x70, 0x3e, 0x93, 0xfa, 0x96, 0x7b]),
    "text/html; charset=shift_jis",
    "日本",
  ],
  ["GBK", Buffer.from([0x3c, 0x70, 0x3e, 0xd6, 0xd0]), "text/html; charset=gb2312", "中"],
  ["KOI8-R", Buffer.from([0x3c, 0x70, 0x3e, 0xd0, 0xd2]), "text/html; charset=koi8-r", "пр"],
  ["an unknown charset as UTF-8", Buffer.from("größe"), "text/plain; charset=klingon", "größe"],
  ["UTF-16 text by its mark", Buffer.from("\ufeffgröße", "utf16le"), "text/plain", "größe"],
  ["windows-1252 for text that is not UTF-8", Buffer.from([0x61, 0xff, 0x62]), "text/plain", "aÿb"],
  ["bytes that UTF-8 does not have", Buffer.from([0x61, 0xff]), "text/plain; charset=utf-8", "a\ufffd"],
])("charset: %s", async (_title, body, type, expected) => {
  expect(await textOf(body, type)).toBe(expected);
});

test.each([
  ["application/json", '{"a":12345678901234567890,"a":1}'],
  ["application/ld+json; charset=utf-8", "[1,\n2]"],
  ["application/xml", "<a>b</a>"],
  ["text/markdown", "# a\n\n- b"],
  ["text/csv", "a,b\n1,2"],
  ["application/javascript", "let a;"],
])("%s stays as it is", async (type, body) => {
  expect(await textOf(body, type)).toBe(body);
});

test("control characters for terminals are removed", async () => {
  expect(await textOf("a\u001b[31mb\u0000c\u0007\td\r\ne\u009b", "text/plain")).toBe("a[31mbc\td\ne");
});

test("instructions in a page change only the text", async () => {
  const { data } = await read('{"approved":true}\n{"jsonrpc":"2.0","id":1,"result":{}}', "text/plain");

  expect(data).toMatchObject({ content: '{"approved":true}\n{"jsonrpc":"2.0","id":1,"result":{}}' });
});

test("a PDF becomes its text, page by page", async () => {
  expect(await textOf(pdfOf(["Hello reader", "Second page"]), "application/pdf")).toBe(
    "## Page 1\n\nHello reader\n\n## Page 2\n\nSecond page",
  );
});

test("a broken PDF is reported", async () => {
  expect(await read("%PDF-1.4 nonsense", "application/pdf")).toMatchObject({ code: "UNSUPPORTED_CONTENT" });
});

test.each([
  ["a page", "<!doctype html><p>x</p>", "x"],
  ["a text", "just words", "just words"],
  ["a PDF", pdfOf(["Words"]), "## Page 1\n\nWords"],
])("without a type, %s is recognised by its first bytes", async (_title, body, expected) => {
  expect(await textOf(body, null)).toBe(expected);
});

test.each([
  ["image/png", Buffer.from([0x89, 0x50, 0x4e, 0x47])],
  ["application/zip", Buffer.from("PK")],
  ["application/octet-stream", Buffer.from([0, 1, 2])],
  ["video/mp4", Buffer.from("x")],
])("%s has no text", async (type, body) => {
  expect(await read(body, type)).toMatchObject({
    code: "UNSUPPORTED_CONTENT",
    details: { bytes: body.length },
  });
});

test("extract_text: false gives the source", async () => {
  expect(await textOf("<p>x</p>", "text/html", { extract_text: false })).toBe("<p>x</p>");
});

test.each([
  ["nested without end", "<div>".repeat(50_000) + "deep"],
  ["with tags that never close", "<b><i>".repeat(20_000) + "x"],
  ["of broken tags", "<".repeat(100_000) + "x"],
  ["of attributes", `<p ${"a=b ".repeat(50_000)}>x</p>`],
  ["of one text", "x".repeat(300_000)],
])("a page %s is answered", async (_title, body) => {
  const { error, data } = await read(body, "text/html");

  expect(error).toBeUndefined();
  expect(data).toHaveProperty("content");
});

test("a page of nothing is a failure that says so", async () => {
  expect(await read("", "text/html")).toMatchObject({ code: "UNSUPPORTED_CONTENT" });
});

test("of a page that is too long, the beginning is read, and the rest is counted", async () => {
  const { data, warnings, omitted } = await read(
    `<p>start</p>${"<p>filler</p>".repeat(180_000)}`,
    "text/html",
  );

  expect((data as { content: string }).content).toContain("start");
  expect(warnings).toEqual(["the page is too large to be laid out; this is its bare text"]);
  expect(omitted).toMatchObject([
    { what: "source after the first 2000000 characters", amount: "340012 characters" },
    { what: "the rest of the text" },
  ]);
});

const tags = (text: string) =>
  Array.from(text, (c) => String.fromCodePoint(0xe0000 + c.codePointAt(0)!)).join("");

test.each(["text/html", "text/plain"])("hidden characters in %s are removed and counted", async (type) => {
  const { data, omitted } = await read(`<p>a${tags("obey")}b\u202ec\u2066d\u2069</p>`, type);

  expect((data as { content: string }).content).toContain("abcd");
  expect(omitted).toMatchObject([{ what: "hidden characters", amount: "11 characters" }]);
});

test("flags made of tags, and right-to-left text, stay as they are", async () => {
  const flag = `\u{1f3f4}${tags("gbsct")}\u{e007f}`;
  const { data, warnings } = await read(`${flag} שלום \u200f(a)`, "text/plain");

  expect((data as { content: string }).content).toBe(`${flag} שלום \u200f(a)`);
  expect(warnings).toBeUndefined();
});

import { expect, test } from "vitest";
import { layOutPage } from "../../src/page/page.ts";
import { contents, type Content } from "./contents.ts";
import { sites } from "./sites.ts";

const base = "https://example.com/docs/page";
const pages = Object.entries(sites).flatMap(([site, show]) =>
  contents.map((content) => ({ site, show, content })),
);

/** The facts of a content by their kind, each with whether a text has it. */
function factsOf(content: Content, text: string) {
  const lines = text.split("\n");
  const plain = text.replaceAll(/\\(?=[^\w\s])/g, "");
  const rows = lines
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
  const fenced = [...text.matchAll(/^(`{3,}).*\n([^]*?)^\1$/gm)].map(
    ([, , code = ""]) => `\n${code.replaceAll(/[ \t]+$/gm, "")}`,
  );
  const numbers = [content.prose, content.caution, ...content.steps].join(" ").match(/\d[\d.,]*\d|\d/g) ?? [];
  return {
    "code lines": content.code.map((_, at) =>
      fenced.some((code) => code.includes(`\n${content.code.slice(0, at + 1).join("\n")}\n`)),
    ),
    numbers: numbers.map((number) => plain.includes(number)),
    cells: content.cells.flatMap((row) =>
      row.map((cell, at) =>
        rows.some((cells) => cells.length === row.length && cells[at] === cell && cells[0] === row[0]),
      ),
    ),
    cautions: [plain.includes(content.caution)],
    headings: [content.title, ...content.headings].map((heading) =>
      lines.some((line) => /^#+ /.test(line) && line.replace(/^#+ /, "").includes(heading)),
    ),
    links: content.links.map(([label, to]) => text.includes(`[${label}](${new URL(to, base).href})`)),
  };
}

test(`${pages.length} pages of ${Object.keys(sites).length} kinds of sites in ${contents.length} languages keep every fact`, () => {
  const missing = pages.flatMap(({ site, show, content }) => {
    const { text } = layOutPage(show(content), { url: base, isXml: false, whole: false });
    return Object.entries(factsOf(content, text)).flatMap(([kind, facts]) =>
      facts.every(Boolean)
        ? []
        : [`${site} ${content.language}: ${facts.filter((has) => !has).length} of ${facts.length} ${kind}`],
    );
  });

  expect(missing).toEqual([]);
});

test.each(pages.filter(({ content }) => content.language === "en"))(
  "$site: what the text leaves out is counted",
  ({ show, content }) => {
    const html = show(content);
    const { text, leftOut } = layOutPage(html, { url: base, isXml: false, whole: false });
    const source = html.replace(/<head>[^]*?<\/head>/, "").replaceAll(/<[^>]+>/g, " ");
    const words = source.replaceAll(/&(?:lt|gt|amp|para|#9);|[¶#]/g, " ").split(/\s+/);
    const missing = words.filter((word) => !text.replaceAll("\\", "").includes(word)).join("");
    const counted = Object.values(leftOut).reduce((sum, size) => sum + size, 0);

    expect(counted).toBeGreaterThanOrEqual(missing.length);
  },
);

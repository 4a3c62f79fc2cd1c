// oxlint-disable-next-line typescript/triple-slash-reference -- compiling from these sources needs it
/// <reference path="./untyped.d.ts" />

import { gfm } from "@joplin/turndown-plugin-gfm";
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";
import { measurePage, type PageCost } from "./measure.ts";

/** A page as Markdown, with warnings about what was left out because the page is large. */
interface MarkdownPage {
  readonly text: string;
  readonly warnings: readonly string[];
}

/**
 * The largest page that is laid out. Measured on two slow cores: about a second for 10,000 tags with the search for the
 * article, two for 30,000 without. Tables cost more: the time grows with the square of the cells.
 */
const most = {
  characters: 2_000_000,
  articleTags: 10_000,
  tags: 30_000,
  depth: 400,
  tagCharacters: 20_000,
  cells: 4_000,
  rowCells: 100,
};

type PageDocument = ReturnType<typeof parseHTML>["document"];

/** Parts of a page that a model does not need. */
const unread =
  "script, style, noscript, template, iframe, object, embed, svg, canvas, form, dialog, nav, aside, body > header, body > footer, [hidden], [aria-hidden=true]";

/** An article must have this share of a page's text; a smaller one has lost something. */
const minShare = 0.4;

/**
 * Converts a page to Markdown: its article if it has one, otherwise the whole page without scripts and navigation. Links
 * become absolute. A page that is too costly to parse becomes its bare text, with a warning.
 */
export function htmlToMarkdown(source: string, url: string): MarkdownPage {
  const { html, warnings } = cutPage(source);
  const cost = measurePage(html);
  const isTooCostly =
    cost.tags > most.tags || cost.depth > most.depth || cost.longestTag > most.tagCharacters;
  const text = isTooCostly ? null : layOut(html, url, cost);
  return text === null ? htmlToText(source) : { text, warnings };
}

/** The bare text of a page, in linear time. */
export function htmlToText(source: string): MarkdownPage {
  const { html, warnings } = cutPage(source);
  return {
    text: bareText(html),
    warnings: [...warnings, "the page is too large to be laid out; this is its bare text"],
  };
}

function cutPage(source: string): { html: string; warnings: readonly string[] } {
  if (source.length <= most.characters) return { html: source, warnings: [] };
  const warning = `the page is longer than ${most.characters} characters; the rest was not read`;
  return { html: source.slice(0, most.characters), warnings: [warning] };
}

/** The page as Markdown; null when a library fails on it. */
function layOut(html: string, url: string, { tags, cells }: PageCost): string | null {
  try {
    const { document } = parseHTML(asDocument(html));
    makeAbsolute(document, url);
    for (const element of document.querySelectorAll(unread)) element.remove();
    boundTables(document, cells);
    const title = (document.querySelector("title")?.textContent ?? "").trim();
    const body = toMarkdown(mainOf(document, tags <= most.articleTags));
    return title === "" || body.startsWith(`# ${title}`) ? body : `# ${title}\n\n${body}`.trim();
  } catch {
    return null;
  }
}

/** The parser creates no root and no body for a page without them. */
function asDocument(html: string): string {
  if (/<html[\s>]/i.test(html) && /<body[\s>]/i.test(html)) return html;
  const inner = html.replace(/^\s*<!doctype[^>]*>/i, "").replaceAll(/<\/?(html|head|body)(\s[^>]*)?>/gi, "");
  return `<!doctype html><html><head></head><body>${inner}</body></html>`;
}

/** Removes the column counts of cells, which the conversion would repeat, and the layout of tables with too many cells. */
function boundTables(document: PageDocument, cells: number): void {
  for (const cell of document.querySelectorAll("[colspan], [rowspan]")) {
    cell.removeAttribute("colspan");
    cell.removeAttribute("rowspan");
  }
  const isTooLarge = cells > most.cells;
  for (const row of document.querySelectorAll("tr")) {
    if (!isTooLarge && row.childElementCount <= most.rowCells) continue;
    const text = Array.from(row.children, ({ textContent }) => (textContent ?? "").trim()).join(" | ");
    const line = document.createElement("p");
    line.textContent = text;
    (row.closest("table") ?? row).before(line);
    row.remove();
  }
}

/** The HTML of the main part. */
function mainOf(document: PageDocument, findArticle: boolean): string {
  const all = (document.querySelector("main") ?? document.body) as unknown as {
    readonly innerHTML: string;
    readonly textContent: string | null;
  };
  if (!findArticle) return all.innerHTML;
  // Readability changes the document, so it gets a copy.
  const article = new Readability(document.cloneNode(true), {
    charThreshold: 200,
    keepClasses: true,
  }).parse();
  const share = (article?.textContent?.trim().length ?? 0) / Math.max(1, all.textContent?.trim().length ?? 0);
  return share >= minShare ? (article?.content ?? "") : all.innerHTML;
}

function makeAbsolute(document: PageDocument, url: string): void {
  const base =
    URL.parse(document.querySelector("base[href]")?.getAttribute("href") ?? "", url) ?? new URL(url);
  for (const [selector, attribute] of [
    ["a[href]", "href"],
    ["img[src]", "src"],
  ] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const address = URL.parse(element.getAttribute(attribute) ?? "", base.href);
      // A reader cannot follow javascript: and data:.
      if (address !== null && /^(https?|mailto):$/.test(address.protocol))
        element.setAttribute(attribute, address.href);
      else element.removeAttribute(attribute);
    }
  }
}

function toMarkdown(html: string): string {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "_",
  });
  service.use(gfm);
  service.remove(["script", "style", "noscript", "title"]);
  return service
    .turndown(html)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** The text between the tags, in linear time for any page. */
function bareText(html: string): string {
  return html
    .replaceAll(/<(script|style)\b[^<>]*>[^<]*/gi, " ")
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/ ?\n[\n ]*/g, "\n")
    .trim();
}

// oxlint-disable-next-line typescript/triple-slash-reference -- whoever compiles from these sources needs it too
/// <reference path="./untyped.d.ts" />

import { gfm } from "@joplin/turndown-plugin-gfm";
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";
import { weigh, type Weight } from "./weigh.ts";

/** A page as Markdown, and what was done more simply because the page is so large. */
export interface MarkdownPage {
  readonly text: string;
  readonly warnings: readonly string[];
}

/**
 * Taking a page apart happens in one go, and nothing else runs meanwhile: so long, so many tags, so deep. Measured on
 * two slow cores: about a second for 10,000 tags with the search for the article, two for 30,000 without.
 */
const most = { characters: 2_000_000, articleTags: 10_000, tags: 30_000, depth: 400 };

type PageDocument = ReturnType<typeof parseHTML>["document"];

/** What of a page a model need not read. */
const unread =
  "script, style, noscript, template, iframe, object, embed, svg, canvas, form, dialog, nav, aside, body > header, body > footer, [hidden], [aria-hidden=true]";

/** An article must have this share of a page's text; what has less lost something. */
const minShare = 0.4;

/**
 * Makes readable Markdown of a page: its article where it has one, else all of it without scripts and navigation.
 * Links become absolute. A page that is too heavy to be taken apart comes back as its bare text.
 */
export function htmlToMarkdown(source: string, url: string): MarkdownPage {
  const html = source.slice(0, most.characters);
  const warnings =
    source.length > html.length
      ? [`the page is longer than ${most.characters} characters; the rest was not read`]
      : [];
  const weight = weigh(html);
  const text = weight.tags > most.tags || weight.depth > most.depth ? null : markdownOf(html, url, weight);
  if (text !== null) return { text, warnings };
  return {
    text: bareText(html),
    warnings: [...warnings, "the page is too large to be laid out; this is its bare text"],
  };
}

/** Null: the libraries gave up on it. */
function markdownOf(html: string, url: string, { tags }: Weight): string | null {
  try {
    const { document } = parseHTML(asDocument(html));
    makeAbsolute(document, url);
    for (const element of document.querySelectorAll(unread)) element.remove();
    const title = (document.querySelector("title")?.textContent ?? "").trim();
    const body = toMarkdown(mainOf(document, tags <= most.articleTags));
    return title === "" || body.startsWith(`# ${title}`) ? body : `# ${title}\n\n${body}`.trim();
  } catch {
    return null;
  }
}

/** The parser makes neither a root nor a body where a page has none of its own. */
function asDocument(html: string): string {
  if (/<html[\s>]/i.test(html) && /<body[\s>]/i.test(html)) return html;
  const inner = html.replace(/^\s*<!doctype[^>]*>/i, "").replaceAll(/<\/?(html|head|body)(\s[^>]*)?>/gi, "");
  return `<!doctype html><html><head></head><body>${inner}</body></html>`;
}

/** HTML of what there is to read. */
function mainOf(document: PageDocument, findArticle: boolean): string {
  const all = (document.querySelector("main") ?? document.body) as unknown as {
    readonly innerHTML: string;
    readonly textContent: string | null;
  };
  if (!findArticle) return all.innerHTML;
  // Readability takes the document apart, so it gets a copy.
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
      // What is not fetched from somewhere, such as javascript: and data:, is no link to a reader.
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

/** The text between the tags. Linear, whatever the page is like. */
function bareText(html: string): string {
  return html
    .replaceAll(/<(script|style)\b[^<>]{0,2000}>[^<]*/gi, " ")
    .replaceAll(/<[^<>]{0,10000}>/g, " ")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/ ?\n[\n ]*/g, "\n")
    .trim();
}

import type { Page } from "../fetch/fetch-page.ts";
import { FetchProblem } from "../fetch/problem.ts";
import { decodeHtml, decodeText, parseContentType } from "./charset.ts";
import { htmlToMarkdown } from "./html.ts";
import { pdfToText } from "./pdf.ts";

/** A page as text. */
export interface ExtractedPage {
  readonly text: string;
  readonly contentType: string;
  readonly warnings: readonly string[];
}

const html = /^(text\/html|application\/xhtml\+xml)$/;
const textual =
  /^(text\/.*|application\/(json|xml|javascript|ecmascript|x-javascript|yaml|x-yaml|toml|sql|graphql|x-sh|rtf|x-ndjson|ld\+json|rss\+xml|atom\+xml)|.*\+(json|xml|yaml)|message\/.*)$/;

/**
 * Makes text of a page by what it is: HTML becomes Markdown, PDF its text, JSON and other text stay as they are.
 * Controls that a terminal would obey are left out. Throws `UNSUPPORTED_CONTENT` for what holds no text.
 */
export async function extractPage(page: Page, readable: boolean): Promise<ExtractedPage> {
  const { essence, charset } = parseContentType(page.contentType);
  const kind = essence === "" || essence === "application/octet-stream" ? sniff(page.body) : essence;
  const contentType = page.contentType || kind;
  if (kind === "application/pdf")
    return { text: clean(await pdfToText(page.body)), contentType, warnings: [] };
  if (html.test(kind)) return fromHtml(page, charset, kind, readable, contentType);
  if (textual.test(kind)) return { text: clean(decodeText(page.body, charset)), contentType, warnings: [] };
  throw new FetchProblem(
    "UNSUPPORTED_CONTENT",
    `No text can be made of ${kind.slice(0, 100)}: ${page.finalUrl}`,
    {
      content_type: kind.slice(0, 100),
      bytes: page.body.length,
    },
  );
}

function fromHtml(
  page: Page,
  charset: string | undefined,
  kind: string,
  readable: boolean,
  contentType: string,
): ExtractedPage {
  const source = decodeHtml(page.body, charset, kind.endsWith("+xml"));
  if (!readable) return { text: clean(source), contentType, warnings: [] };
  const { text, warnings } = htmlToMarkdown(source, page.finalUrl);
  return { text: clean(text), contentType, warnings };
}

/** What a body without a type is: told by its first bytes. */
function sniff(body: Buffer): string {
  const start = body.subarray(0, 1024);
  if (start.subarray(0, 5).toString("latin1") === "%PDF-") return "application/pdf";
  if (/^\s*(<!doctype html|<html|<head|<body)/i.test(start.toString("latin1"))) return "text/html";
  return start.includes(0) ? "application/octet-stream" : "text/plain";
}

/** Without control characters but tab and line feed, and without halves of characters. */
function clean(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")
    .toWellFormed();
}

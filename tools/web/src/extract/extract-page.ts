import type { Page } from "../fetch/fetch-page.ts";
import { FetchProblem } from "../fetch/problem.ts";
import { decodeHtml, decodeText, parseContentType } from "../text/charset.ts";
import type { Omission } from "@toolmount/core";
import type { Destination } from "../page/destination.ts";
import type { LaidOutPage } from "../page/page.ts";
import { endOfPage } from "../page/read-page.ts";
import type { ReadJob, ReadLimits } from "./job.ts";
import type { Reader, ReadFailure } from "./reader.ts";

/** A page as text, with warnings about it and what the text leaves out. */
export interface ExtractedPage {
  readonly text: string;
  readonly contentType: string;
  readonly warnings: readonly string[];
  readonly omitted: readonly Omission[];
  /** The address to which the page sends its reader, if it has little text. */
  readonly destination: Destination | null;
}

/** Those members of a fetched page that are read. */
type Source = Pick<Page, "finalUrl" | "contentType" | "body">;

/** The reader of pages, its limits, and how HTML becomes text. */
export interface ExtractOptions {
  readonly reader: Reader;
  readonly limits: ReadLimits;
  /** Whether HTML is converted; false returns it unchanged. */
  readonly readable: boolean;
  /** Whether HTML is read with the parts around its main part. */
  readonly whole: boolean;
  readonly signal: AbortSignal;
}

const html = /^(text\/html|application\/xhtml\+xml)$/;
const textual =
  /^(text\/.*|application\/(json|xml|javascript|ecmascript|x-javascript|yaml|x-yaml|toml|sql|graphql|x-sh|rtf|x-ndjson|ld\+json|rss\+xml|atom\+xml)|.*\+(json|xml|yaml)|message\/.*)$/;

/**
 * Converts a page to text, depending on its type: HTML to Markdown if `readable` is set, PDF to its text; JSON and other text
 * stay unchanged. Conversions run in another process, within `limits`. Control characters, and text that people cannot see, are
 * removed. Throws a {@link FetchProblem}: `UNSUPPORTED_CONTENT` for a page without text or a broken PDF, `FETCH_TIMED_OUT` and
 * `RESPONSE_TOO_LARGE` at the limits, `FETCH_CANCELLED` after a cancellation.
 */
export async function extractPage(page: Source, options: ExtractOptions): Promise<ExtractedPage> {
  const { essence, charset } = parseContentType(page.contentType);
  const kind = essence === "" || essence === "application/octet-stream" ? sniffType(page.body) : essence;
  const contentType = page.contentType || kind;
  const read = await readAs(kind, charset, page, options);
  if (read.lack !== null && read.destination?.by !== "refresh")
    throw nothingToRead(read.lack, page, contentType);
  const cleaned = cleanText(read.text);
  return {
    text: cleaned.text,
    contentType,
    warnings: read.warnings,
    omitted: [...omittedFrom(read.leftOut), ...cleaned.omitted, ...invalidBytes(cleaned.text, page.body)],
    destination: read.destination,
  };
}

/**
 * Returns an entry of `omitted` with the number of places where bytes are invalid in the page's encoding; empty if none.
 * Replacement characters that the page itself contains do not count.
 */
function invalidBytes(text: string, body: Buffer): readonly Omission[] {
  const count = text.split("\ufffd").length - body.toString("latin1").split("\u00ef\u00bf\u00bd").length;
  if (count <= 0) return [];
  const why = "they are no text in the encoding that the page says; each is shown as \ufffd";
  return [{ what: "invalid bytes", amount: `${count} places`, why, how: "another program, such as curl" }];
}

function nothingToRead(lack: string, { finalUrl, body }: Source, type: string): FetchProblem {
  const details = { content_type: type.slice(0, 100), bytes: body.length };
  return new FetchProblem("UNSUPPORTED_CONTENT", `${finalUrl} has nothing to read: ${lack}`, details);
}

/** Returns what a page's text leaves out, as entries of the result's `omitted`. */
function omittedFrom(leftOut: LaidOutPage["leftOut"]): readonly Omission[] {
  return Object.entries(leftOut).map(([what, characters]) => ({
    what,
    amount: `${characters} characters`,
    ...(reasons[what] ?? { why: "it stands around the main part", how: "the same call with whole: true" }),
  }));
}

const reasons: Readonly<Record<string, Pick<Omission, "why" | "how">>> = {
  "hidden text": {
    why: "a browser does not show it",
    how: "the page's source, with the plan's extract_text: false",
  },
  [endOfPage]: {
    why: "a longer page is not read",
    how: "the page's source, with the plan's extract_text: false",
  },
};

function plain(text: string): LaidOutPage {
  return { text, warnings: [], leftOut: {}, lack: null, destination: null };
}

async function readAs(
  kind: string,
  charset: string | undefined,
  page: Source,
  options: ExtractOptions,
): Promise<LaidOutPage> {
  if (kind === "application/pdf") return readPdf(page, options);
  if (html.test(kind)) {
    const source = decodeHtml(page.body, charset, kind.endsWith("+xml"));
    if (!options.readable || isJson(source)) return plain(source);
    return readHtml({ kind: kind.endsWith("+xml") ? "xhtml" : "html", source, url: page.finalUrl }, options);
  }
  if (textual.test(kind)) return plain(decodeText(page.body, charset));
  const type = kind.slice(0, 100);
  throw new FetchProblem("UNSUPPORTED_CONTENT", `${type} has no text to read: ${page.finalUrl}`, {
    content_type: type,
    bytes: page.body.length,
  });
}

async function readPdf({ body, finalUrl }: Source, options: ExtractOptions): Promise<LaidOutPage> {
  const job: ReadJob = { kind: "pdf", source: "", bytes: body, url: finalUrl, layout: true, whole: true };
  const answer = await options.reader.read(job, options.signal);
  if (typeof answer === "string") throw problemOf(answer, finalUrl, options.limits);
  if (answer.status === "read") return answer;
  throw new FetchProblem("UNSUPPORTED_CONTENT", "The PDF cannot be read: it is broken or protected");
}

/** Reads an HTML page with its layout. If that fails, for example for lack of time or memory, it is read again as bare text. */
async function readHtml(
  page: Pick<ReadJob, "kind" | "source" | "url">,
  options: ExtractOptions,
): Promise<LaidOutPage> {
  const { url } = page;
  const job: ReadJob = { ...page, bytes: new Uint8Array(), layout: true, whole: options.whole };
  const first = await options.reader.read(job, options.signal);
  if (typeof first !== "string" && first.status === "read") return first;
  if (first === "cancelled") throw problemOf(first, url, options.limits);
  const second = await options.reader.read({ ...job, layout: false }, options.signal);
  if (typeof second === "string") throw problemOf(second, url, options.limits);
  return second;
}

function problemOf(failure: ReadFailure, url: string, { timeoutMs, memoryMb }: ReadLimits): FetchProblem {
  switch (failure) {
    case "timeout":
      return new FetchProblem("FETCH_TIMED_OUT", `Timeout reading ${url}: more than ${timeoutMs} ms`, {
        timeout_ms: timeoutMs,
      });
    case "memory":
      return new FetchProblem("RESPONSE_TOO_LARGE", `Cannot read ${url}: it needs more than ${memoryMb} MB`, {
        memory_mb: memoryMb,
      });
    case "cancelled":
    default:
      return new FetchProblem("FETCH_CANCELLED", "Request was cancelled");
  }
}

/** Whether a page that is declared as HTML is a JSON document, which some servers send. */
function isJson(source: string): boolean {
  if (!/^\s*[[{]/.test(source)) return false;
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
}

/** Returns the type of a body with no Content-Type or a general one, judged by its first bytes. */
function sniffType(body: Buffer): string {
  const start = body.subarray(0, 1024);
  if (start.subarray(0, 5).toString("latin1") === "%PDF-") return "application/pdf";
  if (/^\s*(<!doctype html|<html|<head|<body)/i.test(start.toString("latin1"))) return "text/html";
  return start.includes(0) ? "application/octet-stream" : "text/plain";
}

/** The flags of England, Scotland and Wales, which are the only visible use of tag characters. */
const flags =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;

/** Tag characters, and controls that reorder text. With these, a person would see another text than the model reads. */
const hidden = /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Removes control characters except tab and line feed, and characters that `hidden` matches outside of flags. Halves of
 * surrogate pairs become U+FFFD.
 */
function cleanText(raw: string): Pick<ExtractedPage, "text" | "omitted"> {
  const text = raw
    .replaceAll("\r\n", "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")
    .toWellFormed();
  if (!hidden.test(text)) return { text, omitted: [] };
  hidden.lastIndex = 0;
  const parts: string[] = [];
  let at = 0;
  for (const flag of text.matchAll(flags)) {
    parts.push(text.slice(at, flag.index).replaceAll(hidden, ""), flag[0]);
    at = flag.index + flag[0].length;
  }
  const visible = [...parts, text.slice(at).replaceAll(hidden, "")].join("");
  const removed = text.length - visible.length;
  if (removed === 0) return { text, omitted: [] };
  const amount = `${removed} characters`;
  const why = "people cannot see tags and direction controls";
  return {
    text: visible,
    omitted: [{ what: "hidden characters", amount, why, how: "another program, such as curl" }],
  };
}

import {
  data,
  defineTool,
  failure,
  ownSession,
  type Omission,
  type PartialResult,
  type ToolContext,
} from "@toolmount/core";
import { z } from "zod";
import type { Settings } from "../config.ts";
import { FetchProblem } from "../fetch/problem.ts";
import { readAddress, type ReadPage } from "./read-address.ts";
import { openWeb, type Services, type Web } from "../web.ts";
import { webFetchUsage as usage } from "../usage/web-fetch.ts";

const missing = "URL is required";

const schema = z.strictObject({
  url: z.string({ error: missing }).regex(/\S/, missing).describe("The page's address, http or https"),
  save_to_file: z
    .string()
    .min(1)
    .optional()
    .describe("Writes the whole text to this file with write_file; the result has only its start"),
  offset: z
    .int()
    .min(0)
    .default(0)
    .describe("Start, in characters of the text; for the next part, next_offset of the last result"),
  limit: z
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe("Most characters to return; default: the plan's setting"),
  whole: z
    .boolean()
    .default(false)
    .describe("Also the navigation, header, footer and asides of a page; omitted names them"),
});

const outputSchema = z.strictObject({
  url: z.string(),
  final_url: z.string(),
  content: z.string(),
  content_type: z.string(),
  truncated: z.boolean(),
  total_bytes: z.int(),
  total_characters: z.int(),
  offset: z.int().optional(),
  limit: z.int().optional(),
  next_offset: z.int().nullable().optional(),
  returned_bytes: z.int().optional(),
  saved_to: z.string().optional(),
  saved_bytes: z.int().optional(),
});

/** Makes the tool `web_fetch`, which fetches a public web page as readable text. */
export function createWebFetch(settings: Settings = {}, services?: Services) {
  return webFetchIn(openWeb(settings, services));
}

export function webFetchIn(web: Web) {
  const cache = createPageCache(() => web.clock.now());
  return defineTool({
    name: "web_fetch",
    description:
      "Fetches one public web page and returns its text as Markdown, in parts. Use when the address is known; to find addresses, use web_search.",
    summary: "Fetches a web page as text.",
    usage,
    schema,
    outputSchema,
    category: "read",
    control: ["url"],
    consequenceLevel: "low",
    requiresConfirmation: false,
    // Downloading and converting (at most twice) have their own deadlines; the rest is for saving.
    timeout: Math.ceil((web.settings.timeout + 2 * web.settings.extract_timeout) * 1000) + 15_000,
    idempotent: true,
    tags: ["web"],
    version: "1.0.0",
    dependsOn: ["write_file"],
    execute: (params, context) => answering(() => fetchAndShow(web, cache, params, context)),
  });
}

type Params = z.output<typeof schema>;

/** Runs the work; a {@link FetchProblem} becomes a failure. */
export async function answering(work: () => Promise<PartialResult>): Promise<PartialResult> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof FetchProblem)) throw thrown;
    return failure(thrown.message, { code: thrown.code, details: thrown.details });
  }
}

async function fetchAndShow(
  web: Web,
  cache: PageCache,
  params: Params,
  context: ToolContext,
): Promise<PartialResult> {
  const page = await readPage(web, cache, params, context);
  const warnings = page.warnings.length === 0 ? undefined : page.warnings;
  const { save_to_file: path } = params;
  const part = shown(web, params, page);
  const omitted = [...page.omitted, ...restOf(page, part.next_offset)];
  if (path === undefined) return data(part, { warnings, omitted });
  const saved = await saveText(path, page.text, context);
  const start = { ...beginning(params, page), saved_to: path, saved_bytes: saved };
  return data(start, { warnings, omitted: page.omitted });
}

/** Reads a page. A later part is taken from the text of the first part as long as that is cached. */
async function readPage(
  web: Web,
  cache: PageCache,
  { url, offset, whole }: Params,
  context: ToolContext,
): Promise<ReadPage> {
  const key = JSON.stringify([ownSession(context.userId, context.sessionId) ?? null, url, whole]);
  const known = offset > 0 ? cache.get(key) : null;
  if (known !== null) return known;
  const page = await readAddress(web, url, { whole, signal: context.abortSignal });
  cache.set(key, page);
  return page;
}

function facts({ url }: Params, page: ReadPage) {
  return {
    url,
    final_url: page.finalUrl,
    content_type: page.contentType,
    total_bytes: Buffer.byteLength(page.text),
    total_characters: page.text.length,
  };
}

function shown(web: Web, params: Params, page: ReadPage) {
  const limit = params.limit ?? web.settings.default_limit;
  const { content, offset, nextOffset } = pageOfText(page.text, params.offset, limit);
  const note = `\n\n[Cut at ${limit} of ${page.text.length} characters. For the next part, call web_fetch with offset ${nextOffset}.]`;
  return {
    ...facts(params, page),
    content: nextOffset === null ? content : content + note,
    truncated: nextOffset !== null,
    offset,
    limit,
    next_offset: nextOffset,
    returned_bytes: Buffer.byteLength(content),
  };
}

/** Returns an entry of `omitted` for the text after a part. */
function restOf({ text }: ReadPage, next: number | null): readonly Omission[] {
  if (next === null) return [];
  const amount = `${text.length - next} of ${text.length} characters`;
  const how = `the same call with offset: ${next}`;
  return [{ what: "the rest of the text", amount, why: "the part is full", how }];
}

/** Returns the result for a text that was written to a file, with its first 1,000 characters. */
function beginning(params: Params, page: ReadPage) {
  return { ...facts(params, page), content: pageOfText(page.text, 0, 1000).content, truncated: false };
}

/** A part of a text, with positions in UTF-16 units; it never has half a surrogate pair. */
interface TextPage {
  readonly content: string;
  readonly offset: number;
  /** Start of the next part; null for the last part. */
  readonly nextOffset: number | null;
}

/** Returns the part of a text that begins at `from` and has at most `limit` units, but at least one character. */
export function pageOfText(text: string, from: number, limit: number): TextPage {
  const offset = toBoundary(text, Math.min(from, text.length));
  let end = toBoundary(text, Math.min(offset + limit, text.length));
  if (end === offset && end < text.length) end = offset + (isHigh(text, offset) ? 2 : 1);
  return { content: text.slice(offset, end), offset, nextOffset: end < text.length ? end : null };
}

/** Returns the position, moved back by one if it is within a surrogate pair. */
function toBoundary(text: string, at: number): number {
  return at > 0 && at < text.length && isHigh(text, at - 1) ? at - 1 : at;
}

function isHigh(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}

/** The most recently read pages, kept for a short time, by session and address. */
interface PageCache {
  get(key: string): ReadPage | null;
  set(key: string, page: ReadPage): void;
}

const maxPages = 16;
const maxCharacters = 8_000_000;
const maxAgeMs = 300_000;

function createPageCache(now: () => number): PageCache {
  const pages = new Map<string, { page: ReadPage; at: number }>();
  return {
    get(key) {
      const found = pages.get(key);
      return found === undefined || now() - found.at > maxAgeMs ? null : found.page;
    },
    set(key, page) {
      pages.delete(key);
      if (page.text.length > maxCharacters) return;
      pages.set(key, { page, at: now() });
      let total = [...pages.values()].reduce((sum, each) => sum + each.page.text.length, 0);
      for (const [old, each] of pages) {
        if (pages.size <= maxPages && total <= maxCharacters) return;
        pages.delete(old);
        total -= each.page.text.length;
      }
    },
  };
}

/**
 * Writes a file with the host's `write_file`, under its rules, approvals and records. Throws `SAVE_FAILED` with that tool's
 * error.
 */
async function saveText(path: string, content: string, context: ToolContext): Promise<number> {
  const outcome = await context
    .call({ name: "write_file", arguments: { file_path: path, content } })
    .catch((thrown: unknown) => {
      throw new FetchProblem(
        "SAVE_FAILED",
        "Failed to write file: save_to_file needs a host with the tool write_file",
        {},
        { cause: thrown },
      );
    });
  const { status, result } = outcome;
  if (status === "ok") return Buffer.byteLength(content);
  throw new FetchProblem("SAVE_FAILED", `Failed to write file: ${result.error ?? status}`, { status });
}

import type { JsonObject } from "@toolmount/core";
import type { Base } from "./base.ts";
import { confirm, type Confirmed } from "./confirm.ts";
import type { GrepArguments } from "./grep-arguments.ts";
import type { Claims } from "./ripgrep/matches.ts";
import type { Searcher } from "./searcher.ts";
import { linesAfter, linesBefore, showLines } from "./text.ts";

/** One result of a search: a matching line, a file, or a file with its number of matches. */
type Item = JsonObject;

/** Largest file, in bytes, that is searched if the call names it, unless the settings allow a larger one. */
const maxNamedBytes = 268_435_456;

/** Number of files that are read at the same time. */
const together = 16;

/** Confirms what the engine claims, file by file in the order of paths, and returns one page of the results. */
export async function present(
  searcher: Searcher,
  params: GrepArguments,
  { base, claims, signal }: { base: Base; claims: Claims; signal: AbortSignal },
): Promise<JsonObject> {
  const { settings, files } = searcher;
  const page = createPage(params, searcher);
  // A file that the call names is searched up to a larger limit.
  const maxBytes =
    base.kind === "file" ? Math.max(maxNamedBytes, settings.grep.max_file_size) : settings.grep.max_file_size;
  const sorted = claims.files.filter(hasClaims).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (let at = 0; at < sorted.length; at += together) {
    signal.throwIfAborted();
    const some = sorted.slice(at, at + together);
    const confirmed = await Promise.all(
      some.map(({ path, claims: own }) => confirm(files, base.real(path), { claims: own, maxBytes, signal })),
    );
    for (const [index, found] of confirmed.entries()) page.add(base.shown(some[index]!.path), found);
  }
  return { pattern: params.pattern, output_mode: params.output_mode, ...page.answer() };
}

function hasClaims({ claims }: { claims: readonly unknown[] }): boolean {
  return claims.length > 0;
}

/** Keeps the results of one page, which starts at `offset`, and counts all results. */
function createPage(
  params: GrepArguments,
  { settings }: Searcher,
): { add(file: string, found: Confirmed): void; answer(): JsonObject } {
  const { output_mode: mode, offset } = params;
  const limit = params.head_limit ?? settings.grep.default_limits[mode];
  const items: Item[] = [];
  let total = 0;
  let matches = 0;
  let bytes = 0;
  let isFull = false;
  /** Adds the next result, which is made only if it is shown. */
  const offer = (make: () => Item) => {
    const isWanted = total >= offset && !isFull;
    total++;
    if (!isWanted) return;
    const item = make();
    bytes += JSON.stringify(item).length;
    if ((limit > 0 && items.length === limit) || (bytes > settings.max_output_bytes && items.length > 0))
      isFull = true;
    else items.push(item);
  };
  return {
    add(file, found) {
      matches += found.matches.length;
      if (found.matches.length === 0) return;
      if (mode === "files_with_matches") offer(() => ({ file }));
      else if (mode === "count") offer(() => ({ file, count: found.matches.length }));
      else for (const at of found.matches.keys()) offer(() => lineItem(file, found, at, params));
    },
    answer() {
      const shown = items.length;
      const next = offset + shown;
      return {
        total_matches: mode === "count" ? matches : total,
        matches_count: mode === "count" ? sum(items) : shown,
        ...(shown < total ? { results_capped: true } : {}),
        ...(shown > 0 && next < total ? { next_offset: next } : {}),
        ...listed(mode, items),
      };
    },
  };
}

function sum(items: readonly Item[]): number {
  return items.reduce((count, item) => count + Number(item["count"]), 0);
}

function listed(mode: GrepArguments["output_mode"], items: readonly Item[]): JsonObject {
  if (mode === "content") return { results: items };
  if (mode === "files_with_matches") return { files: items.map(({ file }) => file as string) };
  return { counts: Object.fromEntries(items.map(({ file, count }) => [file, count!])) };
}

/** Returns a match, with the lines around it that belong to no other match and are not shown already. */
function lineItem(file: string, { text, matches }: Confirmed, at: number, params: GrepArguments): Item {
  const { line, start, end, column } = matches[at]!;
  const own = text.subarray(start, end);
  const before = params["-B"] ?? params["-C"] ?? 0;
  const after = params["-A"] ?? params["-C"] ?? 0;
  const nextLine = endLine(text, matches[at]!);
  const previous = matches[at - 1];
  const shownTo = previous === undefined ? 0 : endLine(text, previous) - 1 + after;
  const context = [
    ...linesBefore(text, { start, line }, before, shownTo),
    ...linesAfter(text, { end, line: nextLine }, after, matches[at + 1]?.line ?? Infinity),
  ];
  const numbered = params["-n"];
  return {
    file,
    ...(numbered ? { line_number: line } : {}),
    content: showLines(own, column),
    ...(before + after === 0
      ? {}
      : { context: context.map((each) => (numbered ? { ...each } : { content: each.content })) }),
  };
}

/** Returns the number of the line after a match. */
function endLine(text: Buffer, { line, start, end }: { line: number; start: number; end: number }): number {
  let lines = 1;
  for (let at = text.indexOf(10, start); at >= 0 && at < end - 1; at = text.indexOf(10, at + 1)) lines++;
  return line + lines;
}

import { data, defineTool, type Omission, type PartialResult } from "@toolmount/core";
import { PathError } from "@toolmount/paths";
import { z } from "zod";
import { answering } from "./answer.ts";
import { includeIgnored, pathPattern, pattern, searchPath } from "./arguments.ts";
import { openBase } from "./base.ts";
import type { Settings } from "./config.ts";
import { findPaths } from "./find-paths.ts";
import { globUsage as usage } from "./glob-usage.ts";
import {
  compileExclusion,
  compilePattern,
  folderFilter,
  maxPatternLength,
  type PathFilter,
} from "./pattern.ts";
import { Refusal } from "./refusal.ts";
import { openSearcher, type Searcher, type Services } from "./searcher.ts";
import { newestFirst, type FoundPath } from "./newest-first.ts";
import { passedOver } from "./survey.ts";

const schema = z.strictObject({
  pattern: pattern
    .max(maxPatternLength)
    .describe("Pattern relative to path: **/*.ts for everything below, *.md for the folder itself"),
  path: searchPath.describe("The folder to search, relative to the working folder or absolute"),
  type: z.enum(["file", "dir", "any"]).default("file").describe("Whether to find files, folders or both"),
  exclude: z
    .array(pathPattern)
    .max(50)
    .default([])
    .describe(
      "Patterns to exclude: without / they match names in any folder, and everything below a folder is excluded",
    ),
  include_ignored: includeIgnored,
});

/** Makes the tool `glob`, which finds files and folders by their paths. */
export function createGlob(settings: Settings, services?: Services) {
  return globIn(openSearcher(settings, services));
}

export function globIn(searcher: Searcher) {
  const seconds = searcher.settings.glob.timeout;
  return defineTool({
    name: "glob",
    description:
      "Finds files and folders of the project by a path pattern, newest first. Use when a name or an extension is known; to search the content of files, use grep.",
    summary: "Finds files by their paths.",
    usage,
    schema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    timeout: Math.ceil(seconds * 1000) + 5000,
    tags: ["search"],
    version: "1.0.0",
    execute: (params, context) =>
      answering({ context, seconds, title: "Glob search failed" }, (signal) =>
        glob(searcher, params, signal),
      ),
  });
}

async function glob(searcher: Searcher, params: z.output<typeof schema>, signal: AbortSignal) {
  const { files, settings } = searcher;
  const named = params.pattern.replace(/^(?:\.\/)+/, "");
  const { fits, refusal } = compileOr(params.pattern, named);
  const excluded = params.exclude.map(compileExclusion);
  const base = await openBase(files, params.path);
  if (base.kind === "file") throw new PathError("NOT_A_DIRECTORY", { path: params.path });
  const wanted = (path: string) => fits(path) && !excluded.some((leavesOut) => leavesOut(path));
  const found = await findPaths(
    { searcher, type: params.type, includeIgnored: params.include_ignored },
    { folder: base.folder, wanted, signal },
  );
  if (refusal !== null && found.paths.length === 0) throw refusal;
  const where = { base, accepts: wanted, mayHold: folderFilter(params.pattern), signal };
  const isNamed = found.paths.includes(named);
  const notes = { ...found.notes, ...(params.type === "dir" || isNamed ? { ignored: [] } : {}) };
  const [all, omitted] = await Promise.all([
    newestFirst(files, { base, paths: isNamed ? [named] : found.paths, type: params.type, signal }),
    passedOver(searcher, where, notes),
  ]);
  const shown = fitting(all, settings);
  return data(
    {
      pattern: params.pattern,
      base_path: params.path,
      total_files: all.length,
      count: shown.length,
      matches: shown,
      ...(shown.length < all.length ? { results_capped: true } : {}),
    },
    { omitted: [...restOf(all.length - shown.length, found), ...unnamedOf(found), ...omitted] },
  ) satisfies PartialResult;
}

/** Returns the entry of `omitted` for paths that match and are not shown. */
function restOf(
  rest: number,
  { isComplete, paths }: Awaited<ReturnType<typeof findPaths>>,
): readonly Omission[] {
  if (isComplete && rest === 0) return [];
  const amount = `${isComplete ? "" : "at least "}${rest} paths`;
  const why = isComplete ? "one call shows no more" : `the walk was stopped after ${paths.length} paths`;
  return [{ what: "more paths that fit", amount, why, how: "a narrower pattern or path" }];
}

function unnamedOf({ unnamed }: Pick<Awaited<ReturnType<typeof findPaths>>, "unnamed">): readonly Omission[] {
  if (unnamed === 0) return [];
  return [
    {
      what: "paths that fit",
      amount: `${unnamed} paths`,
      why: "their names are not UTF-8",
      how: "bash: find",
    },
  ];
}

/**
 * Returns the filter for a pattern. A pattern that cannot be compiled may still be the name of a file, so it is refused only if
 * no file has that name.
 */
function compileOr(given: string, named: string): { fits: PathFilter; refusal: Refusal | null } {
  try {
    const fits = compilePattern(given);
    return { fits: (path) => path === named || fits(path), refusal: null };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { fits: (path) => path === named, refusal: thrown };
  }
}

/** Returns the first paths, as many as `max_results` and `max_output_bytes` allow, but at least one. */
function fitting(all: readonly FoundPath[], settings: Searcher["settings"]): FoundPath[] {
  const shown: FoundPath[] = [];
  let bytes = 0;
  for (const item of all.slice(0, settings.max_results)) {
    bytes += JSON.stringify(item).length;
    if (bytes > settings.max_output_bytes && shown.length > 0) break;
    shown.push(item);
  }
  return shown;
}

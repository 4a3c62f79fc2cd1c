import {
  data,
  defineTool,
  failure,
  type JsonObject,
  type Omission,
  type PartialResult,
} from "@toolmount/core";
import { answering } from "./answer.ts";
import { openBase, type Base } from "./base.ts";
import type { Settings } from "./config.ts";
import { nameArguments, walkArguments } from "./engine.ts";
import { grepSchema as schema, type GrepArguments } from "./grep-arguments.ts";
import { grepUsage as usage } from "./grep-usage.ts";
import { newestFirst } from "./newest-first.ts";
import { compileNamePattern, folderFilter, lastNamePattern, type PathFilter } from "./pattern.ts";
import { present } from "./present.ts";
import { Refusal } from "./refusal.ts";
import { collectClaims, type Claims } from "./ripgrep/matches.ts";
import { aliasNames, readFileTypes } from "./ripgrep/types.ts";
import { countFiles, passedOver, unread } from "./survey.ts";
import { openSearcher, type Searcher, type Services } from "./searcher.ts";

/** Makes the tool `grep`, which searches the contents of files. */
export function createGrep(settings: Settings, services?: Services) {
  return grepIn(openSearcher(settings, services));
}

export function grepIn(searcher: Searcher) {
  const seconds = searcher.settings.grep.timeout;
  return defineTool({
    name: "grep",
    description:
      "Searches the contents of the project's files for a regular expression, quickly, and past what is ignored. Use to find where something is said; to find files by name use glob, to read one use read_file.",
    summary: "Searches the contents of files.",
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
      answering({ context, seconds, title: "Search failed" }, (signal) => grep(searcher, params, signal)),
  });
}

async function grep(
  searcher: Searcher,
  params: GrepArguments,
  signal: AbortSignal,
): Promise<PartialResult<JsonObject>> {
  const base = await openBase(searcher.files, params.path);
  const accepts = await filterOf(searcher, params, base, signal);
  const args = await engineArguments(searcher, params, base, signal);
  const claims = await collectClaims({ args, cwd: base.folder, signal, guard: searcher.guard }, (path) =>
    base.kind === "file" ? true : accepts(path),
  );
  const problem = problemOf(claims);
  if (problem !== null) return problem;
  const { notes } = claims.ending;
  const { glob = "" } = params;
  const where = { base, accepts, mayHold: glob.includes("/") ? folderFilter(glob) : () => true, signal };
  const [answer, omitted] = await Promise.all([
    present(searcher, params, { base, claims, signal }),
    base.kind === "file" ? unread(notes.unreadable) : passedOver(searcher, where, notes),
  ]);
  const all = [...omitted, ...cutsOf(claims), ...restOf(answer)];
  if (base.kind === "file" || answer["total_matches"] !== 0) return data(answer, { omitted: all });
  const types = args.filter((each) => each.startsWith("--type"));
  const walk = { ...where, types, includeIgnored: params.include_ignored };
  const count = await countFiles(searcher, walk, notes);
  return data(
    { ...answer, ...(count !== null && { files_searched: count.searched }) },
    {
      omitted: all,
      warnings: unfit(params, count),
    },
  );
}

/** Returns a warning if the call has a `glob` or `type` and no file was searched; an empty result alone would mislead. */
function unfit(
  { glob, type }: GrepArguments,
  count: Awaited<ReturnType<typeof countFiles>>,
): readonly string[] | undefined {
  const filter = glob ?? type;
  if (count === null || count.searched > 0 || filter === undefined) return undefined;
  return [`no file that is searched fits ${filter}; ${count.present} files are there`];
}

/**
 * Returns the filter for the files of a search. A glob with special characters that is also the path of an existing file means
 * only that file.
 */
async function filterOf(
  { files }: Searcher,
  { glob }: GrepArguments,
  base: Base,
  signal: AbortSignal,
): Promise<PathFilter> {
  if (glob === undefined) return () => true;
  const named = glob.replace(/^(?:\.\/)+/, "");
  const exact = /[[{*?]/.test(named)
    ? await newestFirst(files, { base, paths: [named], type: "file", signal })
    : [];
  return exact.length > 0 ? (path) => path === named : compileNamePattern(glob);
}

/** Returns the entry of `omitted` for the results after the page. */
function restOf(answer: JsonObject): readonly Omission[] {
  const { next_offset: next, counts, total_matches: total } = answer;
  if (next === undefined) return [];
  const amount = counts === undefined ? `${Number(total) - Number(next)} results` : "the files after these";
  return [
    {
      what: "more results",
      amount,
      why: "the page is full",
      how: `the same call with offset: ${Number(next)}`,
    },
  ];
}

async function engineArguments(
  { settings, guard }: Searcher,
  params: GrepArguments,
  base: Base,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (`${params.pattern}${params.glob ?? ""}`.includes("\0"))
    throw new Refusal(
      "Invalid pattern: it holds a NUL character; write \\x00 in a regular expression",
      "INVALID_PATTERN",
    );
  const type =
    params.type === undefined ? null : await resolveType(params.type, { cwd: base.folder, signal, guard });
  const name = type !== null || params.glob === undefined ? null : lastNamePattern(params.glob);
  return [
    "--json",
    ...walkArguments(settings, params.include_ignored),
    ...(base.kind === "file" ? [] : [`--max-filesize=${settings.grep.max_file_size}`]),
    "--no-mmap",
    "--crlf",
    params["-i"] ? "--ignore-case" : "--case-sensitive",
    ...(params.multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(params.output_mode === "files_with_matches" ? ["--max-count=1"] : []),
    ...(type === null ? [] : [`--type=${type}`]),
    ...nameArguments(name),
    `--regexp=${patternOf(params)}`,
    ...latin1Pattern(patternOf(params)),
    "--",
    base.target,
  ];
}

/** Returns the pattern for the engine. With `multiline`, `\n` matches any line end, except in a set of characters. */
function patternOf({ pattern, multiline }: GrepArguments): string {
  if (!multiline) return pattern;
  return pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, (part) =>
    part === String.raw`\n` ? String.raw`(?:\r?\n)` : part,
  );
}

/**
 * Returns an argument with the pattern as Latin-1 bytes, because `read_file` shows files that are not UTF-8 as Latin-1. None if
 * the pattern is ASCII, or has characters that are not Latin-1, or has any but ASCII in a set.
 */
function latin1Pattern(pattern: string): readonly string[] {
  const isLatin1 = /^[\0-\u00ff]*$/.test(pattern) && /[\u0080-\u00ff]/.test(pattern);
  if (!isLatin1 || /\[[^\]]*[\u0080-\u00ff]/.test(pattern)) return [];
  const byte = (sign: string) => String.raw`(?-u:\x${sign.charCodeAt(0).toString(16)})`;
  return [`--regexp=${pattern.replaceAll(/[\u0080-\u00ff]/g, byte)}`];
}

async function resolveType(given: string, run: Parameters<typeof readFileTypes>[0]): Promise<string> {
  const types = await readFileTypes(run);
  const type = types.resolve(given);
  if (type !== null) return type;
  const valid = types.names.join(", ");
  throw new Refusal(
    `Unrecognized file type: '${given}'. Valid types: ${valid}. Also accepts aliases: ${aliasNames.join(", ")}`,
    "INVALID_TYPE",
  );
}

/** Returns a failure if the engine reported an error about the whole search. */
function problemOf({ ending }: Claims): PartialResult<never> | null {
  if (ending.wasStopped || ending.code === 0 || ending.code === 1 || ending.error === "") return null;
  const said = ending.error.replace(/^rg: /, "");
  const hint = /Consider enabling multiline/.test(said) ? "; set multiline to true" : "";
  const short = said.split(/\n\s*\n/)[0]!;
  if (/regex|look-around|literal/i.test(short))
    return failure(`Invalid regex pattern: ${short}${hint}`, { code: "INVALID_PATTERN" });
  return failure(`Search failed: ${short}`, { code: "SEARCH_FAILED" });
}

/** Returns the entries of `omitted` for what the engine left out. */
function cutsOf({ ending, files, skippedLines, unnamedFiles }: Claims): readonly Omission[] {
  const narrower = "a narrower path, glob or type";
  const cuts: readonly (Omission | false)[] = [
    ending.wasStopped && {
      what: "the rest of the search",
      amount: `all after ${files.length} files`,
      why: "the search was stopped there",
      how: narrower,
    },
    skippedLines > 0 && {
      what: "matching lines",
      amount: `${skippedLines} lines`,
      why: "they are too long to be looked at",
      how: "bash: grep",
    },
    unnamedFiles > 0 && {
      what: "files with matches",
      amount: `${unnamedFiles} files`,
      why: "their names are not UTF-8",
      how: "bash: grep",
    },
  ];
  return cuts.filter((each) => each !== false);
}

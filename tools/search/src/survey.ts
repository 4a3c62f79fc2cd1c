import type { Omission } from "@toolmount/core";
import type { Base } from "./base.ts";
import { isNameArgument, walkArguments } from "./engine.ts";
import { newestFirst } from "./newest-first.ts";
import type { PathFilter } from "./pattern.ts";
import { relativePath } from "./ripgrep/paths.ts";
import { runRipgrep } from "./ripgrep/run.ts";
import type { Searcher } from "./searcher.ts";

/** Milliseconds that the count of what was passed over may take, so that a slow count spoils no search. */
const patience = 3_000;

/** Does a count under its own limit of time. The search has its results already, so a count that is too slow is left out. */
export async function inTime<Value>(
  signal: AbortSignal,
  count: (signal: AbortSignal) => Promise<Value>,
  otherwise: (uncounted: Omission) => Value,
): Promise<Value> {
  const limit = AbortSignal.timeout(patience);
  try {
    return await count(AbortSignal.any([signal, limit]));
  } catch (thrown) {
    if (signal.aborted || !limit.aborted) throw thrown;
    const why = `counting them takes more than ${patience / 1_000} seconds`;
    const how = "a narrower path, or the same call with include_ignored: true";
    return otherwise({ what: "files that were passed over", amount: "not counted", why, how });
  }
}

/** What a search passed over, and how many files it looked at. */
export interface Survey {
  readonly omitted: readonly Omission[];
  /** Counts the files that were searched, and all that are in the folder, whether or not the glob fits them. Null: not counted. */
  readonly count: (() => Promise<{ readonly searched: number; readonly present: number }>) | null;
}

interface Where {
  readonly base: Base;
  readonly accepts: PathFilter;
  readonly includeIgnored: boolean;
  /** Arguments of the search that select files by their type or name. */
  readonly types: readonly string[];
  readonly signal: AbortSignal;
}

/** Most paths that the engine lists. */
const most = 200_000;

/** Most paths of one kind that are checked and counted: a search with results must not take longer for them. */
const maxCounted = 200;

/**
 * Finds the files of a folder that a search passed over, so that it does not hide them.
 *
 * The lists of the engine are claims: a link may have led it outside meanwhile. Only files that the checks of paths find
 * are counted and named.
 */
export async function surveyFolder(searcher: Searcher, where: Where): Promise<Survey> {
  const maxBytes = searcher.settings.grep.max_file_size;
  const list = (...more: readonly string[]) => listFiles(searcher, where, more);
  const [present, small, withNul] = await Promise.all([
    list("--files"),
    list("--files", `--max-filesize=${maxBytes}`),
    list("--files-with-matches", "--text", `--max-filesize=${maxBytes}`, String.raw`--regexp=(?-u)\x00`),
  ]);
  const [searchable, binary] = [new Set(small), withNul.filter(where.accepts)];
  const all = present.filter(where.accepts);
  const large = all.filter((path) => !searchable.has(path));
  const omitted = await Promise.all([
    omission(searcher, where, large, {
      what: `files of more than ${maxBytes} bytes`,
      why: "they are too large",
      how: (names) => `grep with path ${names}`,
    }),
    omission(searcher, where, binary, {
      what: "binary files",
      why: "they hold a NUL",
      how: (names) => `bash: grep -a ${names}`,
    }),
    ignoredFiles(searcher, where, present),
  ]);
  const checked = async (paths: readonly string[]) =>
    (await newestFirst(searcher.files, { base: where.base, paths, type: "file", signal: where.signal }))
      .length;
  const left = new Set([...large, ...binary]);
  // Whether or not the glob fits them.
  const types = where.types.filter((each) => !isNameArgument(each));
  return {
    omitted: omitted.filter((each) => each !== null),
    count: async () => ({
      searched: await checked(all.filter((path) => !left.has(path))),
      present: await checked(await listFiles(searcher, { ...where, types }, ["--files"])),
    }),
  };
}

/** Ignored files that the search would look at otherwise. `present`: the files that are not ignored. */
export async function ignoredFiles(
  searcher: Searcher,
  where: Where,
  present: readonly string[],
): Promise<Omission | null> {
  // Beyond the most that is listed, a file that is not listed may be there.
  if (where.includeIgnored || present.length >= most) return null;
  const known = new Set(present);
  const isIgnored = (path: string) => where.accepts(path) && !known.has(path);
  const paths = await listFiles(
    searcher,
    { ...where, includeIgnored: true },
    ["--files"],
    isIgnored,
    maxCounted + 1,
  );
  return omission(searcher, where, paths, {
    what: "ignored files",
    why: "ignore files or exclusions name them",
    how: () => "the same call with include_ignored: true",
  });
}

/** Files of one kind that were passed over. */
interface PassedOver {
  readonly what: string;
  readonly why: string;
  /** The way to the files; `names` are the first three. */
  readonly how: (names: string) => string;
}

/** The entry for files that were passed over; null when the checks of paths find none. */
async function omission(
  { files }: Searcher,
  { base, signal }: Where,
  claims: readonly string[],
  { what, why, how }: PassedOver,
): Promise<Omission | null> {
  const paths = claims.slice(0, maxCounted);
  const found = await newestFirst(files, { base, paths, type: "file", signal });
  if (found.length === 0) return null;
  const names = found.map(({ path }) => path).toSorted();
  const least = claims.length > maxCounted ? "at least " : "";
  const amount = `${least}${found.length} ${found.length === 1 ? "file" : "files"}`;
  return { what, amount, why, how: how(names.slice(0, 3).join(", ")) };
}

async function listFiles(
  { settings, guard }: Searcher,
  { base, types, includeIgnored, signal }: Where,
  more: readonly string[],
  isWanted: PathFilter = () => true,
  limit = most,
): Promise<readonly string[]> {
  const args = ["--null", ...walkArguments(settings, includeIgnored), ...types, ...more, "--", "./"];
  const paths: string[] = [];
  await runRipgrep({ args, cwd: base.folder, separator: "\0", signal, guard }, (record) => {
    const path = relativePath(record.toString());
    if (isWanted(path)) paths.push(path);
    return paths.length < limit;
  });
  return paths;
}

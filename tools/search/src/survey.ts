import type { Omission } from "@toolmount/core";
import type { Base } from "./base.ts";
import { isNameArgument, walkArguments } from "./engine.ts";
import { newestFirst } from "./newest-first.ts";
import type { PathFilter } from "./pattern.ts";
import type { Notes } from "./ripgrep/notes.ts";
import { relativePath } from "./ripgrep/paths.ts";
import { runRipgrep } from "./ripgrep/run.ts";
import type { Searcher } from "./searcher.ts";

/** Maximum number of paths of one kind that are checked and counted, so that this does not delay the result. */
const maxCounted = 200;

/** The place of a search, and the files that it may report. */
interface Where {
  readonly base: Base;
  readonly accepts: PathFilter;
  /** Whether a folder may contain a file that `accepts` takes. */
  readonly mayHold: PathFilter;
  readonly signal: AbortSignal;
}

/** Returns entries of `omitted` for what a search skipped on its walk, so that the result does not hide it. */
export async function passedOver(
  searcher: Searcher,
  where: Where,
  { large, binary, ignored, unreadable, isHeard }: Notes,
): Promise<readonly Omission[]> {
  if (!isHeard) return [notHeard];
  const maxBytes = searcher.settings.grep.max_file_size;
  const found = await Promise.all([
    omission(searcher, where, large, {
      what: `files of more than ${maxBytes} bytes`,
      why: () => "they are too large",
      how: (names) => `grep with path ${names}`,
    }),
    omission(searcher, where, binary, {
      what: "binary files",
      why: () => "they hold a NUL",
      how: (names) => `bash: grep -a ${names}`,
    }),
    omission(searcher, where, ignored, {
      what: "ignored files",
      why: (names) => `ignore files or exclusions name ${names}`,
      how: () => "the same call with include_ignored: true",
    }),
  ]);
  return [...found.filter((each) => each !== null), ...unread(unreadable)];
}

const notHeard: Omission = {
  what: "files that were passed over",
  amount: "not counted",
  why: "this engine does not name them",
  how: "the same call with include_ignored: true",
};

/** Returns the entry of `omitted` for what the engine could not read. */
export function unread(count: number): readonly Omission[] {
  if (count === 0) return [];
  const why = "they could not be read";
  return [{ what: "files or folders", amount: String(count), why, how: "change their permissions" }];
}

/** Words for skipped paths of one kind; `names` are the first three paths. */
interface PassedOver {
  readonly what: string;
  readonly why: (names: string) => string;
  readonly how: (names: string) => string;
}

/** Returns the entry of `omitted` for skipped paths; null if the checks of paths find none of them. */
async function omission(
  { files }: Searcher,
  { base, accepts, mayHold, signal }: Where,
  claims: readonly string[],
  { what, why, how }: PassedOver,
): Promise<Omission | null> {
  const look = (fits: PathFilter, type: "file" | "dir") =>
    newestFirst(files, { base, paths: claims.filter(fits).slice(0, maxCounted), type, signal });
  const [some, folders] = await Promise.all([look(accepts, "file"), look(mayHold, "dir")]);
  if (some.length + folders.length === 0) return null;
  const names = [...some, ...folders].map(({ path }) => path).toSorted();
  const shown = names.slice(0, 3).join(", ") + (names.length > 3 ? " and others" : "");
  const counts = [countOf(some.length, "file"), countOf(folders.length, "folder")].filter(Boolean);
  const least = claims.length > maxCounted ? "at least " : "";
  return {
    what,
    amount: `${least}${counts.join(" and ")}`,
    why: why(shown),
    how: how(names.slice(0, 3).join(", ")),
  };
}

function countOf(count: number, noun: string): string {
  return count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Maximum number of paths that the engine lists for a count. */
const most = 200_000;

/** Longest time for a count of all files, in milliseconds, so that a slow count does not delay a search. */
const patience = 3_000;

/**
 * Counts the files that were searched, and all files of the wanted `type` in the folder, whatever `glob` is. Returns null if
 * this takes longer than `patience`; the search itself is done already.
 */
export async function countFiles(
  searcher: Searcher,
  { base, accepts, includeIgnored, types, signal }: Omit<Where, "mayHold"> & WalkOptions,
  { binary }: Notes,
): Promise<{ readonly searched: number; readonly present: number } | null> {
  const limit = AbortSignal.timeout(patience);
  const walk = { base, includeIgnored, signal: AbortSignal.any([signal, limit]) };
  const checked = async (paths: readonly string[]) =>
    (await newestFirst(searcher.files, { base, paths, type: "file", signal: walk.signal })).length;
  const left = new Set(binary);
  try {
    const small = `--max-filesize=${searcher.settings.grep.max_file_size}`;
    const [some, all] = await Promise.all([
      listFiles(searcher, walk, [...types, small]),
      listFiles(
        searcher,
        walk,
        types.filter((each) => !isNameArgument(each)),
      ),
    ]);
    const searched = some.filter((path) => accepts(path) && !left.has(path));
    return { searched: await checked(searched), present: await checked(all) };
  } catch (thrown) {
    if (signal.aborted || !limit.aborted) throw thrown;
    return null;
  }
}

/** Options for listing the files of a search. */
interface WalkOptions {
  readonly includeIgnored: boolean;
  /** Arguments of the search that select files by their type or name. */
  readonly types: readonly string[];
}

async function listFiles(
  { settings, guard }: Searcher,
  { base, includeIgnored, signal }: Pick<Where, "base" | "signal"> & Pick<WalkOptions, "includeIgnored">,
  more: readonly string[],
): Promise<readonly string[]> {
  const args = ["--files", "--null", ...walkArguments(settings, includeIgnored), ...more, "--", "./"];
  const paths: string[] = [];
  await runRipgrep({ args, cwd: base.folder, separator: "\0", signal, guard }, (record) => {
    paths.push(relativePath(record.toString()));
    return paths.length < most;
  });
  return paths;
}

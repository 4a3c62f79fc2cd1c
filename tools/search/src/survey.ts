import { posix } from "node:path";
import type { Omission } from "@toolmount/core";
import type { Base } from "./base.ts";
import { walkArguments } from "./engine.ts";
import { newestFirst, type FoundPath } from "./newest-first.ts";
import type { PathFilter } from "./pattern.ts";
import { relativePath } from "./ripgrep/paths.ts";
import { runRipgrep } from "./ripgrep/run.ts";
import type { Searcher } from "./searcher.ts";

/** What a search that found nothing looked at, and what it did not look at. */
interface Survey {
  /** Files that were searched. */
  readonly searched: number;
  /** Files in the folder, whether or not the glob fits them. */
  readonly present: number;
  readonly omitted: readonly Omission[];
}

interface Where {
  readonly base: Base;
  readonly accepts: PathFilter;
  readonly includeIgnored: boolean;
  /** Arguments of the search that select files by their type. */
  readonly types: readonly string[];
  readonly signal: AbortSignal;
}

/** Most files that are counted. */
const most = 50_000;

/**
 * Counts the files of a folder that a search passed over: a search that found nothing must not hide them.
 *
 * What the engine lists is a claim: a link may have led it outside meanwhile. Only files that the checks of paths find are counted
 * and named.
 */
export async function surveyFolder(searcher: Searcher, where: Where): Promise<Survey> {
  const { settings } = searcher;
  const { base, includeIgnored } = where;
  const maxBytes = settings.grep.max_file_size;
  const fits = ({ path }: FoundPath) => where.accepts(posix.relative(base.shown("."), path));
  const present = await listFiles(searcher, where, includeIgnored, "--files");
  const all = present.filter(fits);
  const isLarge = ({ size = 0 }: FoundPath) => size > maxBytes;
  const large = all.filter(isLarge);
  const small = new Set(all.filter((file) => !isLarge(file)).map(({ path }) => path));
  const claims = await listFiles(searcher, where, includeIgnored, ...binaryFiles(maxBytes));
  const binary = claims.filter(({ path }) => small.has(path));
  const more = includeIgnored ? [] : await listFiles(searcher, where, true, "--files");
  const ignored = more.filter(fits).length - all.length;
  const omitted = [
    omission(
      `files of more than ${maxBytes} bytes`,
      large.length,
      "they are too large",
      named("grep with path", large),
    ),
    omission("binary files", binary.length, "they hold a NUL", named("bash: grep -a", binary)),
    omission(
      "ignored files",
      ignored,
      "ignore files or exclusions name them",
      "the same call with include_ignored: true",
    ),
  ];
  return {
    searched: all.length - large.length - binary.length,
    present: present.length,
    omitted: omitted.filter((each) => each !== null),
  };
}

function binaryFiles(maxBytes: number): readonly string[] {
  const nul = String.raw`--regexp=(?-u)\x00`;
  return ["--files-with-matches", "--text", `--max-filesize=${maxBytes}`, nul];
}

function named(way: string, files: readonly FoundPath[]): string {
  const paths = files.map(({ path }) => path).toSorted();
  return `${way} ${paths.slice(0, 3).join(", ")}`;
}

function omission(what: string, count: number, why: string, how: string): Omission | null {
  const amount = `${count >= most ? "at least " : ""}${count} ${count === 1 ? "file" : "files"}`;
  return count > 0 ? { what, amount, why, how } : null;
}

async function listFiles(
  { settings, files, guard }: Searcher,
  { base, types, signal }: Where,
  isIgnored: boolean,
  ...more: readonly string[]
): Promise<readonly FoundPath[]> {
  const args = ["--null", ...walkArguments(settings, isIgnored), ...types, ...more, "--", "./"];
  const paths: string[] = [];
  await runRipgrep({ args, cwd: base.folder, separator: "\0", signal, guard }, (record) => {
    paths.push(relativePath(record.toString()));
    return paths.length < most;
  });
  return newestFirst(files, { base, paths, type: "file", signal });
}

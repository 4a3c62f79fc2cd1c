import type { Omission } from "@toolmount/core";
import { walkArguments } from "./engine.ts";
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
  readonly folder: string;
  readonly accepts: PathFilter;
  readonly includeIgnored: boolean;
  /** Arguments of the search that select files by their type. */
  readonly types: readonly string[];
  readonly signal: AbortSignal;
}

/** Most files that are counted. */
const most = 50_000;

/** Counts the files of a folder that a search passed over: a search that found nothing must not hide them. */
export async function surveyFolder(searcher: Searcher, where: Where): Promise<Survey> {
  const { settings } = searcher;
  const { folder, types, signal } = where;
  const maxBytes = settings.grep.max_file_size;
  const list = (isIgnored: boolean, ...more: readonly string[]) =>
    listFiles(
      searcher,
      [...walkArguments(settings, isIgnored), ...types, ...more, "--", "./"],
      folder,
      signal,
    );
  const fitting = (paths: readonly string[]) => paths.filter(where.accepts);
  const present = await list(where.includeIgnored, "--files");
  const all = fitting(present);
  const small = new Set(await list(where.includeIgnored, "--files", `--max-filesize=${maxBytes}`));
  const binary = fitting(
    await list(
      where.includeIgnored,
      "--files-with-matches",
      "--text",
      `--max-filesize=${maxBytes}`,
      String.raw`--regexp=(?-u)\x00`,
    ),
  );
  const ignored = where.includeIgnored ? 0 : fitting(await list(true, "--files")).length - all.length;
  const large = all.filter((path) => !small.has(path));
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

function named(way: string, paths: readonly string[]): string {
  return `${way} ${paths.slice(0, 3).join(", ")}`;
}

function omission(what: string, count: number, why: string, how: string): Omission | null {
  const amount = `${count >= most ? "at least " : ""}${count} ${count === 1 ? "file" : "files"}`;
  return count > 0 ? { what, amount, why, how } : null;
}

async function listFiles(
  { guard }: Searcher,
  args: readonly string[],
  folder: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const paths: string[] = [];
  await runRipgrep({ args: ["--null", ...args], cwd: folder, separator: "\0", signal, guard }, (record) => {
    paths.push(relativePath(record.toString()));
    return paths.length < most;
  });
  return paths;
}

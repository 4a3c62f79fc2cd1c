import { posix } from "node:path";
import { walkArguments } from "./engine.ts";
import type { PathFilter } from "./pattern.ts";
import { Refusal } from "./refusal.ts";
import type { Notes } from "./ripgrep/notes.ts";
import { relativePath } from "./ripgrep/paths.ts";
import { runRipgrep } from "./ripgrep/run.ts";
import type { Searcher } from "./searcher.ts";

/** Most paths that one search collects; the engine is stopped there. */
const maxPaths = 50_000;

interface Wanted {
  readonly searcher: Pick<Searcher, "settings" | "guard">;
  readonly type: "file" | "dir" | "any";
  readonly includeIgnored: boolean;
}

/**
 * Lets the engine walk a folder, and collects the wanted paths that it reports: files, and the folders they are in.
 * They are claims: no path has been checked yet.
 */
export async function findPaths(
  { searcher: { settings, guard }, type, includeIgnored }: Wanted,
  { folder, wanted, signal }: { folder: string; wanted: PathFilter; signal: AbortSignal },
): Promise<{ paths: readonly string[]; isComplete: boolean; notes: Notes }> {
  const paths: string[] = [];
  const folders = new Set<string>(["."]);
  const args = ["--files", "--null", ...walkArguments(settings, includeIgnored), "--", "./"];
  const { code, error, notes } = await runRipgrep(
    { args, cwd: folder, separator: "\0", signal, guard },
    (record) => {
      const path = relativePath(record.toString());
      if (type !== "dir" && wanted(path)) paths.push(path);
      if (type !== "file") for (const each of newFolders(path, folders)) if (wanted(each)) paths.push(each);
      return paths.length < maxPaths;
    },
  );
  if (code === 2 && error !== "") throw new Refusal(`Glob search failed: ${error}`, "SEARCH_FAILED");
  return { paths, isComplete: paths.length < maxPaths, notes };
}

/** The folders above a path that were not met before. */
function newFolders(path: string, known: Set<string>): string[] {
  const folders: string[] = [];
  for (let folder = posix.dirname(path); !known.has(folder); folder = posix.dirname(folder)) {
    known.add(folder);
    folders.push(folder);
  }
  return folders;
}

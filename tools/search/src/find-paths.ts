import { isUtf8 } from "node:buffer";
import { posix } from "node:path";
import { walkArguments } from "./engine.ts";
import type { PathFilter } from "./pattern.ts";
import { Refusal } from "./refusal.ts";
import type { Notes } from "./ripgrep/notes.ts";
import { relativePath } from "./ripgrep/paths.ts";
import { runRipgrep } from "./ripgrep/run.ts";
import type { Searcher } from "./searcher.ts";

/** Maximum number of paths that one search collects; the engine is then stopped. */
const maxPaths = 50_000;

interface Wanted {
  readonly searcher: Pick<Searcher, "settings" | "guard">;
  readonly type: "file" | "dir" | "any";
  readonly includeIgnored: boolean;
}

/**
 * Lets the engine walk a folder, and collects the wanted paths that it reports: files, and the folders that contain them. These
 * are claims: no path has been checked yet. Paths that are not UTF-8 are only counted, because no call could name them.
 */
export async function findPaths(
  { searcher: { settings, guard }, type, includeIgnored }: Wanted,
  { folder, wanted, signal }: { folder: string; wanted: PathFilter; signal: AbortSignal },
): Promise<{ paths: readonly string[]; unnamed: number; isComplete: boolean; notes: Notes }> {
  const paths: string[] = [];
  let unnamed = 0;
  const folders = new Set<string>(["."]);
  const args = ["--files", "--null", ...walkArguments(settings, includeIgnored), "--", "./"];
  const { code, error, notes } = await runRipgrep(
    { args, cwd: folder, separator: "\0", signal, guard },
    (record) => {
      const path = relativePath(record.toString());
      const isText = isUtf8(record);
      const found = [
        ...(type === "dir" ? [] : [path]),
        ...(type === "file" ? [] : newFolders(path, folders)),
      ];
      for (const each of found.filter(wanted)) {
        if (isText || !each.includes("\ufffd")) paths.push(each);
        else unnamed += 1;
      }
      return paths.length < maxPaths;
    },
  );
  if (code === 2 && error !== "") throw new Refusal(`Glob search failed: ${error}`, "SEARCH_FAILED");
  return { paths, unnamed, isComplete: paths.length < maxPaths, notes };
}

/** Returns the folders above a path that were not seen before. */
function newFolders(path: string, known: Set<string>): string[] {
  const folders: string[] = [];
  for (let folder = posix.dirname(path); !known.has(folder); folder = posix.dirname(folder)) {
    known.add(folder);
    folders.push(folder);
  }
  return folders;
}

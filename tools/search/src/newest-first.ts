import { posix } from "node:path";
import { isPathError, type EntryFacts, type Files } from "@toolmount/paths";
import type { Base } from "./base.ts";

export interface FoundPath {
  readonly path: string;
  readonly type: "file" | "dir";
  /** Size of a file in bytes. */
  readonly size?: number;
}

/** Number of folders that are opened at the same time. */
const together = 16;

/**
 * Checks claimed paths, and returns those that exist and may be read, the most recently written first.
 *
 * The engine walks without these checks, and an entry may have become a link meanwhile, so each folder is opened by `files`,
 * which checks its path.
 */
export async function newestFirst(
  files: Files,
  {
    base,
    paths,
    type,
    signal,
  }: { base: Base; paths: readonly string[]; type: "file" | "dir" | "any"; signal: AbortSignal },
): Promise<FoundPath[]> {
  const byFolder = Map.groupBy(paths, (path) => posix.dirname(path));
  const folders = [...byFolder];
  const found: { path: string; entry: EntryFacts }[] = [];
  for (let at = 0; at < folders.length; at += together) {
    signal.throwIfAborted();
    const some = folders.slice(at, at + together);
    const looked = await Promise.all(
      some.map(([folder, members]) => lookIn(files, base.real(folder), members)),
    );
    found.push(...looked.flat());
  }
  return found
    .filter(({ entry }) => isMeant(entry, type))
    .toSorted((a, b) => b.entry.modifiedMs - a.entry.modifiedMs || (a.path < b.path ? -1 : 1))
    .map(({ path, entry }) => ({
      path: base.shown(path),
      type: entry.kind === "directory" ? "dir" : "file",
      ...(entry.bytes === undefined ? {} : { size: entry.bytes }),
    }));
}

async function lookIn(files: Files, folder: string, members: readonly string[]) {
  try {
    const entries = await files.look(
      folder,
      members.map((path) => posix.basename(path)),
    );
    return members.flatMap((path, at) => {
      const entry = entries[at] ?? null;
      return entry === null ? [] : [{ path, entry }];
    });
  } catch (thrown) {
    if (isPathError(thrown)) return [];
    throw thrown;
  }
}

function isMeant({ kind }: EntryFacts, type: "file" | "dir" | "any"): boolean {
  if (kind === "file") return type !== "dir";
  return kind === "directory" && type !== "file";
}

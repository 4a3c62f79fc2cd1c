import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { basename } from "node:path";
import type { Disk } from "./disk.ts";
import { entryOf, openFolder, type Folder } from "./folder.ts";
import { errnoOf, PathError } from "./path-error.ts";
import type { Place } from "./place.ts";

/** The kind of a directory entry. Links are not followed. */
export type EntryKind = "file" | "directory" | "link" | "other";

/** An entry of a folder. A link is reported as a link, and not followed. */
export interface Entry {
  readonly name: string;
  readonly kind: EntryKind;
  /** Size of a file; absent for other entries. */
  readonly bytes?: number;
}

/** The state of an entry when it was read. */
export interface EntryFacts extends Entry {
  /** When the entry was last written, in milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** A page of a folder's entries: folders first, then by name. */
export interface Listing {
  readonly entries: readonly Entry[];
  /** Number of entries that were looked at, which is at most `maxNames`. `isComplete` says whether these are all. */
  readonly total: number;
  readonly isComplete: boolean;
}

/** Maximum number of names of a folder that are looked at and sorted. */
const maxNames = 100_000;

/** Lists at most `limit` entries of a folder, from entry `offset` (counted from 0) on. */
export async function listFolder(
  disk: Disk,
  { given, real }: Place,
  { offset, limit, signal }: { offset: number; limit: number; signal?: AbortSignal | undefined },
): Promise<Listing> {
  const folder = await openListed(disk, { given, real });
  try {
    const found = await namesOf(folder, signal);
    if (!(await folder.isInPlace())) throw new PathError("ACCESS_DENIED", { path: given, reason: "read" });
    const sorted = found.entries.toSorted(directoriesFirst).slice(offset, offset + limit);
    const entries = await Promise.all(sorted.map((entry) => withSize(folder, entry)));
    return { entries, total: found.entries.length, isComplete: found.isComplete };
  } finally {
    await folder.close();
  }
}

/** Returns the facts about entries of a folder, in the order of `names`. Null for a name without an entry. */
export async function lookAt(
  disk: Disk,
  { given, real }: Place,
  names: readonly string[],
): Promise<(EntryFacts | null)[]> {
  const folder = await openListed(disk, { given, real });
  try {
    const found = await Promise.all(names.map((name) => factsOf(folder, name)));
    if (!(await folder.isInPlace())) throw new PathError("ACCESS_DENIED", { path: given, reason: "read" });
    return found;
  } finally {
    await folder.close();
  }
}

async function factsOf(folder: Folder, name: string): Promise<EntryFacts | null> {
  // A name that contains a separator would leave the open folder.
  if (name !== basename(name) || ["", ".", ".."].includes(name) || name.includes("\0")) return null;
  const stat = await entryOf(folder, name);
  if (stat === null) return null;
  const kind = kindOf(stat);
  return {
    name,
    kind,
    ...(kind === "file" ? { bytes: Number(stat.size) } : {}),
    modifiedMs: Number(stat.mtimeMs),
  };
}

async function openListed(disk: Disk, { given, real }: Place): Promise<Folder> {
  try {
    return await openFolder(disk, real, { given, access: "read" });
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOTDIR")
      throw new PathError("NOT_A_DIRECTORY", { path: given }, { cause: thrown });
    throw thrown;
  }
}

async function namesOf(
  folder: Folder,
  signal?: AbortSignal,
): Promise<{ entries: Entry[]; isComplete: boolean }> {
  const entries: Entry[] = [];
  for await (const entry of await opendir(folder.path(), { bufferSize: 256 })) {
    signal?.throwIfAborted();
    if (entries.length === maxNames) return { entries, isComplete: false };
    entries.push({ name: entry.name, kind: kindOf(entry) });
  }
  return { entries, isComplete: true };
}

function kindOf(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): EntryKind {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "directory";
  return entry.isFile() ? "file" : "other";
}

function directoriesFirst(a: Entry, b: Entry): number {
  const folders = Number(b.kind === "directory") - Number(a.kind === "directory");
  return folders !== 0 ? folders : a.name < b.name ? -1 : 1;
}

async function withSize(folder: Folder, entry: Entry): Promise<Entry> {
  if (entry.kind !== "file") return entry;
  const stat = await entryOf(folder, entry.name);
  return stat?.isFile() === true ? { ...entry, bytes: Number(stat.size) } : entry;
}

import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type BigIntStats,
} from "node:fs";
import { isUnsure, pathOfText, textOfName } from "./file-names.ts";

/** The kinds of entries. A whiteout is the mark of the kernel's overlay for a deleted entry. */
type EntryKind = "file" | "folder" | "link" | "pipe" | "socket" | "device" | "whiteout";

/**
 * An entry as the kernel reports it. Times in nanoseconds and the inode are decimal text, because they exceed JSON's numbers.
 */
export interface Mark {
  readonly kind: EntryKind;
  readonly inode: string;
  readonly bytes: number;
  readonly modified: string;
  /** When the kernel last changed the entry. A program cannot set it. */
  readonly changed: string;
  readonly mode: number;
  /** Number of names that the file has. */
  readonly names: number;
}

/** Returns a description of the entry at a path; null if there is none. Does not follow links. */
export function markOf(path: string): Mark | null {
  const stat = statOf(path);
  if (stat === null) return null;
  return {
    kind: kindOf(stat),
    inode: String(stat.ino),
    bytes: Number(stat.size),
    modified: String(stat.mtimeNs),
    changed: String(stat.ctimeNs),
    mode: Number(stat.mode & 0o7777n),
    names: Number(stat.nlink),
  };
}

/** Joins a folder and a path below it, both without dots. Node's `join` would take most of the time of a comparison. */
export function within(folder: string, path: string): string {
  if (folder === "" || path === "") return folder + path;
  return `${folder}/${path}`;
}

/** Returns what the kernel knows about an entry; null if there is none. Does not follow links. */
export function statOf(path: string): BigIntStats | null {
  return orNull(() => lstatSync(pathOfText(path), { bigint: true, throwIfNoEntry: false }) ?? null);
}

function kindOf(stat: BigIntStats): EntryKind {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "folder";
  if (stat.isSymbolicLink()) return "link";
  if (stat.isFIFO()) return "pipe";
  if (stat.isSocket()) return "socket";
  return stat.isCharacterDevice() && stat.rdev === 0n ? "whiteout" : "device";
}

/** Returns the sorted names in a folder; empty if there is no folder. */
export function namesIn(folder: string): readonly string[] {
  const path = pathOfText(folder);
  const names = orNull(() => readdirSync(path)) ?? [];
  const sure = names.some(isUnsure) ? readdirSync(path, "buffer").map(textOfName) : names;
  return sure.toSorted();
}

/** Whether this process can list a folder and look at its entries. A program in a layer may have taken these rights away. */
export function isReadable(folder: string): boolean {
  try {
    accessSync(pathOfText(folder), constants.R_OK | constants.X_OK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return false;
    throw error;
  }
}

/** Whether this process can change the mode and times of an entry. True if there is none. */
export function isOwned(path: string): boolean {
  const [own, stat] = [process.getuid?.(), statOf(path)];
  return own === 0 || stat === null || Number(stat.uid) === own;
}

export const foreign = "it belongs to another user, so what changed in it cannot be kept";

/**
 * Returns why this process cannot change the names in a folder; undefined if it can, also by changing the mode of its own
 * folder.
 */
export function obstacleIn(folder: string): string | undefined {
  if (statOf(folder)?.isDirectory() !== true) return undefined;
  try {
    accessSync(pathOfText(folder), constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EACCES") return `what is in it cannot be changed (${code})`;
    return isOwned(folder) ? undefined : foreign;
  }
}

/** Whether both marks are of the same entry on the disk. */
export function isSame(one: Mark | null, other: Mark | null): boolean {
  return one !== null && other !== null && one.inode === other.inode;
}

/** Whether two entries look equal to a reader: in kind, mode and content. Folders never count as equal. */
export function isEqual(one: string, other: string): boolean {
  const [a, b] = [markOf(one), markOf(other)];
  if (a === null || b === null || a.kind !== b.kind) return false;
  if (a.kind === "link") return targetOf(one) === targetOf(other);
  if (a.kind !== "file" || a.bytes !== b.bytes || a.mode !== b.mode) return false;
  return isSame(a, b) || isEqualFile(one, other);
}

/** Returns the path to which a link leads. */
export function targetOf(link: string): string {
  return textOfName(readlinkSync(pathOfText(link), "buffer"));
}

const chunkBytes = 1_048_576;

function isEqualFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => openSync(pathOfText(path), "r")) as [number, number];
  const [left, right] = [Buffer.alloc(chunkBytes), Buffer.alloc(chunkBytes)];
  try {
    for (;;) {
      const length = readSync(a, left);
      if (length !== readSync(b, right) || left.compare(right, 0, length, 0, length) !== 0) return false;
      if (length === 0) return true;
    }
  } finally {
    for (const each of [a, b]) closeSync(each);
  }
}

/** Returns what `read` returns, or null if the path leads to no entry. */
function orNull<Read>(read: () => Read): Read | null {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

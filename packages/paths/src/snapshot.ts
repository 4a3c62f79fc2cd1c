import { isUtf8 } from "node:buffer";
import type { BigIntStats } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { openToRead, type Disk } from "./disk.ts";
import { entryOf, openChild, openFolder, type Folder } from "./folder.ts";
import { errnoOf, PathError } from "./path-error.ts";
import type { Place } from "./place.ts";
import { isTemporary } from "./temporary.ts";
import { identityOf, type FileIdentity, type Owner } from "./write.ts";

/** The state of an entry as JSON, enough to make it again, but without times, extended attributes and hard links. */
export type Snapshot = FileSnapshot | LinkSnapshot | FolderSnapshot;

/** A file: its permissions, and its content, which is text if that is valid UTF-8. */
export interface FileSnapshot {
  readonly kind: "file";
  readonly mode: number;
  /** The file's user and group; absent if they are those of the process that took the snapshot. */
  readonly owner?: Owner;
  readonly text?: string;
  readonly base64?: string;
}

/** A symbolic link: its target as it is written. */
export interface LinkSnapshot {
  readonly kind: "link";
  readonly target: string;
}

/** A folder with its entries, in the order of their names. */
export interface FolderSnapshot {
  readonly kind: "folder";
  readonly mode: number;
  readonly entries: readonly (readonly [name: string, entry: Snapshot])[];
}

/** Options of a snapshot. */
export interface SnapshotOptions {
  /** Maximum number of bytes of all files and names together. More throws `FILE_TOO_LARGE`. */
  readonly maxBytes: number;
  /** Whether the entry may be a folder, with everything in it. If not, a folder throws `IS_A_DIRECTORY`. */
  readonly folders: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** An entry when its snapshot was taken. */
export interface TakenSnapshot {
  readonly place: Place;
  /** Null if there is no entry. */
  readonly snapshot: Snapshot | null;
  /** The identity of the entry; null if there is no entry. */
  readonly identity: FileIdentity | null;
  /** The folders above the entry that do not exist, the highest first. */
  readonly missing: readonly string[];
}

interface Walk extends SnapshotOptions {
  readonly disk: Disk;
  readonly given: string;
  /** Returns whether a path may be read, and written again. */
  readonly allows: (real: string) => boolean;
  left: number;
}

/** Reads an entry without following links. Throws `ACCESS_DENIED` for parts that may not be used, `NOT_A_FILE` for pipes. */
export async function takeSnapshot(
  disk: Disk,
  place: Place,
  allows: (real: string) => boolean,
  options: SnapshotOptions,
): Promise<TakenSnapshot> {
  const { given, real } = place;
  const missing = await missingAbove(real);
  if (missing.length > 0) return { place, snapshot: null, identity: null, missing };
  const parent = await openFolder(disk, dirname(real), { given, access: "read" });
  try {
    const entry = await entryOf(parent, basename(real));
    if (entry === null) return { place, snapshot: null, identity: null, missing };
    const walk: Walk = { ...options, disk, given, allows, left: options.maxBytes };
    const snapshot = await readEntry(parent, basename(real), entry, walk);
    return { place, snapshot, identity: identityOf(entry), missing };
  } finally {
    await parent.close();
  }
}

/** Returns the folders above a place that do not exist, the highest first. */
export async function missingAbove(real: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let at = dirname(real); dirname(at) !== at; at = dirname(at)) {
    const exists = await isThere(at);
    if (exists) return missing;
    missing.unshift(at);
  }
  return missing;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await readlink(path);
    return true;
  } catch (thrown) {
    return errnoOf(thrown) !== "ENOENT";
  }
}

async function readEntry(parent: Folder, name: string, entry: BigIntStats, walk: Walk): Promise<Snapshot> {
  walk.signal?.throwIfAborted();
  const { given } = walk;
  if (!walk.allows(join(parent.real, name)) || name.includes("\ufffd"))
    throw new PathError("ACCESS_DENIED", { path: given, reason: "denied" });
  use(walk, name.length);
  if (entry.isSymbolicLink()) return { kind: "link", target: await readlink(parent.path(name)) };
  if (entry.isFile()) return readFile(parent, name, walk);
  if (!entry.isDirectory()) throw new PathError("NOT_A_FILE", { path: given });
  if (!walk.folders) throw new PathError("IS_A_DIRECTORY", { path: given });
  return readFolder(parent, name, entry, walk);
}

async function readFolder(
  parent: Folder,
  name: string,
  entry: BigIntStats,
  walk: Walk,
): Promise<FolderSnapshot> {
  const folder = await openChild(parent, name, { given: walk.given, access: "read" });
  try {
    const entries: [string, Snapshot][] = [];
    const names = (await readdir(folder.path())).filter((child) => !isTemporary(child));
    for (const child of names.toSorted()) {
      const stat = await entryOf(folder, child);
      if (stat !== null) entries.push([child, await readEntry(folder, child, stat, walk)]);
    }
    return { kind: "folder", mode: modeOf(entry), entries };
  } finally {
    await folder.close();
  }
}

async function readFile(parent: Folder, name: string, walk: Walk): Promise<FileSnapshot> {
  const handle = await openToRead(parent.path(name));
  try {
    if (!(await walk.disk.isAt(handle, join(parent.real, name))))
      throw new PathError("ACCESS_DENIED", { path: walk.given, reason: "read" });
    const stat = await handle.stat({ bigint: true });
    if (!stat.isFile()) throw new PathError("NOT_A_FILE", { path: walk.given });
    use(walk, Number(stat.size));
    const bytes = await handle.readFile();
    use(walk, bytes.length - Number(stat.size));
    return { ...fileSnapshot(bytes, modeOf(stat)), ...ownerOf(stat) };
  } finally {
    await handle.close();
  }
}

/** Makes the snapshot of a file with this content. */
export function fileSnapshot(bytes: Buffer, mode: number): FileSnapshot {
  // Bytes that are not UTF-8 would not survive as text.
  return isUtf8(bytes)
    ? { kind: "file", mode, text: bytes.toString("utf8") }
    : { kind: "file", mode, base64: bytes.toString("base64") };
}

/** Returns the content of the file in a snapshot. */
export function bytesOf({ text, base64 = "" }: FileSnapshot): Buffer {
  return text === undefined ? Buffer.from(base64, "base64") : Buffer.from(text);
}

function ownerOf({ uid, gid }: BigIntStats): Pick<FileSnapshot, "owner"> {
  const owner: Owner = [Number(uid), Number(gid)];
  const isOwn = owner[0] === process.geteuid?.() && owner[1] === process.getegid?.();
  return isOwn || process.geteuid === undefined ? {} : { owner };
}

function use(walk: Walk, bytes: number): void {
  walk.left -= bytes;
  if (walk.left >= 0) return;
  const { given: path, maxBytes, left } = walk;
  throw new PathError("FILE_TOO_LARGE", { path, bytes: maxBytes - left, maxBytes });
}

/** Returns the permissions of an entry. */
export function modeOf({ mode }: BigIntStats): number {
  return Number(mode) & 0o7777;
}

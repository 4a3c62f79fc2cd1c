import type { BigIntStats } from "node:fs";
import { link, rename, unlink } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";
import type { Disk } from "./disk.ts";
import { entryOf, makeFolder, openFolder, type Folder } from "./folder.ts";
import { errnoOf, PathError } from "./path-error.ts";
import { requireFilePath, type Place } from "./place.ts";

export interface MoveOptions {
  /** Allows a file to replace another file. */
  readonly overwrite: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Moves or renames a file or folder inside one file system. Links and special files are not moved. */
export async function moveEntry(disk: Disk, from: Place, to: Place, options: MoveOptions): Promise<void> {
  const source = await openFolder(disk, dirname(from.real), { given: from.given, access: "write" });
  try {
    const entry = await requireMovable(source, from);
    if (entry.isDirectory()) requireOutside(from, to);
    if (entry.isFile()) for (const place of [from, to]) requireFilePath(place);
    const { folder: target } = await makeFolder(disk, dirname(to.real), { given: to.given, access: "write" });
    try {
      options.signal?.throwIfAborted();
      await moveInto(source, basename(from.real), target, to, { entry, overwrite: options.overwrite });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Throws if a folder would be moved into itself. The system would say so only after folders above the new place were made. */
function requireOutside(from: Place, to: Place): void {
  if (to.real.startsWith(from.real + sep))
    throw new PathError("OS_ERROR", { path: from.given, errno: "EINVAL", problem: "invalid argument" });
}

async function requireMovable(source: Folder, from: Place): Promise<BigIntStats> {
  const entry = await entryOf(source, basename(from.real));
  if (entry === null) throw new PathError("NOT_FOUND", { path: from.given });
  if (!entry.isFile() && !entry.isDirectory()) throw new PathError("NOT_A_FILE", { path: from.given });
  return entry;
}

async function moveInto(
  source: Folder,
  name: string,
  target: Folder,
  to: Place,
  { entry, overwrite }: { entry: BigIntStats; overwrite: boolean },
): Promise<void> {
  const newName = basename(to.real);
  const there = await entryOf(target, newName);
  const isSameFile = there !== null && there.ino === entry.ino && there.dev === entry.dev;
  // On a disk that ignores case, a new name that differs only in case belongs to the same file.
  const isSameEntry = isSameFile && name.toLowerCase() === newName.toLowerCase();
  if (there !== null && !isSameEntry && !(overwrite && there.isFile() && entry.isFile()))
    throw new PathError("ALREADY_EXISTS", { path: to.given });
  // The new name is another name of the same file: a rename would do nothing and keep the old name.
  if (isSameFile && !isSameEntry) return unlink(source.path(name));
  if (there === null && entry.isFile() && (await linkOver(source.path(name), target.path(newName), to)))
    return;
  await rename(source.path(name), target.path(newName));
}

/** Moves a file without ever replacing one, by creating the new name first. False if the disk has no hard links. */
async function linkOver(from: string, to: string, { given }: Place): Promise<boolean> {
  try {
    await link(from, to);
  } catch (thrown) {
    if (errnoOf(thrown) === "EEXIST")
      throw new PathError("ALREADY_EXISTS", { path: given }, { cause: thrown });
    if (["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(errnoOf(thrown))) return false;
    throw thrown;
  }
  await unlink(from);
  return true;
}

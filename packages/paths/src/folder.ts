import { lstat, mkdir, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { openDirectory, type Disk } from "./disk.ts";
import { errnoOf, PathError } from "./path-error.ts";
import type { Access } from "./rules.ts";

/** An open folder that is the folder at the checked path. */
export interface Folder {
  readonly disk: Disk;
  readonly real: string;
  /** Returns a path to the folder, or to an entry of it. On Linux it stays right even if a folder above becomes a link. */
  path(name?: string): string;
  /** Whether the folder is still at its path. */
  isInPlace(): Promise<boolean>;
  close(): Promise<void>;
}

/** The path and the access that an error states if the folder is not where it should be. */
export interface Purpose {
  readonly given: string;
  readonly access: Access;
}

/** Opens the folder at `real`. Throws `ACCESS_DENIED` if something else is there, or the system's error. */
export async function openFolder(disk: Disk, real: string, purpose: Purpose): Promise<Folder> {
  return await adopt(disk, await openDirectory(real), real, purpose);
}

/** Opens a folder inside an open folder. */
export async function openChild(parent: Folder, name: string, purpose: Purpose): Promise<Folder> {
  const handle = await openDirectory(parent.path(name));
  return await adopt(parent.disk, handle, join(parent.real, name), purpose);
}

/** Opens the folder at `real`, and makes it and missing folders above it. Returns whether anything was made. */
export async function makeFolder(
  disk: Disk,
  real: string,
  purpose: Purpose,
): Promise<{ folder: Folder; made: boolean }> {
  const missing: string[] = [];
  let folder: Folder | null = null;
  for (let at = real; folder === null; at = dirname(at)) {
    folder = await openIfThere(disk, at, purpose);
    if (folder === null) missing.unshift(basename(at));
  }
  let made = false;
  for (const name of missing) {
    const step = await makeChild(folder, name, purpose);
    folder = step.folder;
    made ||= step.made;
  }
  return { folder, made };
}

async function openIfThere(disk: Disk, real: string, purpose: Purpose): Promise<Folder | null> {
  try {
    return await openFolder(disk, real, purpose);
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT" && dirname(real) !== real) return null;
    if (errnoOf(thrown) === "ENOTDIR") throw new PathError("NOT_A_DIRECTORY", { path: purpose.given });
    throw thrown;
  }
}

/** Makes a folder in `parent`, and closes `parent`. */
async function makeChild(
  parent: Folder,
  name: string,
  purpose: Purpose,
): Promise<{ folder: Folder; made: boolean }> {
  try {
    const made = await mkdir(parent.path(name)).then(
      () => true,
      (thrown: unknown) => {
        if (errnoOf(thrown) !== "EEXIST") throw thrown;
        return false;
      },
    );
    return { folder: await openChild(parent, name, purpose), made };
  } finally {
    await parent.close();
  }
}

async function adopt(
  disk: Disk,
  handle: FileHandle,
  real: string,
  { given, access }: Purpose,
): Promise<Folder> {
  const folder: Folder = {
    disk,
    real,
    path: (name) => disk.below(handle, real, name),
    isInPlace: () => disk.isAt(handle, real),
    close: () => handle.close(),
  };
  if (await folder.isInPlace()) return folder;
  await handle.close();
  throw new PathError("ACCESS_DENIED", { path: given, reason: access });
}

/** Reads the entry of a name, without following a link. Null if the folder has no such entry. */
export async function entryOf(folder: Folder, name: string) {
  try {
    return await lstat(folder.path(name), { bigint: true });
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return null;
    throw thrown;
  }
}

import { readdir, rmdir, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Disk } from "./disk.ts";
import { entryOf, openChild, openFolder, type Folder, type Purpose } from "./folder.ts";
import { PathError } from "./path-error.ts";
import type { Place } from "./place.ts";
import { isTemporary } from "./temporary.ts";

export interface RemoveOptions {
  /** Whether a folder is removed with everything in it. */
  readonly recursive: boolean;
  /** Whether a folder counts as empty if it contains only temporary files that killed writes left behind. */
  readonly leftovers?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Removes an entry permanently, and returns how many entries were removed. A link is removed, never its target. */
export async function removeEntry(disk: Disk, place: Place, options: RemoveOptions): Promise<number> {
  const purpose: Purpose = { given: place.given, access: "write" };
  const parent = await openFolder(disk, dirname(place.real), purpose);
  try {
    const name = basename(place.real);
    const entry = await entryOf(parent, name);
    if (entry === null) throw new PathError("NOT_FOUND", { path: place.given });
    if (!entry.isDirectory()) return await removeOne(parent, name);
    if (options.recursive) return await removeTree(parent, name, purpose, options);
    if (options.leftovers === true) await removeLeftovers(parent, name, purpose);
    return await removeEmpty(parent, name);
  } finally {
    await parent.close();
  }
}

async function removeOne(parent: Folder, name: string): Promise<number> {
  await unlink(parent.path(name));
  return 1;
}

async function removeEmpty(parent: Folder, name: string): Promise<number> {
  await rmdir(parent.path(name));
  return 1;
}

async function removeLeftovers(parent: Folder, name: string, purpose: Purpose): Promise<void> {
  const folder = await openChild(parent, name, purpose);
  try {
    const names = await readdir(folder.path());
    if (names.every(isTemporary)) for (const each of names) await removeOne(folder, each);
  } finally {
    await folder.close();
  }
}

/** Removes a folder through open folders: an entry that becomes a link meanwhile is removed, and never followed. */
async function removeTree(
  parent: Folder,
  name: string,
  purpose: Purpose,
  options: RemoveOptions,
): Promise<number> {
  const folder = await openChild(parent, name, purpose);
  let removed = 0;
  try {
    for (const entry of await readdir(folder.path(), { withFileTypes: true })) {
      options.signal?.throwIfAborted();
      removed += entry.isDirectory()
        ? await removeTree(folder, entry.name, purpose, options)
        : await removeOne(folder, entry.name);
    }
  } finally {
    await folder.close();
  }
  return removed + (await removeEmpty(parent, name));
}

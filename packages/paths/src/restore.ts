import { chmod, mkdir, readdir, readlink, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Disk } from "./disk.ts";
import { entryOf, openChild, openFolder, type Folder, type Purpose } from "./folder.ts";
import { errnoOf, PathError } from "./path-error.ts";
import type { Place } from "./place.ts";
import { bytesOf, takeSnapshot, type FileSnapshot, type FolderSnapshot, type Snapshot } from "./snapshot.ts";
import { isTemporary } from "./temporary.ts";
import { replaceFile } from "./write.ts";

interface Restoring {
  readonly disk: Disk;
  readonly purpose: Purpose;
  readonly allows: (real: string) => boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes an entry, or its missing parts, again as it is in a snapshot. Parts that exist must equal the snapshot: otherwise it
 * throws `FILE_CHANGED` with the path of the different part, and changes nothing. Resolves to the number of entries it made.
 */
export async function restoreEntry(
  disk: Disk,
  place: Place,
  snapshot: Snapshot,
  allows: (real: string) => boolean,
  signal?: AbortSignal,
): Promise<number> {
  const purpose: Purpose = { given: place.given, access: "write" };
  const restoring: Restoring = { disk, purpose, signal, allows };
  requireAllowed(place.real, snapshot, restoring);
  const parent = await openFolder(disk, dirname(place.real), purpose);
  try {
    await requireFitting(parent, basename(place.real), snapshot, restoring);
    return await make(parent, basename(place.real), snapshot, restoring);
  } finally {
    await parent.close();
  }
}

function requireAllowed(real: string, snapshot: Snapshot, restoring: Restoring): void {
  if (!restoring.allows(real)) throw new PathError("ACCESS_DENIED", { path: real, reason: "write" });
  if (snapshot.kind !== "folder") return;
  for (const [child, entry] of snapshot.entries) requireAllowed(join(real, child), entry, restoring);
}

/** Throws unless everything that exists is in the snapshot. Permissions of folders do not count, as they are set at the end. */
async function requireFitting(
  parent: Folder,
  name: string,
  snapshot: Snapshot,
  restoring: Restoring,
): Promise<void> {
  const real = join(parent.real, name);
  const entry = await entryOf(parent, name);
  if (entry === null) return;
  if (snapshot.kind === "folder" && entry.isDirectory())
    return requireFittingEntries(parent, name, snapshot, restoring);
  if (!(await isSame(parent, name, snapshot, restoring))) throw new PathError("FILE_CHANGED", { path: real });
}

async function requireFittingEntries(
  parent: Folder,
  name: string,
  { entries }: FolderSnapshot,
  restoring: Restoring,
): Promise<void> {
  const folder = await openChild(parent, name, restoring.purpose);
  try {
    const known = new Set(entries.map(([child]) => child));
    const other = (await readdir(folder.path())).find((child) => !known.has(child) && !isTemporary(child));
    if (other !== undefined) throw new PathError("FILE_CHANGED", { path: join(folder.real, other) });
    for (const [child, snapshot] of entries) await requireFitting(folder, child, snapshot, restoring);
  } finally {
    await folder.close();
  }
}

async function isSame(
  parent: Folder,
  name: string,
  expected: Snapshot,
  restoring: Restoring,
): Promise<boolean> {
  if (expected.kind === "link") return isLinkTo(parent.path(name), expected.target);
  if (expected.kind === "folder") return false;
  const place = { given: restoring.purpose.given, real: join(parent.real, name) };
  const maxBytes = bytesOf(expected).length + name.length;
  try {
    const { snapshot } = await takeSnapshot(restoring.disk, place, restoring.allows, {
      maxBytes,
      folders: false,
    });
    return snapshot?.kind === "file" && isSameFile(snapshot, expected);
  } catch (thrown) {
    if (thrown instanceof PathError) return false;
    throw thrown;
  }
}

/** Whether two files have the same content and permissions. */
function isSameFile(one: FileSnapshot, other: FileSnapshot): boolean {
  return one.mode === other.mode && one.text === other.text && one.base64 === other.base64;
}

async function isLinkTo(path: string, target: string): Promise<boolean> {
  try {
    return (await readlink(path)) === target;
  } catch (thrown) {
    if (errnoOf(thrown) === "EINVAL") return false;
    throw thrown;
  }
}

async function make(parent: Folder, name: string, snapshot: Snapshot, restoring: Restoring): Promise<number> {
  restoring.signal?.throwIfAborted();
  if (snapshot.kind === "folder") return makeFolder(parent, name, snapshot, restoring);
  if ((await entryOf(parent, name)) !== null) return 0;
  if (snapshot.kind === "link") await symlink(snapshot.target, parent.path(name));
  else {
    const place = { given: restoring.purpose.given, real: join(parent.real, name) };
    const { mode, owner } = snapshot;
    await replaceFile(restoring.disk, place, bytesOf(snapshot), { expected: null, mode, owner });
  }
  return 1;
}

async function makeFolder(
  parent: Folder,
  name: string,
  { mode, entries }: FolderSnapshot,
  restoring: Restoring,
): Promise<number> {
  let made = 0;
  if ((await entryOf(parent, name)) === null) {
    // The folder's own permissions may forbid making its entries, so they are set at the end.
    await mkdir(parent.path(name), mode | 0o700);
    made += 1;
  }
  const folder = await openChild(parent, name, restoring.purpose);
  try {
    for (const [child, snapshot] of entries) made += await make(folder, child, snapshot, restoring);
    await chmod(folder.path(), mode);
  } finally {
    await folder.close();
  }
  return made;
}

import type { BigIntStats } from "node:fs";
import { access, constants, open, rename, unlink, type FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Disk } from "./disk.ts";
import { entryOf, makeFolder, type Folder } from "./folder.ts";
import { mayWriteInPlace, writeInPlace } from "./in-place.ts";
import { PathError } from "./path-error.ts";
import { sweep, temporaryName } from "./temporary.ts";
import { requireFilePath, type Place } from "./place.ts";

/** Identifies a file and its state; changes with every write. */
export type FileIdentity = string & { readonly identity: unique symbol };

export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileIdentity {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":") as FileIdentity;
}

/** Options of a write that replaces a file. */
export interface ReplaceOptions {
  /** The file must still be this one, or, with null, must not exist; otherwise `FILE_CHANGED`. Default: no check. */
  readonly expected?: FileIdentity | null | undefined;
  /** Permissions of a new file. An existing file keeps its own. */
  readonly mode?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Gives the attributes of a file to the new one that replaces it: `from` is its path, `before` its state. `copyAttributes` of
 * `@toolmount/sandbox` does so.
 */
export type CopyAttributes = (from: string, to: FileHandle, before: BigIntStats) => Promise<void>;

/**
 * Writes a file completely or not at all: writes a new file beside it, which then takes its name. Creates missing folders.
 * An existing file keeps its permissions, and with `copyAttributes` its attributes. In a folder in which nothing can be made or
 * renamed, an existing file is written in place. Links and special files are never written. Resolves to how many other names the
 * replaced file had: they keep the old content.
 */
export async function replaceFile(
  disk: Disk,
  place: Place,
  bytes: Uint8Array,
  { expected, mode, signal }: ReplaceOptions = {},
  copyAttributes?: CopyAttributes,
): Promise<{ readonly otherNames: number }> {
  requireFilePath(place);
  const { given, real } = place;
  const name = basename(real);
  const { folder } = await makeFolder(disk, dirname(real), { given, access: "write" });
  try {
    const before = await requireReplaceable(folder, name, given);
    const temporary = temporaryName();
    try {
      const like = before === null ? null : { entry: before, path: folder.path(name), copyAttributes };
      await writeNew(folder.path(temporary), bytes, { mode, like });
      await sweep(folder, temporary);
      signal?.throwIfAborted();
      if (expected !== undefined) await requireUnchanged(folder, name, given, expected);
      if (disk.kind === "plain") await requireInPlace(folder, given);
      await rename(folder.path(temporary), folder.path(name));
      return { otherNames: before === null ? 0 : Number(before.nlink) - 1 };
    } catch (thrown) {
      await unlink(folder.path(temporary)).catch(() => {});
      if (!mayWriteInPlace(thrown, before)) throw thrown;
      if (expected !== undefined) await requireUnchanged(folder, name, given, expected);
      await writeInPlace(folder, { name, given, before, bytes });
      return { otherNames: 0 };
    }
  } finally {
    await folder.close();
  }
}

/** The existing entry, if it may be replaced. */
async function requireReplaceable(folder: Folder, name: string, given: string): Promise<BigIntStats | null> {
  const entry = await entryOf(folder, name);
  if (entry === null) return null;
  if (entry.isDirectory()) throw new PathError("IS_A_DIRECTORY", { path: given });
  if (entry.isSymbolicLink()) throw new PathError("ACCESS_DENIED", { path: given, reason: "write" });
  if (!entry.isFile()) throw new PathError("NOT_A_FILE", { path: given });
  // A rename would also replace a read-only file.
  await access(folder.path(name), constants.W_OK);
  return entry;
}

async function requireUnchanged(folder: Folder, name: string, given: string, expected: FileIdentity | null) {
  const entry = await entryOf(folder, name);
  if ((entry === null ? null : identityOf(entry)) !== expected)
    throw new PathError("FILE_CHANGED", { path: given });
}

async function requireInPlace(folder: Folder, given: string): Promise<void> {
  if (!(await folder.isInPlace())) throw new PathError("ACCESS_DENIED", { path: given, reason: "write" });
}

interface NewFile {
  /** Permissions of a file that replaces none. */
  readonly mode: number | undefined;
  /** The file that it replaces, whose permissions and attributes it gets. */
  readonly like: {
    readonly entry: BigIntStats;
    readonly path: string;
    readonly copyAttributes: CopyAttributes | undefined;
  } | null;
}

/** Writes a new file; fails when it exists. */
async function writeNew(path: string, bytes: Uint8Array, { mode: given, like }: NewFile): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const mode = like === null ? given : Number(like.entry.mode) & 0o777;
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode ?? 0o666);
  try {
    await handle.writeFile(bytes);
    // Without this, a crash of the machine may keep the new name and lose the content.
    await handle.sync();
    await like?.copyAttributes?.(like.path, handle, like.entry);
    // Last: a copied mode could give the new bytes the rights of another user.
    if (mode !== undefined) await handle.chmod(mode);
  } finally {
    await handle.close();
  }
}

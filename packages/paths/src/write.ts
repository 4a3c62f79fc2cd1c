import type { BigIntStats } from "node:fs";
import { access, constants, open, rename, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Disk } from "./disk.ts";
import { entryOf, makeFolder, type Folder } from "./folder.ts";
import { PathError } from "./path-error.ts";
import { sweep, temporaryName } from "./temporary.ts";
import type { Place } from "./place.ts";

/** Which file it is, and in which state: other once anybody writes it. */
export type FileIdentity = string & { readonly identity: unique symbol };

export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileIdentity {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":") as FileIdentity;
}

/** Options of a write that replaces a file. */
export interface ReplaceOptions {
  /** The file must still be this one, or with null must not exist; else `FILE_CHANGED`. Left out: whatever is there. */
  readonly expected?: FileIdentity | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Puts a file with these bytes in place, whole or not at all: a new file beside it is written first and then takes its
 * name. Missing folders are made. A file that was there keeps its permissions; a link or special file is never written.
 */
export async function replaceFile(
  disk: Disk,
  { given, real }: Place,
  bytes: Uint8Array,
  { expected, signal }: ReplaceOptions = {},
): Promise<void> {
  const name = basename(real);
  const { folder } = await makeFolder(disk, dirname(real), { given, access: "write" });
  try {
    const before = await requireReplaceable(folder, name, given);
    const temporary = temporaryName();
    try {
      await writeNew(
        folder.path(temporary),
        bytes,
        before === null ? undefined : Number(before.mode) & 0o777,
      );
      await sweep(folder, temporary);
      signal?.throwIfAborted();
      if (expected !== undefined) await requireUnchanged(folder, name, given, expected);
      if (disk.kind === "plain") await requireInPlace(folder, given);
      await rename(folder.path(temporary), folder.path(name));
    } catch (thrown) {
      await unlink(folder.path(temporary)).catch(() => {});
      throw thrown;
    }
  } finally {
    await folder.close();
  }
}

/** What is there now, if it may be replaced. */
async function requireReplaceable(folder: Folder, name: string, given: string): Promise<BigIntStats | null> {
  const entry = await entryOf(folder, name);
  if (entry === null) return null;
  if (entry.isDirectory()) throw new PathError("IS_A_DIRECTORY", { path: given });
  if (entry.isSymbolicLink()) throw new PathError("ACCESS_DENIED", { path: given, reason: "write" });
  if (!entry.isFile()) throw new PathError("NOT_A_FILE", { path: given });
  // A rename would put a new file in the place of one that may not be written.
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

/** Writes a file that must not exist yet. */
async function writeNew(path: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode ?? 0o666);
  try {
    await handle.writeFile(bytes);
    // Else a machine that stops may keep the new name and lose what it names.
    await handle.sync();
    if (mode !== undefined) await handle.chmod(mode);
  } finally {
    await handle.close();
  }
}

import { lstatSync, renameSync, type BigIntStats } from "node:fs";
import { access, constants, open, unlink, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Disk } from "./disk.ts";
import { entryOf, makeFolder, type Folder } from "./folder.ts";
import { mayWriteInPlace, writeInPlace } from "./in-place.ts";
import { withFileLock } from "./own-files/with-lock.ts";
import { errnoOf, PathError } from "./path-error.ts";
import type { Lost } from "./attributes.ts";
import { sweep, temporaryName } from "./temporary.ts";
import { requireFilePath, type Place } from "./place.ts";

/** Identifies a file and its state. It changes with every write. */
export type FileIdentity = string & { readonly identity: unique symbol };

export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileIdentity {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":") as FileIdentity;
}

/** Options of a write that replaces a file. */
export interface ReplaceOptions {
  /** The identity that the file must still have or, if null, it must not exist; otherwise `FILE_CHANGED`. Default: no check. */
  readonly expected?: FileIdentity | null | undefined;
  /** Permissions of the file. Default: those of the replaced file, without special bits such as setuid. */
  readonly mode?: number | undefined;
  /** User and group of the file. If this process may not give files to others, they are its own. */
  readonly owner?: Owner | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The user and the group of a file, as numbers. */
export type Owner = readonly [user: number, group: number];

/** What a file lost when it was replaced. */
export interface Replaced {
  /** Number of other names (hard links) of the file, which keep the old content. */
  readonly otherNames: number;
  readonly lost: readonly Lost[];
}

/**
 * Gives the attributes of a file to the file that replaces it: `from` is the path of the old file, `before` its state. Resolves
 * to what could not be given. `copyAttributes` is such a function.
 */
export type CopyAttributes = (from: string, to: FileHandle, before: BigIntStats) => Promise<readonly Lost[]>;

/**
 * Writes a file completely or not at all, by writing a new file next to it that then takes its name. Creates missing folders.
 * An existing file keeps its permissions, and with `copyAttributes` its attributes. It is written in place if nothing can be
 * created or renamed in its folder, or if the new file could not be given to its owner. Links and special files are never
 * written.
 */
export async function replaceFile(
  disk: Disk,
  place: Place,
  bytes: Uint8Array,
  { expected, mode, owner, signal }: ReplaceOptions = {},
  copyAttributes?: CopyAttributes,
): Promise<Replaced> {
  requireFilePath(place);
  const { given, real } = place;
  const name = basename(real);
  const { folder } = await makeFolder(disk, dirname(real), { given, access: "write" });
  try {
    const before = await requireReplaceable(folder, name, given);
    const temporary = temporaryName();
    try {
      const like = before === null ? null : { entry: before, path: folder.path(name), copyAttributes };
      const lost = await writeNew(folder.path(temporary), bytes, { mode, owner, like });
      await sweep(folder, temporary);
      if (lost.includes("owner") && before?.nlink === 1n) throw new NotGiven();
      signal?.throwIfAborted();
      if (disk.kind === "plain") await requireInPlace(folder, given);
      await asExpected(folder, name, given, expected, () =>
        renameSync(folder.path(temporary), folder.path(name)),
      );
      return { otherNames: before === null ? 0 : Number(before.nlink) - 1, lost };
    } catch (thrown) {
      await unlink(folder.path(temporary)).catch(() => {});
      if (!mayWriteInPlace(thrown, before)) throw thrown;
      await asExpected(folder, name, given, expected, () =>
        writeInPlace(folder, { name, given, before, bytes }),
      );
      return { otherNames: 0, lost: [] };
    }
  } finally {
    await folder.close();
  }
}

/** Thrown when a new file could not be given to the owner of the old file, which is then written in place. */
class NotGiven extends Error {
  readonly code = "EPERM";
}

/** Returns the existing entry, or null; throws if it may not be replaced. */
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

/**
 * Runs `act` if the file still is as `expected`. Other hosts on this machine wait meanwhile, because a write of theirs between
 * the check and `act` would be lost.
 */
function asExpected(
  folder: Folder,
  name: string,
  given: string,
  expected: FileIdentity | null | undefined,
  act: () => void | Promise<void>,
): void | Promise<void> {
  if (expected === undefined) return act();
  return withFileLock(join(folder.real, name), async () => {
    requireUnchanged(folder, name, given, expected);
    await act();
  });
}

function requireUnchanged(folder: Folder, name: string, given: string, expected: FileIdentity | null): void {
  const entry = lstatSync(folder.path(name), { bigint: true, throwIfNoEntry: false });
  if ((entry === undefined ? null : identityOf(entry)) !== expected)
    throw new PathError("FILE_CHANGED", { path: given });
}

async function requireInPlace(folder: Folder, given: string): Promise<void> {
  if (!(await folder.isInPlace())) throw new PathError("ACCESS_DENIED", { path: given, reason: "write" });
}

interface NewFile {
  readonly mode: number | undefined;
  readonly owner: Owner | undefined;
  /** The file that is replaced. The new file gets its permissions and attributes. */
  readonly like: {
    readonly entry: BigIntStats;
    readonly path: string;
    readonly copyAttributes: CopyAttributes | undefined;
  } | null;
}

/** Writes a new file, and fails if it exists. Resolves to what it could not get from the file that it replaces. */
async function writeNew(
  path: string,
  bytes: Uint8Array,
  { mode: given, owner, like }: NewFile,
): Promise<readonly Lost[]> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const before = like === null ? undefined : Number(like.entry.mode) & 0o7777;
  const mode = given ?? (before === undefined ? undefined : before & 0o777);
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode ?? 0o666);
  try {
    await handle.writeFile(bytes);
    // Without this, a crash of the machine may keep the new name and lose the content.
    await handle.sync();
    const lost = (await like?.copyAttributes?.(like.path, handle, like.entry)) ?? [];
    if (owner !== undefined) await give(handle, owner);
    // This comes last, because a copied mode could give the new bytes the rights of another user.
    if (mode !== undefined) await handle.chmod(mode);
    const hadBits = mode !== undefined && before !== undefined && (before & ~mode & 0o7000) !== 0;
    return hadBits ? [...lost, "special permissions"] : lost;
  } finally {
    await handle.close();
  }
}

async function give(handle: FileHandle, [user, group]: Owner): Promise<void> {
  try {
    await handle.chown(user, group);
  } catch (thrown) {
    if (errnoOf(thrown) !== "EPERM") throw thrown;
  }
}

import type { BigIntStats } from "node:fs";
import { constants, mkdtemp, open, rm, writeFile, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Folder } from "./folder.ts";
import { errnoOf, PathError } from "./path-error.ts";

/** Error codes of a folder in which nothing can be created or renamed, for example because it is read-only or a mount point. */
const folderErrors: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV"]);

/**
 * Whether a file that could not be replaced may be written in place. A file with several names may not, because another name
 * may be outside of every root.
 */
export function mayWriteInPlace(thrown: unknown, before: BigIntStats | null): before is BigIntStats {
  return before !== null && before.nlink === 1n && folderErrors.has(errnoOf(thrown));
}

/**
 * Overwrites the bytes of an existing file, as editors do if its folder allows no replacement. A temporary folder has a copy of
 * the old bytes until the new bytes are on the disk. If the write fails, the old bytes are written back.
 */
export async function writeInPlace(
  folder: Folder,
  { name, given, before, bytes }: { name: string; given: string; before: BigIntStats; bytes: Uint8Array },
): Promise<void> {
  const handle = await open(folder.path(name), constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const { dev, ino, nlink } = await handle.stat({ bigint: true });
    const isSame = dev === before.dev && ino === before.ino && nlink === 1n && (await folder.isInPlace());
    if (!isSame) throw new PathError("ACCESS_DENIED", { path: given, reason: "write" });
    const old = await handle.readFile();
    const kept = await mkdtemp(join(tmpdir(), "toolmount-kept-"));
    await writeFile(join(kept, "old"), old, { mode: 0o600 });
    await overwrite(handle, bytes).catch(async (thrown: unknown) => {
      await overwrite(handle, old);
      await rm(kept, { recursive: true });
      throw thrown;
    });
    await rm(kept, { recursive: true });
  } finally {
    await handle.close();
  }
}

async function overwrite(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, at);
    at += bytesWritten;
  }
  await handle.truncate(bytes.length);
  await handle.sync();
}

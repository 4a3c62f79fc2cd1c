import type { FileHandle } from "node:fs/promises";
import { openToRead, type Disk } from "./disk.ts";
import { PathError } from "./path-error.ts";
import { requireFilePath, type Place } from "./place.ts";
import { identityOf, type FileIdentity } from "./write.ts";

/** The content of a file, and its identity when it was read. */
export interface FileBytes {
  readonly bytes: Buffer;
  readonly identity: FileIdentity;
}

/**
 * Reads a regular file of at most `maxBytes`. A larger file is refused with `FILE_TOO_LARGE` before it is read.
 *
 * After opening, and before reading, it checks that the descriptor is the file at the checked path.
 */
export async function readBytes(
  disk: Disk,
  place: Place,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<FileBytes> {
  const { given, real } = place;
  const handle = await openToRead(real);
  try {
    if (!(await disk.isAt(handle, real)))
      throw new PathError("ACCESS_DENIED", { path: given, reason: "read" });
    const stat = await handle.stat({ bigint: true });
    if (stat.isDirectory()) throw new PathError("IS_A_DIRECTORY", { path: given });
    if (!stat.isFile()) throw new PathError("NOT_A_FILE", { path: given });
    requireFilePath(place);
    const tooLarge = (bytes: number) => new PathError("FILE_TOO_LARGE", { path: given, bytes, maxBytes });
    if (stat.size > maxBytes) throw tooLarge(Number(stat.size));
    const bytes = await readUpTo(handle, Number(stat.size), maxBytes + 1, signal);
    if (bytes.length > maxBytes) throw tooLarge(bytes.length);
    return { bytes, identity: identityOf(stat) };
  } finally {
    await handle.close();
  }
}

/** Reads to the end, but at most `max` bytes. `size` is only a hint: files in /proc have the size 0 and still have content. */
async function readUpTo(
  handle: FileHandle,
  size: number,
  max: number,
  signal?: AbortSignal,
): Promise<Buffer> {
  let buffer = Buffer.allocUnsafe(Math.min(max, size + 1 || 1));
  let length = 0;
  for (;;) {
    signal?.throwIfAborted();
    if (length === buffer.length) {
      if (length === max) return buffer;
      buffer = Buffer.concat([buffer], Math.min(max, Math.max(65_536, length * 2)));
    }
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
}

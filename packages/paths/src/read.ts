import type { FileHandle } from "node:fs/promises";
import { openToRead, type Disk } from "./disk.ts";
import { PathError } from "./path-error.ts";
import type { Place } from "./place.ts";
import { identityOf, type FileIdentity } from "./write.ts";

/** What a file held, and which file it was when it was read. */
export interface FileBytes {
  readonly bytes: Buffer;
  readonly identity: FileIdentity;
}

/**
 * Reads a regular file, at most `maxBytes` of it: one that is larger is refused with `FILE_TOO_LARGE` before it is read.
 *
 * The descriptor is held to the judged path after it was opened, and before a byte is read.
 */
export async function readBytes(
  disk: Disk,
  { given, real }: Place,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<FileBytes> {
  const handle = await openToRead(real);
  try {
    if (!(await disk.isAt(handle, real)))
      throw new PathError("ACCESS_DENIED", { path: given, reason: "read" });
    const stat = await handle.stat({ bigint: true });
    if (stat.isDirectory()) throw new PathError("IS_A_DIRECTORY", { path: given });
    if (!stat.isFile()) throw new PathError("NOT_A_FILE", { path: given });
    const tooLarge = (bytes: number) => new PathError("FILE_TOO_LARGE", { path: given, bytes, maxBytes });
    if (stat.size > maxBytes) throw tooLarge(Number(stat.size));
    const bytes = await readUpTo(handle, Number(stat.size), maxBytes + 1, signal);
    if (bytes.length > maxBytes) throw tooLarge(bytes.length);
    return { bytes, identity: identityOf(stat) };
  } finally {
    await handle.close();
  }
}

/** Reads to the end, or until `max` bytes are there. A size of 0 may be a lie, as in /proc. */
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

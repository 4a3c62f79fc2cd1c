import { randomUUID } from "node:crypto";
import { opendir, unlink } from "node:fs/promises";
import { entryOf, type Folder } from "./folder.ts";
import { errnoOf } from "./path-error.ts";

const pattern = /^\.toolmount-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** Milliseconds after which a temporary file counts as left behind by a process that was killed. */
const staleMs = 3_600_000;

/** Maximum number of names that one sweep looks at, because a write should not wait longer for a sweep. */
const maxNames = 10_000;

/** Returns a name for a new file that will replace another file. */
export function temporaryName(): string {
  return `.toolmount-${randomUUID()}.tmp`;
}

/** Whether a name belongs to a temporary file of this package. */
export function isTemporary(name: string): boolean {
  return pattern.test(name);
}

/**
 * Removes what earlier writes left behind in a folder when their process was killed: regular files with a name that only this
 * package gives, written an hour or more before `fresh`, a new file.
 */
export async function sweep(folder: Folder, fresh: string): Promise<void> {
  const stale: string[] = [];
  let left = maxNames;
  for await (const { name } of await opendir(folder.path(), { bufferSize: 256 })) {
    if (isTemporary(name) && name !== fresh) stale.push(name);
    if (--left === 0) break;
  }
  if (stale.length === 0) return;
  const now = await entryOf(folder, fresh);
  for (const name of stale) {
    const entry = await entryOf(folder, name);
    if (now === null || entry === null || !entry.isFile()) continue;
    if (now.mtimeMs - entry.mtimeMs >= staleMs) await removeQuietly(folder.path(name));
  }
}

/** Removes a file. Errors of the system are ignored: another write may have removed it, or it belongs to another user. */
async function removeQuietly(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (thrown) {
    if (errnoOf(thrown) === "") throw thrown;
  }
}

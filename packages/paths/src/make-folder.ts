import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a folder and the missing folders above it, each with the permissions `mode`; existing folders stay as they are. Each
 * is created separately: `recursive` of Node's mkdir never ends on a file system that refuses new folders, as /proc does.
 *
 * Throws the error of Node's mkdir, for example `EEXIST` if a file has the name of a folder.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  const path = resolve(folder);
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created the folder first.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

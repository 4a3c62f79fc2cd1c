import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

/** The folder beside a plan with its state, its layers and its fetched packages. */
const ownFolder = ".toolmount";

/**
 * Creates a folder and the missing folders above it, each with the permissions `mode`; existing folders stay as they are. Each
 * is created separately: `recursive` of Node's mkdir never ends on a file system that refuses new folders, as /proc does.
 * A folder `.toolmount` gets a `.gitignore` if it has none, because its files hold arguments, results and credentials, and a
 * `git add .` would commit them.
 *
 * Throws the error of Node's mkdir, for example `EEXIST` if a file has the name of a folder.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  const path = resolve(folder);
  createAll(path, mode);
  const names = path.split(sep);
  const own = names.indexOf(ownFolder) + 1;
  if (own > 0) keepOutOfGit(names.slice(0, own).join(sep));
}

function createAll(path: string, mode: number): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) createAll(above, mode);
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

/** Writes the `.gitignore` of a folder, unless one is there or the folder cannot be written. */
function keepOutOfGit(folder: string): void {
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EEXIST", "EROFS", "EACCES", "EPERM"].includes(code)) throw error;
  }
}

import { statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Finds a file by its name in the folder of `path`, or in the nearest folder above. */
export function nearestFile(name: string, path: string): string | undefined {
  const folder = dirname(path);
  const file = join(folder, name);
  if (isFile(file)) return file;
  return dirname(folder) === folder ? undefined : nearestFile(name, folder);
}

/** Whether a path is a file. A file that a border hides from this process counts as missing. */
export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch (error) {
    if (["ERR_ACCESS_DENIED", "EACCES", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code)))
      return false;
    throw error;
  }
}

import { basename, dirname, join, posix } from "node:path";
import { isPathError, type Files } from "@toolmount/paths";

/** The place at which a search begins: a folder, or one file. */
export interface Base {
  readonly kind: "directory" | "file";
  /** The folder in which the engine runs, free of links. */
  readonly folder: string;
  /** The argument by which the engine searches this place. */
  readonly target: string;
  /** Returns the real path for a path that the engine reports. */
  real(found: string): string;
  /** Returns the same path in the form that the caller would use, and that other tools accept. */
  shown(found: string): string;
}

/** Checks the place at which a search is to begin. Throws a PathError. */
export async function openBase(files: Files, path: string): Promise<Base> {
  const { real } = await files.locate(path, "read");
  if (await isFolder(files, path))
    return {
      kind: "directory",
      folder: real,
      target: "./",
      real: (found) => join(real, found),
      shown: (found) => posix.join(path, found),
    };
  return {
    kind: "file",
    folder: dirname(real),
    target: `./${basename(real)}`,
    real: () => real,
    shown: () => path,
  };
}

/** Whether a path is a folder. At most 0 bytes of it are read, so that only the error shows what it is. */
async function isFolder(files: Files, path: string): Promise<boolean> {
  try {
    await files.read(path, 0);
    return false;
  } catch (thrown) {
    if (isPathError(thrown) && thrown.code === "IS_A_DIRECTORY") return true;
    if (isPathError(thrown) && thrown.code === "FILE_TOO_LARGE") return false;
    throw thrown;
  }
}

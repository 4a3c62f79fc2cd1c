import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findPackage, readNow, type PackageFacts } from "./manifest.ts";

export type PackageFinder = (name: string) => Promise<PackageFacts | undefined> | PackageFacts | undefined;

/** Finds many packages from one folder, each by one read; asks Node about its own name, and what it does not find. */
export function createPackageFinder(folder: string): PackageFinder {
  const folders = [...ancestorsOf(folder)];
  const roots = folders.map((path) => join(path, "node_modules")).filter(isFolder);
  const own = folders.map((path) => readNow(path)).find((facts) => facts !== null)?.name;
  return (name) => {
    if (name === own) return findPackage(name, folder);
    for (const root of roots) {
      const facts = readNow(join(root, name));
      if (facts !== null) return facts;
    }
    return findPackage(name, folder);
  };
}

function* ancestorsOf(folder: string): Iterable<string> {
  yield folder;
  const above = dirname(folder);
  if (above !== folder) yield* ancestorsOf(above);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

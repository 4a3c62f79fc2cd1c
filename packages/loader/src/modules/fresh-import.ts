import { createRequire } from "node:module";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";
import { types } from "node:util";
import { importModule, setImportQuery } from "@toolmount/core/import";
import type { ModuleExports } from "./source.ts";
import { readSourceFiles, type SourceFiles } from "./source-files.ts";

const require = createRequire(import.meta.url);

// Node caches every module by URL for the life of the process, even one that failed. These maps describe this cache, so there is
// one of each for the process. A changed file is imported under a URL with a digest of its content.

/** By real path, the digest of a file when it was first imported, under its URL without a query. */
const firstDigests = new Map<string, string>();

/** By the path of its entry, the version of a package when it was first imported. */
const firstVersions = new Map<string, string>();

/** By real path, how many imports of the file failed. */
const failures = new Map<string, number>();

/** By real path, the query that the file's URL has now. */
const queries = new Map<string, string>();

/** Imports a file so that the current content of it and of its imports runs, even if older content was imported before. */
export async function importFile(files: SourceFiles, startedAt: number): Promise<ModuleExports> {
  const { entry, digests, digest, changedAt } = files;
  // The file changed after the process started, and the application may have imported its older content.
  if (!firstDigests.has(entry) && changedAt >= startedAt) firstDigests.set(entry, "unknown");
  for (const [file, now] of digests) {
    if (!firstDigests.has(file)) firstDigests.set(file, now);
    setQuery(file, firstDigests.get(file) === now ? "" : now);
  }
  return importEntry(entry, [...digests.keys()], digest);
}

/** Imports the entry of an installed package. If another version has replaced it since, all its files are loaded again. */
export async function importPackageFile(path: string, version: string | undefined): Promise<ModuleExports> {
  const first = firstVersions.get(path) ?? version ?? "";
  firstVersions.set(path, first);
  if (first === (version ?? "")) return importFileOf(path);
  const { entry, digests, digest } = await readSourceFiles(path);
  for (const [file, now] of digests) setQuery(file, now);
  return importEntry(entry, [...digests.keys()], digest);
}

/** Imports a file. Uses `require` for an installed package if that works, because it is faster and returns the same module. */
export async function importFileOf(path: string): Promise<ModuleExports> {
  if (path.includes(`${sep}node_modules${sep}`))
    try {
      const exports = require(path) as ModuleExports;
      if (types.isModuleNamespaceObject(exports) && !("__esModule" in exports)) return exports;
    } catch {
      // `require` fails for a module with top-level await. Other failures occur again in the import below, which reports them.
    }
  return importModule(pathToFileURL(path).href);
}

async function importEntry(entry: string, files: readonly string[], digest: string): Promise<ModuleExports> {
  try {
    return await importModule(`${pathToFileURL(entry).href}${queries.get(entry) ?? ""}`);
  } catch (error) {
    // Node also caches a failure, and any of the files may have caused it. So all get a new URL for the next import.
    for (const file of files) {
      failures.set(file, (failures.get(file) ?? 0) + 1);
      setQuery(file, digest);
    }
    throw error;
  }
}

function setQuery(file: string, digest: string): void {
  const failed = failures.get(file) ?? 0;
  const parts = [...(digest === "" ? [] : [digest.slice(0, 16)]), ...(failed === 0 ? [] : [failed])];
  const query = parts.length === 0 ? "" : `?v=${parts.join("-")}`;
  queries.set(file, query);
  setImportQuery(file, query);
}

import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { importFileOf, importModule, type ModuleExports } from "./import.ts";
import { readSourceFiles, type SourceFiles } from "./source-files.ts";

// Node caches every module for the life of the process, by URL, also one that failed. These maps describe that cache, so
// there is one set of them in a process. A file that changed is imported under a URL with the digest of its content.

/** By real path: the digest that a file had when it was first imported, under its plain URL. */
const firstDigests = new Map<string, string>();

/** By path of its entry: the version that a package had when it was first imported. */
const firstVersions = new Map<string, string>();

/** By real path: how many imports of it failed. */
const failures = new Map<string, number>();

/** By real path: what the URL of a file has now, besides its path. */
const queries = new Map<string, string>();

let isHooked = false;

/** Imports a file, so that the code that runs is what its files contain now. */
export async function importFile(files: SourceFiles, startedAt: number): Promise<ModuleExports> {
  const { entry, digests, digest, changedAt } = files;
  // The application may have imported the file before it changed.
  if (!firstDigests.has(entry) && changedAt >= startedAt) firstDigests.set(entry, "unknown");
  for (const [file, now] of digests) {
    if (!firstDigests.has(file)) firstDigests.set(file, now);
    setQuery(file, firstDigests.get(file) === now ? "" : now);
  }
  return importEntry(entry, [...digests.keys()], digest);
}

/** Imports the entry of an installed package. When the package was replaced by another version, all its files are new. */
export async function importPackageFile(path: string, version: string | undefined): Promise<ModuleExports> {
  const first = firstVersions.get(path) ?? version ?? "";
  firstVersions.set(path, first);
  if (first === (version ?? "")) return importFileOf(path);
  const { entry, digests, digest } = await readSourceFiles(path);
  for (const [file, now] of digests) setQuery(file, now);
  return importEntry(entry, [...digests.keys()], digest);
}

async function importEntry(entry: string, files: readonly string[], digest: string): Promise<ModuleExports> {
  if (!isHooked && files.some((file) => file !== entry && queries.get(file) !== "")) {
    isHooked = true;
    registerHooks({ resolve: resolveWithQuery });
  }
  try {
    return await importModule(`${pathToFileURL(entry).href}${queries.get(entry) ?? ""}`);
  } catch (error) {
    // Node keeps the failure, too; any of the files may be the one that failed.
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
  queries.set(file, parts.length === 0 ? "" : `?v=${parts.join("-")}`);
}

type ResolveHook = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;

/** Adds the query of a file to its URL when a file of a module imports it; other imports are not changed. */
const resolveWithQuery: ResolveHook = (specifier, context, next) => {
  const resolved = next(specifier, context);
  const { parentURL } = context;
  if (!specifier.startsWith(".") || parentURL === undefined || !context.conditions.includes("import"))
    return resolved;
  if (!isFileOfModule(parentURL) || !isFileOfModule(resolved.url) || resolved.url.includes("?"))
    return resolved;
  return { ...resolved, url: `${resolved.url}${queries.get(fileURLToPath(resolved.url)) ?? ""}` };
};

function isFileOfModule(url: string): boolean {
  return url.startsWith("file:") && queries.has(fileURLToPath(url));
}

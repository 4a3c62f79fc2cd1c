import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Path } from "../diagnostics/positions.ts";
import type { Reporter } from "../diagnostics/problems.ts";
import type { PlanLock } from "../plan/lock-file.ts";
import { isBelow, nextCommandFiles, type NamedFiles, type NamingPlan } from "./next-command.ts";

/** A file that the next command would run or read, with a digest of its content. */
export interface LockedFile {
  /** The path of the part of the plan that names the file. */
  readonly path: Path;
  /** The real path of the file, relative to the plan's folder, with "/". */
  readonly name: string;
  readonly digest: string;
}

/**
 * Returns the files that a lock covers: those that the programs of hooks and of MCP servers run or name, skills, and texts of
 * fetched bundles. Only files in the plan's folder count, and in folders to which the plan refers by a relative path. Packages
 * and programs of the system do not.
 */
export async function filesToLock(named: NamingPlan): Promise<readonly LockedFile[]> {
  const base = await realpath(named.folder);
  const found = await Promise.all((await nextCommandFiles(named)).map((each) => lockedOf(each, base)));
  return found.flat();
}

/** Returns the digests of files by name, for a lock file. */
export function digestsOf(files: readonly LockedFile[]): Record<string, string> {
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(sorted.map(({ name, digest }) => [name, digest]));
}

/** Tests whether a hook runs the file, or it is a text of a fetched bundle. If such a file changed, the plan does not open. */
export function isGuarded({ path }: LockedFile): boolean {
  return path[0] === "hooks" || path[0] === "includes";
}

/**
 * Reports each file that differs from the lock. With `all`, also reports files in the lock that the plan no longer uses. Older
 * locks have no files, and accept any.
 */
export function reportFiles(
  lock: PlanLock,
  files: readonly LockedFile[],
  { report, problems }: Reporter,
  which: "all" | "changed" = "all",
): void {
  if (lock.files === undefined) return;
  const hint = "review the file, then accept it with: toolmount lock --accept";
  const now = digestsOf(files);
  for (const { name, digest, path } of files) {
    const before = lock.files[name];
    if (before === digest) continue;
    const change = before === undefined ? "is not in the lock file" : "differs from the lock file";
    report("LOCK_DRIFT", { file: name, change }, { path, hint });
  }
  // A changed script may name other files than before, so then only the changes are reported.
  if (problems.length > 0 || which === "changed") return;
  const gone = Object.keys(lock.files).filter((name) => !Object.hasOwn(now, name));
  for (const file of gone)
    report("LOCK_DRIFT", { file, change: "is in the lock file, and no longer used" }, { path: [], hint });
}

async function lockedOf({ path, files, roots }: NamedFiles, base: string): Promise<readonly LockedFile[]> {
  const real = (each: string) => realpath(each).catch(() => each);
  const within = [base, ...(await Promise.all(roots.map(real)))];
  const found = (await Promise.all(files.map(filesBelow))).flat();
  const places = [...new Set(await Promise.all(found.map(real)))].filter(
    (file) => within.some((root) => isBelow(file, root)) && !file.split(sep).includes("node_modules"),
  );
  const digests = await Promise.all(places.map(digestOf));
  return places.map((file, at) => ({
    path,
    name: relative(base, file).split(sep).join("/"),
    digest: digests[at]!,
  }));
}

/** Returns the path of a file, or of all files below a folder. Empty for a path that does not exist. */
async function filesBelow(path: string): Promise<readonly string[]> {
  const kind = await stat(path).catch(() => undefined);
  if (kind?.isFile() === true) return [path];
  if (kind?.isDirectory() !== true) return [];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  const kinds = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return files.filter((_, at) => kinds[at]?.isFile() === true);
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return `sha256-${hash.digest("hex")}`;
}

import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { holdsVariables } from "@toolmount/core/internal";

/**
 * Returns the folders that Node reads when it imports a file: those of its package, the `node_modules` folders above it, and
 * the packages elsewhere to which links in these lead.
 */
export function codeFolders(files: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  const packages = files.map((file) => packageOf(realpathSync.native(file)));
  for (let root = packages.pop(); root !== undefined; root = packages.pop()) {
    if (folders.has(root)) continue;
    if (!isInside(root, folders)) folders.add(root);
    for (const modules of moduleFolders(root)) {
      if (folders.has(modules)) continue;
      folders.add(modules);
      for (const target of linkTargets(modules))
        if (!isInside(target, folders)) packages.push(packageOf(target));
    }
  }
  return [...folders].filter((folder) => !isInside(dirname(folder), folders));
}

/** Returns files in packages' folders that are not code and may hold secrets: `.git`, `.toolmount` and `.env` files. */
export function secretsBeside(folders: readonly string[]): readonly string[] {
  const isSecret = (name: string) => name === ".git" || name === ".toolmount" || holdsVariables(name);
  return folders.flatMap((folder) =>
    namesIn(folder)
      .filter(isSecret)
      .map((name) => join(folder, name)),
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isInside(path: string, folders: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (folders.has(at)) return true;
    if (dirname(at) === at) return false;
  }
}

/** Returns the nearest folder with a `package.json`; for a file without one, its own folder. */
function packageOf(path: string): string {
  for (let at = path; dirname(at) !== at; at = dirname(at))
    if (existsSync(join(at, "package.json"))) return at;
  return dirname(path);
}

/** Returns the `node_modules` folders in a folder and above it. */
function moduleFolders(folder: string): string[] {
  const found: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    const modules = at.endsWith(`${sep}node_modules`) ? at : join(at, "node_modules");
    if (existsSync(modules)) found.push(modules);
    if (dirname(at) === at) return found;
  }
}

function linkTargets(modules: string): string[] {
  return readdirSync(modules, { withFileTypes: true }).flatMap((entry) => {
    const path = join(modules, entry.name);
    if (entry.isDirectory() && entry.name.startsWith("@")) return linkTargets(path);
    return entry.isSymbolicLink() ? targetOf(path) : [];
  });
}

/** Returns where a link leads, or nothing if its package does not exist, which breaks only imports that need it. */
function targetOf(link: string): string[] {
  try {
    return [realpathSync.native(link)];
  } catch {
    return [];
  }
}

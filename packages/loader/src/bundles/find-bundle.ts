import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isToolmountError } from "@toolmount/core/errors";
import { readGit, storeOf, type FetchedSource } from "../modules/fetched-source.ts";
import type { Bundles, Home } from "./bundle.ts";

type Found =
  | { readonly home: Home }
  /** The bundle is in a repository that is not fetched yet. */
  | { readonly missing: FetchedSource }
  | { readonly problem: string };

const endings = ["", ".md", ".yaml", ".yml"];
const rootNames = ["bundle.md", "bundle.yaml", "bundle.yml"];

/** Finds the bundle that a line of `includes` names: by git, by path, or by the name of a bundle that was read earlier. */
export function findBundle(written: string, from: Home, bundles: Bundles, planFolder: string): Found {
  if (written.startsWith("git+")) return findFetched(written, planFolder);
  if (written.startsWith("file://")) return atPath(fileURLToPath(written), undefined, written);
  if (/^\.{1,2}\//.test(written) || isAbsolute(written))
    return atPath(resolve(dirname(from.file), written), from, written);
  const [name = "", ...path] = written.split(":");
  const home = bundles.homes.get(name);
  const known = [...bundles.homes.keys()].join(", ");
  if (home === undefined && path.length === 0)
    return {
      problem: `"${name}" is a name that Amplifier's application knows; write the address of the bundle, such as git+https://github.com/<owner>/<repository>@<tag>`,
    };
  if (home === undefined)
    return { problem: `no bundle that was read before is named "${name}"; these were: ${known}` };
  return atPath(join(home.root, path.join(":")), home, written);
}

/** Returns the folder for the clone of a bundle's repository, next to the plan's fetched packages. */
function cloneOf(planFolder: string, { alias }: FetchedSource): string {
  return join(storeOf(planFolder), "bundles", alias);
}

function findFetched(written: string, planFolder: string): Found {
  try {
    const { from } = readGit(written);
    // Bundles in the same repository share one clone, so the subdirectory is left out of its name.
    const source = readGit(written.replace(/#.*$/s, ""));
    const clone = cloneOf(planFolder, source);
    if (!isThere(join(clone, ".git", "HEAD"))) return { missing: source };
    const subdirectory = from.kind === "git" ? from.subdirectory : "";
    return atPath(join(clone, subdirectory), { file: "", root: clone, fetched: source }, written);
  } catch (error) {
    if (!isToolmountError(error)) throw error;
    return { problem: error.message };
  }
}

/** Finds the bundle at a path. If `within` was fetched, the file must be inside the repository of `within`. */
function atPath(path: string, within: Home | undefined, written: string): Found {
  const file = findFile(path);
  if (file === undefined) return { problem: `no bundle is at ${written}` };
  const limit = within?.fetched === undefined ? undefined : within.root;
  if (limit !== undefined && !isInside(file, limit))
    return { problem: `${written} is outside of the repository that names it` };
  return { home: { file, root: rootOf(file, limit), fetched: within?.fetched } };
}

function findFile(path: string): string | undefined {
  const places = [
    ...endings.map((ending) => `${path}${ending}`),
    ...rootNames.map((name) => join(path, name)),
  ];
  return places.find(isThere);
}

/**
 * Returns the nearest folder that has a root bundle, from the file's folder upward to `limit`. Without one, returns `limit` or
 * the file's folder.
 */
function rootOf(file: string, limit: string | undefined): string {
  const own = dirname(file);
  for (let folder = own; ; folder = dirname(folder)) {
    if (rootBundle(folder) !== undefined || folder === limit) return folder;
    if (dirname(folder) === folder) return limit ?? own;
  }
}

/** Returns the file of a folder's root bundle; undefined without one. References to texts in the folder begin with its name. */
export function rootBundle(folder: string): string | undefined {
  return rootNames.map((name) => join(folder, name)).find(isThere);
}

/** Returns the home of a bundle that is opened as a plan. */
export function homeOf(file: string): Home {
  return { file, root: rootOf(file, undefined), fetched: undefined };
}

/**
 * Finds the file that a reference such as `foundation:context/rules.md` means, with or without `.md`. Returns a problem if there
 * is no such file.
 */
export function findText(
  written: string,
  {
    home,
    bundles,
    folder = "",
  }: { readonly home: Home; readonly bundles: Bundles; readonly folder?: string },
): { readonly file: string; readonly home: Home } | { readonly problem: string } {
  const [, name, path = ""] = /^(?:([^:/]+):)?(.+)$/.exec(written) ?? [];
  const owner = name === undefined ? home : bundles.homes.get(name);
  if (owner === undefined)
    return { problem: `${written} is of a bundle that is not included; include it, or remove the reference` };
  const places = [join(owner.root, folder, path), join(owner.root, folder, `${path}.md`)];
  const file = places.find(isThere);
  if (file === undefined)
    return { problem: `${written} is no file of its bundle; ${owner.root} has no ${join(folder, path)}` };
  if (!isInside(file, owner.root)) return { problem: `${written} is outside of its bundle` };
  return { file, home: owner };
}

/** Finds the file or the folder that a mention such as `@foundation:context` means. Returns a problem if there is neither. */
export function findMention(
  written: string,
  where: Parameters<typeof findText>[1],
): { readonly file: string; readonly home: Home; readonly isFolder: boolean } | { readonly problem: string } {
  const found = findText(written, where);
  const [, name = "", path = ""] = /^([^:/]+):(.+)$/.exec(written) ?? [];
  const home = where.bundles.homes.get(name);
  if (!("problem" in found)) return { ...found, isFolder: false };
  if (home === undefined) return found;
  const folder = join(home.root, path);
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && isInside(folder, home.root) ? { file: folder, home, isFolder } : found;
}

/** Tests whether `file` exists, is a file and is below `folder`, even after links are followed. */
export function isFileIn(file: string, folder: string): boolean {
  return isThere(file) && isInside(file, folder);
}

function isInside(file: string, folder: string): boolean {
  return `${realpathSync(file)}${sep}`.startsWith(`${realpathSync(folder)}${sep}`);
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Converts a relative source of a fetched bundle to a source in the bundle's repository, so that its module runs behind a border
 * as other fetched modules do.
 */
export function fetchedSource(written: string, { file, fetched, root }: Home): string {
  if (fetched?.from.kind !== "git" || !/^\.{1,2}\//.test(written)) return written;
  const { url, ref } = fetched.from;
  const folder = relative(root, resolve(dirname(file), written))
    .split(sep)
    .join("/");
  return `git+${url}${ref === undefined ? "" : `@${ref}`}#subdirectory=${folder}`;
}

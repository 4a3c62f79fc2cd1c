import { existsSync, realpathSync } from "node:fs";
import nodePath, { type PlatformPath } from "node:path";
import { isBelow } from "./below.ts";

/** The access that an operation needs to a path. */
export type Access = "read" | "write";

/** The folders and files that may be read and written. All paths are absolute. */
export interface RootRules {
  /** The folder where relative paths start. */
  readonly workingDir: string;
  /** Readable paths, with everything below them. */
  readonly read: readonly string[];
  /** Writable paths, with everything below them. */
  readonly write: readonly string[];
  /** Paths that cannot be read, even if something else allows them. */
  readonly deniedRead?: readonly string[] | undefined;
  /**
   * Paths that cannot be read, such as files of secrets, unless `read` has the same path or one below: that path is readable.
   */
  readonly secret?: readonly string[] | undefined;
  /**
   * Paths that cannot be written, even if something else allows them. `**` + `/name` is an entry of that name in any folder; `*`
   * is any text. The first folder of a name such as `.git/hooks` must not be moved or deleted. `**` + `/(HEAD,objects,refs)` is
   * any folder that has all these entries, or would have them after the write, with everything below it.
   */
  readonly deniedWrite?: readonly string[] | undefined;
}

/** Rules with resolved roots. They are resolved only once, so a root that moves later allows nothing. */
export interface Rules {
  readonly workingDir: string;
  /** Whether a path may lead inside a root, judged only by its text. */
  mayLeadInside(path: string, access: Access): boolean;
  /** Checks a real path. Returns why it is refused; null if it is allowed. */
  objection(real: string, access: Access): Access | "denied" | null;
  /** Whether a root or a denied path is `real` or below it, so that `real` must not be moved or deleted. */
  holdsRoot(real: string): boolean;
}

/** How an operating system writes and resolves paths. */
export interface PathSystem {
  readonly path: PlatformPath;
  /** Returns the real place of an entry, without links. Throws if there is no entry. */
  realpath(path: string): string;
  exists(path: string): boolean;
}

const thisSystem: PathSystem = {
  path: nodePath,
  realpath: (path) => realpathSync.native(path),
  exists: existsSync,
};

/** Resolves the roots and prepares the checks. Throws a RangeError when a path is not absolute. */
export function prepareRules(
  { workingDir, read, write, deniedRead = [], deniedWrite = [], secret = [] }: RootRules,
  system: PathSystem = thisSystem,
): Rules {
  const reallyAt = (path: string) => placeOf(path, system);
  const bothWays = (all: readonly string[]) => all.flatMap((path) => [fold(path), fold(reallyAt(path))]);
  const isInside = (path: string, root: string) => isBelow(path, root, system.path.sep);
  const sets = deniedWrite.filter(isSet).map((path) => path.slice(anywhere.length + 1, -1).split(","));
  const names = deniedWrite.filter((path) => path.startsWith(anywhere) && !isSet(path));
  const paths = deniedWrite.filter((path) => !path.startsWith(anywhere));
  const deniedNames = names.map((name) => name.slice(anywhere.length));
  const hasDeniedName = namesMatcher(deniedNames);
  const holdsDeniedName = namesMatcher(deniedNames.flatMap(foldersOf), "last");
  const all = [workingDir, ...read, ...write, ...deniedRead, ...secret, ...paths];
  const relative = all.find((path) => !system.path.isAbsolute(path));
  if (relative !== undefined) throw new RangeError(`root "${relative}" is not absolute`);
  const roots = { read: read.map(reallyAt), write: write.map(reallyAt) };
  const spelled = { read: [...read, ...roots.read].map(fold), write: [...write, ...roots.write].map(fold) };
  const denied = { read: bothWays(deniedRead), write: bothWays(paths) };
  const secrets = bothWays(secret);
  const opened = spelled.read.filter((root) => secrets.some((each) => isInside(root, each)));
  const isSecret = (path: string) =>
    secrets.some((each) => isInside(path, each)) && !opened.some((root) => isInside(path, root));
  const completes = (real: string, set: readonly string[]) =>
    foldersAbove(real, system).some(([folder, entry]) => {
      if (!roots.write.some((root) => isInside(folder, root))) return false;
      return set.every((name) => fold(name) === fold(entry) || system.exists(system.path.join(folder, name)));
    });
  const kept = [...roots.read, ...roots.write, ...denied.read, ...denied.write, ...secrets].map(fold);
  return {
    workingDir,
    mayLeadInside: (path, access) => spelled[access].some((root) => isInside(fold(path), root)),
    objection(real, access) {
      const folded = fold(real);
      if (denied[access].some((root) => isInside(folded, root))) return "denied";
      if (access === "write" && hasDeniedName(real)) return "denied";
      if (access === "write" && sets.some((set) => completes(real, set))) return "denied";
      if (access === "read" && isSecret(folded)) return "denied";
      return roots[access].some((root) => isInside(real, root)) ? null : access;
    },
    holdsRoot(real) {
      const folded = fold(real);
      return kept.some((root) => isInside(root, folded)) || holdsDeniedName(real);
    },
  };
}

/** Whether all paths really lead into a folder, when links are followed. */
export function areReallyIn(folder: string, paths: readonly string[]): boolean {
  const root = placeOf(folder, thisSystem);
  return paths.every((path) => isBelow(placeOf(path, thisSystem), root));
}

/** The prefix of a denied name that counts in any folder. */
const anywhere = "**/";

/** Whether a denied path describes a folder by its entries. */
function isSet(path: string): boolean {
  return path.startsWith(`${anywhere}(`) && path.endsWith(")");
}

/** Returns each folder above a path, with the entry of that folder through which the path leads. */
function foldersAbove(
  real: string,
  { path }: Pick<PathSystem, "path">,
): readonly [folder: string, entry: string][] {
  const folder = path.dirname(real);
  return folder === real ? [] : [[folder, path.basename(real)], ...foldersAbove(folder, { path })];
}

/** Returns the folders of a name, for example `.git` of `.git/hooks`. */
function foldersOf(name: string): readonly string[] {
  const parts = name.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** Returns a test whether a path contains or, with `last`, ends with one of these names. `*` is any text within one part. */
function namesMatcher(names: readonly string[], place: "any" | "last" = "any"): (path: string) => boolean {
  if (names.length === 0) return () => false;
  const patterns = names.map((name) =>
    fold(name)
      .split("*")
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("/", "[/\\\\]"))
      .join("[^/\\\\]*"),
  );
  const pattern = new RegExp(
    `(?:^|[/\\\\])(?:${patterns.join("|")})${place === "last" ? "$" : "(?:[/\\\\]|$)"}`,
  );
  return (path) => pattern.test(fold(path));
}

/** Characters that some file systems ignore in names. */
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Returns a spelling that is equal for names that some disk treats as equal: case, normal form and ignored characters. */
function fold(path: string): string {
  // Most paths are ASCII, for which only the case matters.
  if (!/[^\0-\x7f]/.test(path)) return path.toLowerCase();
  return path.normalize("NFC").replace(ignorable, "").toUpperCase().toLowerCase().normalize("NFC");
}

/** Returns the real place of a path. The part that does not exist stays as written. */
function placeOf(given: string, system: PathSystem): string {
  const { path } = system;
  const { base } = path.parse(path.join(given, "."));
  try {
    return system.realpath(given);
  } catch {
    return base === "" ? given : path.join(placeOf(path.dirname(given), system), base);
  }
}

import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { realpathSync } from "node:fs";

/** The access that an operation needs to a path. */
export type Access = "read" | "write";

/** Which folders and files may be read and written. All paths are absolute. */
export interface RootRules {
  /** What relative paths are relative to. */
  readonly workingDir: string;
  /** What may be read: these, and all below them. */
  readonly read: readonly string[];
  /** What may be written: these, and all below them. */
  readonly write: readonly string[];
  /** What may not be read, whatever else allows it. */
  readonly deniedRead?: readonly string[] | undefined;
  /** What may not be written, whatever else allows it. */
  readonly deniedWrite?: readonly string[] | undefined;
}

/** Rules whose roots were followed to where they really are, once: a root that moves later leads nowhere. */
export interface Rules {
  readonly workingDir: string;
  /** Whether a path, as text, may lead inside a root at all; those that cannot never touch the disk. */
  mayLeadInside(path: string, access: Access): boolean;
  /** Judges where a path really is. Null: allowed. */
  objection(real: string, access: Access): Access | "denied" | null;
  /** Whether a root or a denied path is `real` or lies below it, so that it may be neither moved nor deleted. */
  holdsRoot(real: string): boolean;
}

/** Follows the roots and prepares the judgement. Throws a RangeError when a path is not absolute. */
export function prepareRules({
  workingDir,
  read,
  write,
  deniedRead = [],
  deniedWrite = [],
}: RootRules): Rules {
  const all = [workingDir, ...read, ...write, ...deniedRead, ...deniedWrite];
  const relative = all.find((path) => !isAbsolute(path));
  if (relative !== undefined) throw new RangeError(`root "${relative}" is not absolute`);
  const roots = { read: read.map(reallyAt), write: write.map(reallyAt) };
  const spelled = { read: [...read, ...roots.read].map(fold), write: [...write, ...roots.write].map(fold) };
  const denied = { read: bothWays(deniedRead), write: bothWays(deniedWrite) };
  const kept = [...roots.read, ...roots.write, ...denied.read, ...denied.write].map(fold);
  return {
    workingDir,
    mayLeadInside: (path, access) => spelled[access].some((root) => isInside(fold(path), root)),
    objection(real, access) {
      if (denied[access].some((root) => isInside(fold(real), root))) return "denied";
      return roots[access].some((root) => isInside(real, root)) ? null : access;
    },
    holdsRoot: (real) => kept.some((root) => isInside(root, fold(real))),
  };
}

/** Tells whether `path` is `root` or below it: with a separator, for `/allowed-evil` is not in `/allowed`. */
function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Characters that some file systems do not see in names. */
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** A spelling in which names that some disk takes for the same are the same: case, normal form, unseen characters. */
function fold(path: string): string {
  return path.normalize("NFC").replace(ignorable, "").toUpperCase().toLowerCase().normalize("NFC");
}

function bothWays(paths: readonly string[]): string[] {
  return paths.flatMap((path) => [fold(path), fold(reallyAt(path))]);
}

/** Where a path really is; what of it is not there yet stays as it is written. */
function reallyAt(path: string): string {
  const { root, base } = parse(join(path, "."));
  try {
    return realpathSync.native(path);
  } catch {
    return base === "" || path === root ? path : join(reallyAt(dirname(path)), base);
  }
}

import { join } from "node:path";
import { chooseDisk, plainDisk, procDisk, type Disk } from "./disk.ts";
import { makeFolder } from "./folder.ts";
import { listFolder, lookAt, type EntryFacts, type Listing } from "./list.ts";
import { moveEntry, type MoveOptions } from "./move.ts";
import { PathError, pathErrorOf } from "./path-error.ts";
import { locate, locateEntry, type Place } from "./place.ts";
import { readBytes, type FileBytes } from "./read.ts";
import { removeEntry, type RemoveOptions } from "./remove.ts";
import { prepareRules, type Access, type RootRules } from "./rules.ts";
import { replaceFile, type ReplaceOptions } from "./write.ts";

/**
 * The files below the roots, and no others. Every method judges the path anew, holds what it opened to the path that
 * was judged, and throws a {@link PathError}; outside the roots it says the same of what exists and what does not.
 */
export interface Files {
  /** Judges a path and tells where it really is; something need not be there. */
  locate(path: string, access: Access): Promise<Place>;
  /** Whether a path that is free of links may be touched; for judging many hits of a search below a located folder. */
  allows(real: string, access: Access): boolean;
  /** Reads a regular file of at most `maxBytes`. */
  read(path: string, maxBytes: number, signal?: AbortSignal): Promise<FileBytes & { place: Place }>;
  /** Lists a folder from entry `offset` (from 0), folders first. */
  list(
    path: string,
    page: { offset: number; limit: number; signal?: AbortSignal | undefined },
  ): Promise<Listing>;
  /**
   * Looks at entries of one folder by their names, links not followed: in the order of the names, null for what is not
   * there or may not be read. For many hits of a search, which open their folder once.
   */
  look(path: string, names: readonly string[]): Promise<readonly (EntryFacts | null)[]>;
  /** Writes a file, whole or not at all, with the folders above it. */
  replace(path: string, bytes: Uint8Array, options?: ReplaceOptions): Promise<Place>;
  /** Makes a folder and those above it; false when it was there. */
  makeFolder(path: string): Promise<boolean>;
  /** Removes an entry for good; tells how many entries that were. */
  remove(path: string, options: RemoveOptions): Promise<{ removed: number; place: Place }>;
  /** Moves or renames a file or folder. */
  move(from: string, to: string, options: MoveOptions): Promise<{ from: Place; to: Place }>;
}

/** Options of `createFiles`. */
export interface FilesOptions {
  /** How descriptors are held to their paths; default the stricter one that the system has. */
  readonly disk?: Disk["kind"] | undefined;
}

/** Follows the roots to where they are, once, and guards all that lies below. Throws a RangeError for a relative root. */
export function createFiles(rootRules: RootRules, options: FilesOptions = {}): Files {
  const rules = prepareRules(rootRules);
  const disk = options.disk === undefined ? chooseDisk() : options.disk === "proc" ? procDisk : plainDisk;
  return {
    locate: (path, access) => telling(path, access, () => locate(rules, path, access)),
    allows: (real, access) => rules.objection(real, access) === null,
    read: (path, maxBytes, signal) =>
      telling(path, "read", async () => {
        const place = await locate(rules, path, "read");
        return { place, ...(await readBytes(disk, place, maxBytes, signal)) };
      }),
    list: (path, page) =>
      telling(path, "read", async () => listFolder(disk, await locate(rules, path, "read"), page)),
    look: (path, names) =>
      telling(path, "read", async () => {
        const place = await locate(rules, path, "read");
        const found = await lookAt(disk, place, names);
        return found.map((entry) =>
          entry !== null && rules.objection(join(place.real, entry.name), "read") === null ? entry : null,
        );
      }),
    replace: (path, bytes, replaceOptions) =>
      telling(path, "write", async () => {
        const place = await locate(rules, path, "write");
        await replaceFile(disk, place, bytes, replaceOptions);
        return place;
      }),
    makeFolder: (path) =>
      telling(path, "write", async () => {
        const { given, real } = await locate(rules, path, "write");
        const { folder, made } = await makeFolder(disk, real, { given, access: "write" });
        await folder.close();
        return made;
      }),
    remove: (path, removeOptions) =>
      telling(path, "write", async () => {
        const place = await locateEntry(rules, path, "write");
        requireNotKept(rules.holdsRoot(place.real), place);
        return { place, removed: await removeEntry(disk, place, removeOptions) };
      }),
    move: (path, newPath, moveOptions) =>
      telling(path, "write", async () => {
        // What could not be read where it was may not become readable elsewhere.
        await locateEntry(rules, path, "read");
        const from = await locateEntry(rules, path, "write");
        requireNotKept(rules.holdsRoot(from.real), from);
        const to = await locateEntry(rules, newPath, "write");
        await moveEntry(disk, from, to, moveOptions);
        return { from, to };
      }),
  };
}

function requireNotKept(holdsRoot: boolean, { given }: Place): void {
  if (holdsRoot) throw new PathError("ACCESS_DENIED", { path: given, reason: "kept" });
}

async function telling<Value>(path: string, access: Access, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    throw pathErrorOf(thrown, path, access);
  }
}

import { join } from "node:path";
import { chooseDisk, plainDisk, procDisk, type Disk } from "./disk.ts";
import { makeFolder } from "./folder.ts";
import { listFolder, lookAt, type EntryFacts, type Listing } from "./list.ts";
import { markEntry, type Marked } from "./mark.ts";
import { moveEntry, type MoveOptions } from "./move.ts";
import { PathError, pathErrorOf } from "./path-error.ts";
import { locate, locateEntry, type Place } from "./place.ts";
import { readBytes, type FileBytes } from "./read.ts";
import { removeEntry, type RemoveOptions } from "./remove.ts";
import { restoreEntry } from "./restore.ts";
import { prepareRules, type Access, type RootRules, type Rules } from "./rules.ts";
import { takeSnapshot, type Snapshot, type SnapshotOptions, type TakenSnapshot } from "./snapshot.ts";
import { replaceFile, type CopyAttributes, type Replaced, type ReplaceOptions } from "./write.ts";

/**
 * Access to the files below the roots. Every method checks its path, compares what it opened with the checked path, and throws a
 * {@link PathError}. Outside the roots, the error is the same for existing and absent files.
 */
export interface Files {
  /** Checks a path and resolves to its real place. The path need not exist. */
  locate(path: string, access: Access): Promise<Place>;
  /** Checks the entry itself, without following a link, and that it may be moved or removed. It need not exist. */
  locateEntry(path: string): Promise<Place>;
  /** Returns whether a path without links is allowed. A search below a located folder uses it for its many hits. */
  allows(real: string, access: Access): boolean;
  /** Reads a regular file of at most `maxBytes`. */
  read(path: string, maxBytes: number, signal?: AbortSignal): Promise<FileBytes & { place: Place }>;
  /** Lists a folder from entry `offset` (counted from 0) on, folders first. */
  list(
    path: string,
    page: { offset: number; limit: number; signal?: AbortSignal | undefined },
  ): Promise<Listing>;
  /**
   * Resolves to facts about entries of a folder, in the order of `names`, without following links. Null for an entry that is
   * absent or unreadable. It opens the folder once for many hits of a search.
   */
  look(path: string, names: readonly string[]): Promise<readonly (EntryFacts | null)[]>;
  /**
   * Writes a file completely or not at all, and creates the folders above it. The result also says what the file lost by that.
   */
  replace(path: string, bytes: Uint8Array, options?: ReplaceOptions): Promise<Place & Replaced>;
  /** Creates a folder and the missing folders above it. False if it existed. */
  makeFolder(path: string): Promise<boolean>;
  /** Removes an entry permanently. Resolves to the number of removed entries. */
  remove(path: string, options: RemoveOptions): Promise<{ removed: number; place: Place }>;
  /** Returns a short text for the state of an entry, with which later changes can be detected. Does not follow links. */
  mark(path: string, maxBytes: number): Promise<Marked>;
  /** Reads an entry with everything in it, so that `restore` can make it again. Links are not followed. */
  snapshot(path: string, options: SnapshotOptions): Promise<TakenSnapshot>;
  /**
   * Makes an entry again as it is in a snapshot. Parts that exist must be unchanged; otherwise it throws `FILE_CHANGED` and makes
   * nothing. Resolves to the number of entries that it made.
   */
  restore(path: string, snapshot: Snapshot, signal?: AbortSignal): Promise<number>;
  /** Moves or renames a file or folder. */
  move(from: string, to: string, options: MoveOptions): Promise<{ from: Place; to: Place }>;
}

/** Options of `createFiles`. */
export interface FilesOptions {
  /** How descriptors are compared with their paths. Default: the strictest way that the system has. */
  readonly disk?: Disk["kind"] | undefined;
  /** Gives a replaced file its former owner and attributes. Without this function, only its permissions stay. */
  readonly copyAttributes?: CopyAttributes | undefined;
}

/** Resolves the roots once, and guards access to everything below them. Throws a RangeError for a relative root. */
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
        const replaced = await replaceFile(disk, place, bytes, replaceOptions, options.copyAttributes);
        return { ...place, ...replaced };
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
    ...formerStates(rules, disk),
    move: (path, newPath, moveOptions) =>
      telling(path, "write", async () => {
        // A move must not make an unreadable file readable at another place.
        await locateEntry(rules, path, "read");
        const from = await locateEntry(rules, path, "write");
        requireNotKept(rules.holdsRoot(from.real), from);
        const to = await locateEntry(rules, newPath, "write");
        requireNotKept(rules.holdsRoot(to.real), to);
        await moveEntry(disk, from, to, moveOptions);
        return { from, to };
      }),
  };
}

/** Returns the methods that mark, keep and restore the state of an entry. */
function formerStates(
  rules: Rules,
  disk: Disk,
): Pick<Files, "locateEntry" | "mark" | "snapshot" | "restore"> {
  const isOpen = (real: string) =>
    rules.objection(real, "read") === null && rules.objection(real, "write") === null;
  return {
    locateEntry: (path) =>
      telling(path, "write", async () => {
        await locateEntry(rules, path, "read");
        const place = await locateEntry(rules, path, "write");
        requireNotKept(rules.holdsRoot(place.real), place);
        return place;
      }),
    mark: (path, maxBytes) =>
      telling(path, "read", async () => {
        await locateEntry(rules, path, "read");
        return markEntry(disk, await locateEntry(rules, path, "write"), maxBytes);
      }),
    snapshot: (path, snapshotOptions) =>
      telling(path, "read", async () => {
        await locateEntry(rules, path, "read");
        const place = await locateEntry(rules, path, "write");
        return takeSnapshot(disk, place, isOpen, snapshotOptions);
      }),
    restore: (path, snapshot, signal) =>
      telling(path, "write", async () => {
        const place = await locateEntry(rules, path, "write");
        return restoreEntry(disk, place, snapshot, isOpen, signal);
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

import { dirname } from "node:path";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createPause } from "./durable.ts";
import { markOf, namesIn, statOf, within } from "../system/mark.ts";

/** The entry of a folder that is never part of its layer, because it holds plan state and the layers themselves. */
export const ownFolder = ".toolmount";

/** The names in each folder below a folder, by path; "" is the folder itself. */
export type Listing = ReadonlyMap<string, readonly string[]>;

/** Facts about a folder by which an engine is chosen. */
export interface FolderFacts {
  readonly listing: Listing;
  readonly entries: number;
  readonly bytes: number;
  /** An entry whose owner or group is not that of this process, so that the kernel's overlay cannot copy it. */
  readonly foreign: string | undefined;
  /** An entry that is a mount point or on another file system, so that nothing can be moved into it or out of it. */
  readonly mount: string | undefined;
  /** A folder whose entries this process cannot list. */
  readonly unreadable: string | undefined;
}

/** Looks at every entry of a folder to collect its facts. */
export async function factsOf(folder: string): Promise<FolderFacts> {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  const listing = new Map<string, readonly string[]>();
  const pause = createPause(1_000);
  let [entries, bytes] = [0, 0];
  const dev = statOf(folder)?.dev;
  let foreign: string | undefined;
  let mount = mountIn(folder);
  let unreadable: string | undefined;
  for (const folders = [""]; folders.length > 0;) {
    const at = folders.pop()!;
    const names = readableIn(folder, at);
    if (names === undefined) unreadable ??= at;
    listing.set(at, names ?? []);
    for (const name of names ?? []) {
      const path = within(at, name);
      const stat = statOf(within(folder, path));
      if (stat === null) continue;
      entries += 1;
      bytes += Number(stat.size);
      if (Number(stat.uid) !== user || Number(stat.gid) !== group) foreign ??= path;
      if (stat.dev !== dev) mount ??= path;
      if (stat.isDirectory()) folders.push(path);
      await pause();
    }
  }
  return { listing, entries, bytes, foreign, mount, unreadable };
}

/**
 * Returns the first mount point in a folder. Device numbers are not enough, because a mount of the same file system has the
 * same one.
 */
function mountIn(folder: string): string | undefined {
  const points = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) =>
      line
        .split(" ")[4]
        ?.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
    );
  const inside = points.flatMap((point) =>
    point?.startsWith(`${folder}/`) === true ? [point.slice(folder.length + 1)] : [],
  );
  return inside.find((path) => path.split("/")[0] !== ownFolder);
}

function readableIn(folder: string, at: string): readonly string[] | undefined {
  try {
    return entriesOf(folder, at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return undefined;
    throw error;
  }
}

/** Returns the names in one folder below a folder, without toolmount's own entry. */
export function entriesOf(folder: string, at: string): readonly string[] {
  const names = namesIn(within(folder, at));
  return at === "" ? names.filter((name) => name !== ownFolder) : names;
}

/** Whether a folder had an entry when it was listed. */
export function isListed(listing: Listing, path: string): boolean {
  const cut = path.lastIndexOf("/");
  return listing.get(path.slice(0, Math.max(cut, 0)))?.includes(path.slice(cut + 1)) === true;
}

/** The moment after which changes count, and whether files that were written in place count, too. */
interface ChangeOptions {
  readonly since: bigint;
  readonly isDeep: boolean;
}

/**
 * Returns the entries that were added, removed or replaced after a moment. A folder whose own change time is older is not
 * listed again. With `isDeep`, files that were written in place are found, too, which needs a look at every file.
 */
export async function changesSince(
  folder: string,
  listing: Listing,
  { since, isDeep }: ChangeOptions,
): Promise<readonly string[]> {
  const found = new Set<string>();
  const pause = createPause(1_000);
  for (const [at, before] of listing) {
    const isChanged = changedAt(within(folder, at)) > since;
    const now = isChanged ? entriesOf(folder, at) : before;
    if (isChanged) for (const name of differing(before, now)) found.add(within(at, name));
    if (isChanged || isDeep)
      for (const name of now)
        if (isNewer(within(folder, within(at, name)), since)) found.add(within(at, name));
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
  return [...found].toSorted();
}

/** Returns when the kernel last changed a folder. For a folder that no longer exists, this is later than any moment. */
function changedAt(folder: string): bigint {
  return statOf(folder)?.ctimeNs ?? 2n ** 63n;
}

/** Returns the names that only one of two lists has. */
function differing(before: readonly string[], now: readonly string[]): readonly string[] {
  const [known, there] = [new Set(before), new Set(now)];
  return [...before.filter((name) => !there.has(name)), ...now.filter((name) => !known.has(name))];
}

/** Whether the kernel changed an entry after a moment. False for folders, because the names in them are compared instead. */
function isNewer(path: string, since: bigint): boolean {
  const stat = statOf(path);
  return stat !== null && !stat.isDirectory() && stat.ctimeNs > since;
}

/**
 * Returns the kernel's time for changes on this disk: changes before this call have no later time, and changes after it have
 * one. The kernel's clock for files has ticks, so this waits for the next tick.
 */
export function nowOf(folder: string): bigint {
  const probe = within(folder, "clock");
  const touch = () => {
    rmSync(probe, { force: true });
    writeFileSync(probe, "");
    return BigInt(markOf(probe)!.changed);
  };
  const before = touch();
  while (touch() <= before);
  return before;
}

/** Returns the folders above a path, from the top, without the root. */
export function above(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === "." ? [] : [...above(parent), parent];
}

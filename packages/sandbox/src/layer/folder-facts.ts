import { dirname } from "node:path";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createPause } from "./durable.ts";
import { markOf, namesIn, statOf, within } from "../system/mark.ts";

/** The entry of a folder that is never in its layer: plan state, and the layers themselves. */
export const ownFolder = ".toolmount";

/** The names in each folder below a folder; "" is the folder itself. */
export type Listing = ReadonlyMap<string, readonly string[]>;

/** What the engines must know of a folder before they choose. */
export interface FolderFacts {
  readonly listing: Listing;
  readonly entries: number;
  readonly bytes: number;
  /** An entry of another owner or group than this process, which the kernel's overlay cannot copy. */
  readonly foreign: string | undefined;
  /** An entry that is mounted there, or on another file system: nothing can be moved in and out of it. */
  readonly mount: string | undefined;
  /** A folder whose entries this process cannot list. */
  readonly unreadable: string | undefined;
}

/** Looks at every entry of a folder. */
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

/** The first mount in a folder. One of the same file system has the same device. */
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

/** The names in one folder below a folder, without toolmount's own. */
export function entriesOf(folder: string, at: string): readonly string[] {
  const names = namesIn(within(folder, at));
  return at === "" ? names.filter((name) => name !== ownFolder) : names;
}

/** Whether the listing has the entry. */
export function isListed(listing: Listing, path: string): boolean {
  const cut = path.lastIndexOf("/");
  return listing.get(path.slice(0, Math.max(cut, 0)))?.includes(path.slice(cut + 1)) === true;
}

/** Which entries of a folder to compare: those whose names changed, or also files that were written in place. */
interface ChangeOptions {
  readonly since: bigint;
  readonly isDeep: boolean;
}

/**
 * The entries that were added, removed or replaced after a moment. Folders whose own change time is older are not listed
 * again. With `isDeep`, also files that were written in place: these need a look at every file.
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

/** When the kernel last changed a folder. One that is gone was changed just now. */
function changedAt(folder: string): bigint {
  return statOf(folder)?.ctimeNs ?? 2n ** 63n;
}

/** The names that only one of two lists has. */
function differing(before: readonly string[], now: readonly string[]): readonly string[] {
  const [known, there] = [new Set(before), new Set(now)];
  return [...before.filter((name) => !there.has(name)), ...now.filter((name) => !known.has(name))];
}

/** Whether the kernel changed an entry after a moment; of folders, only their names count, by themselves. */
function isNewer(path: string, since: bigint): boolean {
  const stat = statOf(path);
  return stat !== null && !stat.isDirectory() && stat.ctimeNs > since;
}

/**
 * The kernel's time now, for change times on the same disk: what changed before this call is not later, and what changes
 * after it is. The kernel's clock for files has ticks, so this waits for the next one.
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

/** The folders above a path, without the first. */
export function above(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === "." ? [] : [...above(parent), parent];
}

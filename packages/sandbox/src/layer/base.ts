import { dirname, join } from "node:path";
import { readRecord, writeRecord } from "./durable.ts";
import { isListed, type Listing } from "./folder-facts.ts";
import { commitNamed } from "./git.ts";

/** The state of a path in the person's folder when the layer began to change it. */
interface PathBase {
  /** In nanoseconds since the epoch. An entry that has a later change time in the kernel was changed outside of the layer. */
  readonly since: bigint;
  /** Whether the person's folder had an entry there. */
  readonly existed: boolean;
  /** The text with which git named a commit, such as that of a branch, see {@link commitNamed}; undefined for other files. */
  readonly ref: string | undefined;
  /** Set if a person kept only a part of the layer's file. Its rest gets another digest than the whole change had. */
  readonly isPartly?: true | undefined;
}

interface SavedPath {
  readonly since: string;
  readonly existed: boolean;
  readonly ref?: string | undefined;
  readonly isPartly?: true | undefined;
}

/** A base in the form in which it is stored. */
interface Saved {
  readonly since: string;
  readonly listing: Readonly<Record<string, readonly string[]>>;
  readonly refs: Readonly<Record<string, string>>;
  readonly staged: Readonly<Record<string, string>>;
  /** Paths that the layer changed before its view was mounted again. */
  readonly earlier: Readonly<Record<string, SavedPath>>;
}

/** The state of the person's folder when the layer's view, the folder as its programs see it, was mounted. */
export interface Moment {
  readonly since: bigint;
  readonly listing: Listing;
  /** Contents of the files with which git names commits, such as branches, by path. */
  readonly refs: ReadonlyMap<string, string>;
  /** Digests of what is staged in each repository, by the path of its index. */
  readonly staged: ReadonlyMap<string, string>;
}

/**
 * The base of a layer: the latest moment of mounting, and the earlier states of the paths that the layer had changed by then.
 */
export interface Base extends Moment {
  readonly earlier: ReadonlyMap<string, PathBase>;
}

/** Reads the base of a layer; undefined if the layer was not opened before. */
export function readBase(file: string): Base | undefined {
  const saved = readRecord(file) as Saved | undefined;
  if (saved === undefined) return undefined;
  const earlier = Object.entries(saved.earlier).map(([path, { since, existed, ref, isPartly }]) => {
    return [path, { since: BigInt(since), existed, ref, isPartly }] as const;
  });
  return {
    since: BigInt(saved.since),
    listing: new Map(Object.entries(saved.listing)),
    refs: new Map(Object.entries(saved.refs)),
    staged: new Map(Object.entries(saved.staged)),
    earlier: new Map(earlier),
  };
}

export function writeBase(file: string, base: Base): void {
  const earlier = [...base.earlier].map(([path, { since, existed, ref, isPartly }]) => {
    return [path, { since: String(since), existed, ref, isPartly }] as const;
  });
  const saved: Saved = {
    since: String(base.since),
    listing: Object.fromEntries(base.listing),
    refs: Object.fromEntries(base.refs),
    staged: Object.fromEntries(base.staged),
    earlier: Object.fromEntries(earlier),
  };
  writeRecord(file, saved);
}

/**
 * Returns the base of a path. If the layer had not changed the path itself earlier, it is that of the nearest changed folder
 * above it, else that of the latest mounting.
 */
export function baseOf(base: Base, path: string): PathBase {
  for (let at = path; at !== "."; at = dirname(at)) {
    const own = base.earlier.get(at);
    if (own !== undefined) return own;
  }
  const ref = commitNamed(path, (each) => base.refs.get(each) ?? "");
  return { since: base.since, existed: isListed(base.listing, path), ref: ref === "" ? undefined : ref };
}

/** Returns the base after the view was mounted again. The paths that the layer has changed keep their earlier states. */
export function laterBase(before: Base, now: Moment, touched: readonly string[]): Base {
  const earlier = new Map(touched.map((path) => [path, baseOf(before, path)]));
  const staged = new Map(now.staged);
  for (const path of touched) {
    const own = before.staged.get(path);
    if (own === undefined) staged.delete(path);
    else staged.set(path, own);
  }
  return { ...now, staged, earlier };
}

/** Returns the file in which a layer's base is stored. */
export function baseFile(place: string): string {
  return join(place, "base.json");
}

import { hash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Disk } from "./disk.ts";
import { entryOf, openChild, openFolder, type Folder } from "./folder.ts";
import type { Place } from "./place.ts";
import { readBytes } from "./read.ts";
import { bytesOf, missingAbove, modeOf, type FileSnapshot } from "./snapshot.ts";
import { isTemporary } from "./temporary.ts";
import { identityOf, type FileIdentity } from "./write.ts";

/** The state of an entry when it was marked. */
export interface Marked {
  readonly place: Place;
  /**
   * A text that stays equal while the entry does: the content and permissions of a file, the names in a folder, or the target of
   * a link. For a file that is too large, its size and time. Null if there is no entry.
   */
  readonly mark: string | null;
  /** Null if there is no entry. */
  readonly identity: FileIdentity | null;
  /** The folders above the entry that do not exist, the highest first. */
  readonly missing: readonly string[];
}

/** Marks the state of an entry, without following links. */
export async function markEntry(disk: Disk, place: Place, maxBytes: number): Promise<Marked> {
  const { given, real } = place;
  const missing = await missingAbove(real);
  if (missing.length > 0) return { place, mark: null, identity: null, missing };
  const parent = await openFolder(disk, dirname(real), { given, access: "read" });
  try {
    const entry = await entryOf(parent, basename(real));
    if (entry === null) return { place, mark: null, identity: null, missing };
    const mark = await markOf(parent, entry, place, maxBytes);
    return { place, mark, identity: identityOf(entry), missing };
  } finally {
    await parent.close();
  }
}

async function markOf(parent: Folder, entry: BigIntStats, place: Place, maxBytes: number): Promise<string> {
  if (entry.isSymbolicLink()) return `link ${await readlink(parent.path(basename(place.real)))}`;
  if (entry.isDirectory()) return `folder ${modeOf(entry)} ${digestOf(await namesIn(parent, place))}`;
  if (!entry.isFile()) return "other";
  if (entry.size > maxBytes) return `large ${entry.size} ${entry.mtimeNs}`;
  const { bytes } = await readBytes(parent.disk, place, maxBytes);
  return `file ${modeOf(entry)} ${digestOf(bytes)}`;
}

/** Returns the names in a folder as a text that is equal for the same names. */
async function namesIn(parent: Folder, { given, real }: Place): Promise<string> {
  const folder = await openChild(parent, basename(real), { given, access: "read" });
  try {
    const names = await readdir(folder.path());
    return JSON.stringify(names.filter((name) => !isTemporary(name)).toSorted());
  } finally {
    await folder.close();
  }
}

/** Returns the mark of a file with this content and these permissions. */
export function markOfFile(file: FileSnapshot): string {
  return `file ${file.mode} ${digestOf(bytesOf(file))}`;
}

function digestOf(content: Uint8Array | string): string {
  return hash("sha256", content);
}

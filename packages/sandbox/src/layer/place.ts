import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { messageOf } from "@toolmount/core/errors";
import { makeFolder } from "@toolmount/paths";
import { baseFile } from "./base.ts";
import { readRecord, removeTree } from "./durable.ts";
import { nowOf, ownFolder } from "./folder-facts.ts";
import { isWanted, lockFile } from "./folder-lock.ts";
import type { LayerPlace } from "./holder.ts";
import { boxesIn, boxOf, forgetKeep } from "./keeps.ts";
import { markOf, namesIn, statOf } from "../system/mark.ts";

/** The folder with a layer's files, and the folder of all layers. */
interface MadePlace {
  readonly layers: string;
  readonly place: string;
}

/** Makes the folder of a layer below the person's folder, or returns why it cannot be there. */
export function makePlace(
  folder: string,
  group: string,
  name: string,
): MadePlace | { readonly problem: string } {
  const layers = join(folder, ownFolder, group);
  const place = join(layers, name);
  try {
    makeFolder(place, 0o700);
  } catch (error) {
    return { problem: `its files cannot be in ${place}: ${messageOf(error)}` };
  }
  if (realpathSync(layers) === layers && !isElsewhere(place, folder)) return { layers, place };
  return { problem: `its "${ownFolder}" leads to another folder or file system` };
}

/** Whether a path exists, but is not a folder on the same file system as the person's folder. */
function isElsewhere(place: string, folder: string): boolean {
  const own = lstatSync(place, { throwIfNoEntry: false });
  return own !== undefined && !(own.isDirectory() && own.dev === lstatSync(folder).dev);
}

/** Removes the folder of a layer whose lock this process has. The folder stays if another process waits for the layer. */
export function removePlace(place: string): void {
  for (const name of readdirSync(place))
    if (name !== basename(lockFile(place)) && !isWanted(name)) removeTree(join(place, name));
  rmSync(lockFile(place), { force: true });
  removeEmpty(place);
}

/** Removes the `.toolmount` of a folder if it has nothing but the `.gitignore` that {@link makeFolder} writes. */
export function removeOwnFolder(folder: string): void {
  const own = join(folder, ownFolder);
  const file = join(own, ".gitignore");
  if (namesIn(own).join() === ".gitignore" && readFileSync(file, "utf8") === "*\n") rmSync(file);
  removeEmpty(own);
}

/** Removes a folder if it exists and is empty. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
}

/** Removes the folder of a layer that has neither changes nor records of keeps. This process must have its lock. */
export function removeUnused(place: string): void {
  if (!existsSync(baseFile(place)) && !hasKeeps(place)) removePlace(place);
}

function hasKeeps(place: string): boolean {
  return namesIn(boxesIn(place)).length > 0;
}

/** Seconds for which former entries are stored for an undo, and their maximum number of bytes for one layer. */
const keptBounds = { seconds: 7 * 24 * 3_600, bytes: 1_000_000_000 };

/** Removes former entries that are too old, in all of this user's layers of a folder. Some sessions are never opened again. */
export function forgetOldKeeps(at: LayerPlace, layers: string, { seconds } = keptBounds): void {
  const oldest = nowOf(at.place) - BigInt(seconds) * 1_000_000_000n;
  const user = statOf(at.place)!.uid;
  for (const name of namesIn(layers)) {
    const own = { ...at, place: join(layers, name) };
    if (statOf(own.place)?.uid !== user) continue;
    for (const id of namesIn(boxesIn(own.place)))
      if (BigInt(markOf(boxOf(own, id).box)!.changed) < oldest) forgetKeep(own, id);
  }
}

/** Removes former entries of keeps, the oldest first, until they take few enough bytes; never those of the last keep. */
export function forgetLargeKeeps(at: LayerPlace, most = keptBounds.bytes): void {
  let bytes = 0;
  for (const [back, id] of namesIn(boxesIn(at.place)).toReversed().entries()) {
    bytes += bytesIn(boxOf(at, id).box);
    if (back > 0 && bytes > most) forgetKeep(at, id);
  }
}

/** Returns the number of bytes on the disk that the former entries of all keeps take. */
export function keptBytesOf(place: string): number {
  return bytesIn(boxesIn(place));
}

function bytesIn(path: string): number {
  const stat = statOf(path);
  if (stat === null) return 0;
  const own = Number(stat.blocks) * 512;
  return stat.isDirectory() ? namesIn(path).reduce((sum, name) => sum + bytesIn(join(path, name)), own) : own;
}

/** File with the session to which a layer belongs. */
export const ownerFile = (place: string) => join(place, "owner.json");

/** A layer on the disk, which another process may have open. */
export interface LeftLayer {
  readonly name: string;
  /** The session to which the layer belongs. */
  readonly owner: string;
}

/** Lists the layers of a folder that have an owner and may have changes, without opening them. */
export function layersIn(folder: string): readonly LeftLayer[] {
  const layers = join(folder, ownFolder, "layers");
  return namesIn(layers).flatMap((name) => {
    const place = join(layers, name);
    const owner = existsSync(baseFile(place)) ? readRecord(ownerFile(place)) : undefined;
    return typeof owner === "string" ? [{ name, owner }] : [];
  });
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { baseFile } from "./base.ts";
import { changedFolder } from "./commit.ts";
import { readRecord } from "./durable.ts";
import { ownFolder } from "./folder-facts.ts";
import { ownerFile } from "./layer.ts";
import { namesIn } from "./mark.ts";

/** A layer on the disk, which a process may have open. */
export interface LeftLayer {
  readonly name: string;
  /** The session whose layer it is. */
  readonly owner: string;
  /** False where it surely has no changes. Only a layer that is open knows more. */
  readonly mayWait: boolean;
}

/** Lists the layers of a folder, without opening them. One that was dropped is not there. */
export function layersIn(folder: string): readonly LeftLayer[] {
  const layers = join(folder, ownFolder, "layers");
  return namesIn(layers).flatMap((name) => {
    const place = join(layers, name);
    const owner = existsSync(baseFile(place)) ? readRecord(ownerFile(place)) : undefined;
    if (typeof owner !== "string") return [];
    // A copy has all entries of the folder, and an overlay only those that were changed.
    return [{ name, owner, mayWait: namesIn(join(place, changedFolder)).length > 0 }];
  });
}

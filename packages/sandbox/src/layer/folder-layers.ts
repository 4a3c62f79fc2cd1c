import { randomUUID } from "node:crypto";
import { existsSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { baseFile } from "./base.ts";
import { changedFolder } from "./commit.ts";
import { readRecord, removeTree } from "./durable.ts";
import { ownFolder } from "./folder-facts.ts";
import { openLayerBelow, ownerFile, type Layer, type LayerOptions } from "./layer.ts";
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

/** Opens a layer of a folder, removes it, and returns how it was made, or why the machine or the folder cannot have one. */
export async function proveLayer(
  options: Pick<LayerOptions, "folder" | "env">,
): Promise<Pick<Layer, "engine"> | { readonly problem: string }> {
  const group = `proof-${randomUUID()}`;
  try {
    const layer = await openLayerBelow(group, { ...options, name: "proof", obeyed: [] });
    if ("problem" in layer) return layer;
    await layer.drop();
    await layer.close();
    return { engine: layer.engine };
  } finally {
    removeTree(join(options.folder, ownFolder, group));
    removeEmpty(join(options.folder, ownFolder));
  }
}

/** A folder that was not there before a proof is not there after it. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
}

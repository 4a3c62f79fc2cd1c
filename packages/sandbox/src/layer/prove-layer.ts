import { randomUUID } from "node:crypto";
import { rmdirSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "./durable.ts";
import { ownFolder } from "./folder-facts.ts";
import { openLayerBelow, type Layer, type LayerOptions } from "./layer.ts";

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

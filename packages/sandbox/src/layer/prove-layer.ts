import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { removeTree } from "./durable.ts";
import { ownFolder } from "./folder-facts.ts";
import { openLayer, type Layer, type LayerOptions } from "./layer.ts";

/** Opens a layer of a folder, removes it, and returns how it was made, or why the machine or the folder cannot have one. */
export async function proveLayer(
  options: Pick<LayerOptions, "folder" | "env">,
): Promise<Pick<Layer, "engine"> | { readonly problem: string }> {
  const name = `proof-${randomUUID()}`;
  try {
    const layer = await openLayer({ ...options, name, obeyed: [] });
    if ("problem" in layer) return layer;
    await layer.drop();
    await layer.close();
    return { engine: layer.engine };
  } finally {
    removeTree(join(options.folder, ownFolder, "layers", name));
  }
}

import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "@toolmount/paths";
import type { TemplateFiles } from "./templates.ts";

/**
 * Writes new files into a folder: all, or none if one cannot be written. Rejects with `EEXIST` instead of replacing a file, and
 * with other errors of the system.
 */
export async function writeFiles(folder: string, files: TemplateFiles): Promise<void> {
  const written: string[] = [];
  try {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path);
      makeFolder(dirname(file));
      const handle = await open(file, "wx");
      written.push(file);
      await handle.writeFile(text).finally(() => handle.close());
    }
  } catch (error) {
    for (const file of written) await rm(file, { force: true });
    throw error;
  }
}

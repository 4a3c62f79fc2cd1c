import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "@toolmount/paths";
import type { TemplateFiles } from "./templates.ts";

/** Writes new files below a folder. Rejects with `EEXIST` rather than replace a file. */
export async function writeFiles(folder: string, files: TemplateFiles): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    makeFolder(dirname(file));
    await writeFile(file, text, { flag: "wx" });
  }
}

import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "@toolmount/paths";
import type { TemplateFiles } from "./templates.ts";

/** Writes new files into a folder. Rejects with `EEXIST` instead of replacing a file. */
export async function writeFiles(folder: string, files: TemplateFiles): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    makeFolder(dirname(file));
    await writeFile(file, text, { flag: "wx" });
  }
}

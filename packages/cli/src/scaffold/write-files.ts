import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TemplateFiles } from "./templates.ts";

/** Writes new files below a folder. Rejects with `EEXIST` rather than replace a file. */
export async function writeFiles(folder: string, files: TemplateFiles): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: "wx" });
  }
}

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The version of an installed package, as its manifest says. */
export function versionOf(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.resolve(name)));
  for (;;) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
        name?: string;
        version: string;
      };
      if (manifest.name === name) return manifest.version;
    } catch {
      // This folder has no package.json; the one above may.
    }
    if (dirname(folder) === folder) return "unknown";
    folder = dirname(folder);
  }
}

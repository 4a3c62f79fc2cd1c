import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { exec } from "./exec.ts";

const root = join(import.meta.dirname, "../..");

/** Folders of the packages that are published, from the root. */
export async function publishedFolders(): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const group of ["packages", "tools"])
    for (const name of (await readdir(join(root, group))).toSorted()) {
      const manifest = JSON.parse(await readFile(join(root, group, name, "package.json"), "utf8")) as {
        readonly private?: boolean;
      };
      if (manifest.private !== true) folders.push(`${group}/${name}`);
    }
  return folders;
}

/** Every file that a package's tarball contains, as the package manager that publishes lists it. */
export async function packedFiles(folder: string): Promise<readonly string[]> {
  const printed = await exec("pnpm", ["pack", "--dry-run", "--json"], { cwd: join(root, folder) });
  const { files } = JSON.parse(printed) as { readonly files: readonly { readonly path: string }[] };
  return files.map(({ path }) => path).toSorted();
}

/**
 * The files that do not follow from others. A source `src/a.ts` brings itself and its declarations, one of the page
 * (`ui/a.tsx`, which is not published) its script, and a script may bring its map; so a new source changes no list. Chunks of
 * the bundles change with each change of the code, so they are not in it.
 */
export function withoutSources(folder: string, files: readonly string[]): readonly string[] {
  const all = new Set(files);
  const isSource = (stem: string) => ["ts", "tsx"].some((end) => all.has(`${stem}.${end}`));
  const isOfPage = (stem: string) =>
    stem !== "" && ["ts", "tsx"].some((end) => existsSync(join(root, folder, `${stem}.${end}`)));
  const rest = files.filter((file) => {
    const [, stem = ""] = /^(.+?)\.(?:d\.ts\.map|d\.ts|tsx?)$/.exec(file) ?? [];
    const [, page = ""] = /^dist\/(ui\/.+?)\.js$/.exec(file) ?? [];
    const isMap = file.endsWith(".js.map") && all.has(file.slice(0, -".map".length));
    return !isMap && !isSource(stem.replace(/^dist\//, "src/")) && !isOfPage(page);
  });
  return rest.filter((file) => !/^dist\/chunks\/[\w.-]+\.js$/.test(file));
}

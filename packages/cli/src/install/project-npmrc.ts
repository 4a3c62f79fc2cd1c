import { copyFile, lstat, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Returns the path of the nearest `.npmrc`, in the plan's folder or a folder above. Returns undefined if no folder has one. npm
 * itself looks only next to the nearest package.json, which is in the folder of fetched packages. A file that belongs to
 * neither the owner of the plan's folder nor root is not used, because it could send npm to another registry.
 */
export async function findNpmrc(planFolder: string): Promise<string | undefined> {
  const { uid } = await stat(planFolder);
  for (let folder = planFolder; ; folder = dirname(folder)) {
    const file = join(folder, ".npmrc");
    const facts = await stat(file).catch(() => undefined);
    if (facts?.isFile() === true && [uid, 0].includes(facts.uid)) return file;
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * Calls `work`, which runs npm in a folder, while this folder has a project's settings. They may hold tokens, so the file is only
 * linked, and only for this time.
 */
export async function withNpmrc<Result>(
  npmrc: string | undefined,
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const place = join(folder, ".npmrc");
  if (npmrc === undefined || (await hasOwnFile(place))) return work();
  await rm(place, { force: true });
  // On Windows only some users may create links, so the file is copied there.
  await symlink(npmrc, place, "file").catch(() => copyFile(npmrc, place));
  try {
    return await work();
  } finally {
    await rm(place, { force: true });
  }
}

/** Tests whether the folder has its own `.npmrc`, as a file and not as a link. */
async function hasOwnFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
}

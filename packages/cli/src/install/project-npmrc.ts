import { copyFile, lstat, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Returns the nearest `.npmrc` of a plan: beside it, or in a folder above. npm itself looks only beside the nearest package.json,
 * and for the packages of a plan that is the folder in which they are installed. A file of another user than the plan's,
 * and than root, is not used: it could send npm to another registry.
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

/** Runs npm in a folder with the settings of a project. The file may hold tokens, so it is linked, and only meanwhile. */
export async function withNpmrc<Result>(
  npmrc: string | undefined,
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const place = join(folder, ".npmrc");
  if (npmrc === undefined || (await hasOwnFile(place))) return work();
  await rm(place, { force: true });
  // Windows lets only some users make links.
  await symlink(npmrc, place, "file").catch(() => copyFile(npmrc, place));
  try {
    return await work();
  } finally {
    await rm(place, { force: true });
  }
}

/** Whether this folder has settings of its own. */
async function hasOwnFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
}

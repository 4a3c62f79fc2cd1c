import { copyFile, lstat, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Returns the nearest `.npmrc` of a plan: in its folder, or in a folder above. npm itself looks only next to the nearest
 * package.json, which for packages of a plan is the folder in which they are installed. A file of a user other than the plan's
 * owner and root is not used, because it could send npm to another registry.
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

/** Runs npm in a folder with the settings of a project. The file may hold tokens, so it is only linked, and only during the run. */
export async function withNpmrc<Result>(
  npmrc: string | undefined,
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const place = join(folder, ".npmrc");
  if (npmrc === undefined || (await hasOwnFile(place))) return work();
  await rm(place, { force: true });
  // On Windows only some users may create links.
  await symlink(npmrc, place, "file").catch(() => copyFile(npmrc, place));
  try {
    return await work();
  } finally {
    await rm(place, { force: true });
  }
}

/** Tests whether this folder has its own settings. */
async function hasOwnFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
}

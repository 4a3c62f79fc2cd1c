import { realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { createFiles, type Files } from "../files.ts";
import { errnoOf, isPathError } from "../path-error.ts";
import type { Owner } from "../write.ts";
import { withLock } from "./with-lock.ts";

/** Maximum number of bytes of a file that is rewritten. Some applications keep all their state in their settings. */
const maxBytes = 64 * 1024 * 1024;

/** Number of times that an edit is made again because another program wrote the file meanwhile. */
const maxAgain = 20;

/**
 * Replaces the text of a file by what `edit` makes of it, completely or not at all. `before` is null if there is no file. Other
 * calls for the same file wait, also those of other processes. If any other program writes the file meanwhile, the edit is made
 * again of the new text. A link stays a link, and the file keeps its owner and permissions, except for a given `mode`. Missing
 * folders are created. What `edit` throws is thrown.
 *
 * Throws a {@link PathError}: `FILE_CHANGED` if other programs wrote the file each time, and those of `Files.replace`.
 */
export async function rewriteText(
  file: string,
  edit: (before: string | null) => string | Promise<string>,
  { mode }: { readonly mode?: number | undefined } = {},
): Promise<void> {
  const real = await realpath(file).catch(() => resolve(file));
  const folder = dirname(real);
  const files = createFiles({ workingDir: folder, read: [folder], write: [folder] });
  await withLock(`${real}.lock`, async () => {
    for (let again = 0; !(await rewriteOnce(files, real, edit, mode, again === maxAgain)); again++);
  });
}

/** Returns false if another program wrote the file meanwhile; throws instead if this is the last time. */
async function rewriteOnce(
  files: Files,
  real: string,
  edit: (before: string | null) => string | Promise<string>,
  mode: number | undefined,
  isLast: boolean,
): Promise<boolean> {
  const was = await readIfThere(files, real);
  const before = was === null ? null : was.bytes.toString("utf8");
  const after = await edit(before);
  if (after === before) return true;
  try {
    const owner = await ownerOf(real);
    await files.replace(real, Buffer.from(after), {
      expected: was === null ? null : was.identity,
      mode,
      owner,
    });
    return true;
  } catch (thrown) {
    if (!isLast && isPathError(thrown) && thrown.code === "FILE_CHANGED") return false;
    throw thrown;
  }
}

function readIfThere(files: Files, real: string): Promise<Awaited<ReturnType<Files["read"]>> | null> {
  return files.read(real, maxBytes).catch((thrown: unknown) => {
    if (isPathError(thrown) && thrown.code === "NOT_FOUND" && errnoOf(thrown.cause) === "ENOENT") return null;
    throw thrown;
  });
}

function ownerOf(real: string): Promise<Owner | undefined> {
  return stat(real).then(
    ({ uid, gid }) => [uid, gid],
    () => undefined,
  );
}

import { basename, dirname, join } from "node:path";
import { isPathError, type Files } from "@toolmount/paths";
import { Refusal } from "./refusal.ts";

/** Names that are looked at for a near one. */
const maxNames = 2000;

/**
 * Throws `NOT_FOUND` with the name that was probably meant, when the folder has one that differs only in case, normal
 * form or ending; else does nothing.
 */
export async function nearName(files: Files, path: string): Promise<void> {
  const near = await findNear(files, path);
  if (near !== undefined)
    throw new Refusal(`Path not found: ${path} (did you mean ${near}?)`, "NOT_FOUND", { path, near });
}

async function findNear(files: Files, path: string): Promise<string | undefined> {
  try {
    const { entries } = await files.list(dirname(path), { offset: 0, limit: maxNames });
    const names = entries.map(({ name }) => name);
    const same = (form: (name: string) => string) =>
      names.find((name) => form(name) === form(basename(path)));
    const name = same(plain) ?? same((each) => stem(plain(each)));
    return name === undefined ? undefined : join(dirname(path), name);
  } catch (thrown) {
    if (isPathError(thrown)) return undefined;
    throw thrown;
  }
}

function plain(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

function stem(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/, "");
}

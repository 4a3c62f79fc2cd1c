import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A temporary folder for one test. */
export interface Workspace extends AsyncDisposable {
  readonly folder: string;
  path(...parts: readonly string[]): string;
  write(path: string, text: string): Promise<string>;
  read(path: string): Promise<string>;
  remove(): Promise<void>;
}

/** Makes a temporary folder with these files in it. It is removed by `await using` or by `remove`. */
export async function createWorkspace(files: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-"));
  const path = (...parts: readonly string[]) => join(folder, ...parts);
  const write = async (name: string, text: string) => {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), text);
    return path(name);
  };
  const remove = () => rm(folder, { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) await write(name, text);
  return {
    folder,
    path,
    write,
    read: (name) => readFile(path(name), "utf8"),
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

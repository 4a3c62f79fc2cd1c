import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Texts of files to write, by their path in the new folder. */
export type TemplateFiles = Readonly<Record<string, string>>;

const ending = ".template";

/**
 * Reads the templates in a folder of this package's `templates/`. Replaces `__name__` in their paths and texts with
 * `values[name]`. The names `gitignore` and `github/` get a dot, because npm would not publish a file `.gitignore`.
 */
export async function renderTemplates(
  folder: string,
  values: Readonly<Record<string, string>>,
): Promise<TemplateFiles> {
  const root = fileURLToPath(new URL(`templates/${folder}`, import.meta.resolve("#package.json")));
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const files = paths.map(async (path): Promise<[string, string]> => {
    const name = relative(root, path).slice(0, -ending.length).split(sep).join("/");
    return [
      fill(name.replace(/^(gitignore$|github\/)/, ".$1"), values),
      fill(await readFile(path, "utf8"), values),
    ];
  });
  return Object.fromEntries(await Promise.all(files));
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/__([a-zA-Z][\w:@/-]*?)__/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`a template has ${placeholder}, which has no value`);
    return value;
  });
}

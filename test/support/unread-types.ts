import { glob, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

const sources = /^(?:packages|tools)\/[^/]+\/(?:src|ui)\//;
const readers = ["{packages,tools}/*/{src,ui,test}/**/*.{ts,tsx}", "{test,bench,scripts}/**/*.{ts,mjs}"];

/** Finds types that a source file exports and that no other file names: `path: Name` for each. */
export async function findUnreadTypes(root: string): Promise<readonly string[]> {
  const texts = new Map<string, string>();
  const options = { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] };
  for await (const path of glob(readers, options)) texts.set(path, await readFile(join(root, path), "utf8"));
  const entries = new Set<string>();
  for await (const path of glob("{packages,tools}/*/package.json", options))
    for (const [, entry] of (await readFile(join(root, path), "utf8")).matchAll(/"\.\/(src\/[^"]+)"/g))
      entries.add(join(path, "..", entry!));
  const users = usersOf(texts);
  return [...texts].flatMap(([path, text]) => {
    if (!sources.test(path) || entries.has(path)) return [];
    const name = basename(path);
    const others = (users.get(name) ?? []).filter(({ path: other }) => other !== path);
    // An entry may export everything of a file again.
    if (others.some(({ code }) => new RegExp(`export (?:type )?\\* from ".*/${name}"`).test(code))) return [];
    return [...text.matchAll(/^export (?:interface|type) (\w+)/gm)]
      .filter(([, type]) => !others.some(({ code }) => new RegExp(`\\b${type}\\b`).test(code)))
      .map(([, type]) => `${path}: ${type}`);
  });
}

interface User {
  readonly path: string;
  readonly code: string;
}

/** The files that name a file of a name, as the end of a specifier. */
function usersOf(texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly User[]> {
  const users = new Map<string, User[]>();
  for (const [path, code] of texts)
    for (const name of new Set([...code.matchAll(/\/([\w.-]+)"/g)].map(([, found]) => found!)))
      users.set(name, [...(users.get(name) ?? []), { path, code }]);
  return users;
}

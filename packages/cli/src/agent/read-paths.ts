import type { LayerChange } from "@toolmount/sandbox";
import { printable } from "../screen/printable.ts";

/**
 * The files that a person names. `parts` has the files of which the person names only parts: the indexes of the parts in the
 * file's difference, from 0.
 */
export interface Named {
  readonly paths: readonly string[];
  readonly parts: Readonly<Record<string, readonly number[]>>;
}

/**
 * Reads names of changed files, exact or as the list prints them. `a.ts:1,3` means the first and the third part of the
 * difference of that file. `unknown` holds the names that fit no changed file.
 */
export function readPaths(
  changes: readonly LayerChange[],
  names: readonly string[],
): Named & { readonly unknown: readonly string[] } {
  const all = changes.map(({ path }) => path);
  const known = new Map([
    ...all.map((path) => [printable(path), path] as const),
    ...all.map((path) => [path, path] as const),
  ]);
  const parts: Record<string, number[]> = {};
  const [paths, unknown]: [string[], string[]] = [[], []];
  for (const name of names) {
    const [, file = "", numbers = ""] = /^(.+):(\d+(?:,\d+)*)$/.exec(name) ?? [];
    const [whole, path] = [known.get(name), known.get(file)];
    if (whole !== undefined) paths.push(whole);
    else if (path !== undefined) {
      paths.push(path);
      parts[path] = numbers.split(",").map((each) => Number(each) - 1);
    } else unknown.push(name);
  }
  return { paths, parts, unknown };
}

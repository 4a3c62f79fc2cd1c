import type { LayerChange } from "@toolmount/sandbox";

/** Files, and parts of files, that a person names. */
export interface Named {
  readonly paths: readonly string[];
  readonly parts: Readonly<Record<string, readonly number[]>>;
}

/** Reads names of files; `a.ts:1,3` are the first and the third part of its difference. */
export function readPaths(
  changes: readonly LayerChange[],
  names: readonly string[],
): Named & { readonly unknown: readonly string[] } {
  const known = new Set(changes.map(({ path }) => path));
  const parts: Record<string, number[]> = {};
  const [paths, unknown]: [string[], string[]] = [[], []];
  for (const name of names) {
    const [, path = "", numbers = ""] = /^(.+):(\d+(?:,\d+)*)$/.exec(name) ?? [];
    if (known.has(name)) paths.push(name);
    else if (known.has(path)) {
      paths.push(path);
      parts[path] = numbers.split(",").map((each) => Number(each) - 1);
    } else unknown.push(name);
  }
  return { paths, parts, unknown };
}

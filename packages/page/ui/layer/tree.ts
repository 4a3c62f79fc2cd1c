import type { LayerChange } from "../shapes.ts";

/** A changed entry, or a folder that contains changed entries. `change` is undefined for a folder that was not changed itself. */
export interface Node {
  readonly name: string;
  readonly path: string;
  readonly change: LayerChange | undefined;
  readonly children: readonly Node[];
  /** The path of this entry, if it was changed, and the paths of the changed entries below it. */
  readonly paths: readonly string[];
}

interface Growing {
  change: LayerChange | undefined;
  readonly children: Map<string, Growing>;
}

/** Sorts changed entries into their folders. */
export function treeOf(changes: readonly LayerChange[]): readonly Node[] {
  const root: Growing = { change: undefined, children: new Map() };
  for (const change of changes) {
    let at = root;
    for (const name of change.path.split("/")) {
      const next = at.children.get(name) ?? { change: undefined, children: new Map<string, Growing>() };
      at.children.set(name, next);
      at = next;
    }
    at.change = change;
  }
  return nodesOf(root, "");
}

function nodesOf({ children }: Growing, above: string): readonly Node[] {
  return [...children].map(([name, growing]) => nodeOf(name, above, growing));
}

/** Returns the node of an entry. An unchanged folder that contains only one folder shares a line with it. */
function nodeOf(name: string, above: string, growing: Growing): Node {
  const path = `${above}${name}`;
  const [only, ...more] = growing.children;
  if (only !== undefined && more.length === 0 && growing.change === undefined && only[1].children.size > 0)
    return nodeOf(`${name}/${only[0]}`, above, only[1]);
  const children = nodesOf(growing, `${path}/`);
  const own = growing.change === undefined ? [] : [path];
  return {
    name,
    path,
    change: growing.change,
    children,
    paths: [...own, ...children.flatMap(({ paths }) => paths)],
  };
}

/**
 * Returns the changes that an answer keeps: the chosen ones, or all if `chosen` is undefined. A change of a section that needs
 * a separate yes is kept only if `yes` has the section.
 */
export function coveredBy(
  changes: readonly LayerChange[],
  yes: ReadonlySet<string>,
  chosen: ReadonlySet<string> | undefined,
): readonly LayerChange[] {
  return changes.filter(
    ({ path, section }) => (!isGrave(section) || yes.has(section)) && chosen?.has(path) !== false,
  );
}

/** Tests whether the changes of a section need a separate yes. */
export function isGrave(section: LayerChange["section"]): boolean {
  return section === "deletions" || section === "obeyed";
}

/**
 * Returns how many lines were added and removed, and the number of files whose lines were not counted. Leaves out the section
 * `repository`.
 */
export function sumOf(changes: readonly LayerChange[]) {
  const files = changes
    .filter(({ section }) => section !== "repository")
    .filter(({ kind, change }) => kind === "file" || (kind === "folder" && change === "delete"));
  const counted = files.flatMap(({ lines }) => lines ?? []);
  return {
    added: counted.reduce((sum, { added }) => sum + added, 0),
    removed: counted.reduce((sum, { removed }) => sum + removed, 0),
    uncounted: files.length - counted.length,
  };
}

/** By path, which parts of a file's difference a person keeps. Without an entry for a path, all parts of that file are kept. */
export type Parts = ReadonlyMap<string, readonly boolean[]>;

/** Splits the text of a difference into its parts. Each part except the first begins with `@@`. */
export function partsIn(difference: string): readonly string[] {
  return difference.split(/\n(?=@@ )/).filter(Boolean);
}

/**
 * Returns the members of an answer that name the kept changes: their paths, and for files of which only some parts are kept,
 * the indexes of these parts. A file of which no part is kept is left out.
 */
export function keptOf(
  changes: readonly LayerChange[],
  parts: Parts,
): { readonly paths: readonly string[]; readonly parts: Readonly<Record<string, readonly number[]>> } {
  const paths = changes.map(({ path }) => path).filter((path) => parts.get(path)?.some(Boolean) !== false);
  const some = paths.flatMap((path) => {
    const kept = parts.get(path);
    return kept === undefined || kept.every(Boolean)
      ? []
      : [[path, kept.flatMap((is, at) => (is ? [at] : []))]];
  });
  return { paths, parts: Object.fromEntries(some) as Readonly<Record<string, readonly number[]>> };
}

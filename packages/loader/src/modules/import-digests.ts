import { createHash } from "node:crypto";

export interface SourceFile {
  readonly hash: string;
  readonly imports: readonly string[];
}

type Files = ReadonlyMap<string, SourceFile>;

/**
 * Returns for each file a digest of the file and of all files that it imports, directly or not. It is made from the digests of
 * its imports, so the work grows only with the number of imports. Files that import each other in a circle form one group, whose
 * digests change together.
 */
export function digestsWithImports(files: Files): ReadonlyMap<string, string> {
  const digests = new Map<string, string>();
  for (const group of groupsOf(files)) {
    const imports = new Set(group.flatMap((file) => importsOf(file, files)));
    const parts = [
      ...group.map((file) => `${file}\0${files.get(file)!.hash}`),
      ...[...imports].map((file) => `${file}\0${digests.get(file) ?? ""}`),
    ];
    const hash = createHash("sha256").update(parts.toSorted().join("\0")).digest("hex");
    for (const file of group) digests.set(file, hash);
  }
  return digests;
}

/** Returns those imports of a file that were read. Files beyond `maxFiles` were not read. */
function importsOf(file: string, files: Files): readonly string[] {
  return files.get(file)!.imports.filter((each) => files.has(each));
}

/** A file whose imports are being followed. */
interface Step {
  readonly file: string;
  readonly rest: Iterator<string>;
  /** The place of the earliest open file that this file reaches, directly or not. */
  reached: number;
}

/**
 * Returns groups of files that import each other in a circle; most groups have one file. A group comes after the groups that it
 * imports (Tarjan's algorithm).
 */
function groupsOf(files: Files): readonly (readonly string[])[] {
  const groups: (readonly string[])[] = [];
  const open: string[] = [];
  const places = new Map<string, number>();
  const closed = new Set<string>();
  const enter = (file: string): Step => {
    places.set(file, places.size);
    open.push(file);
    return { file, rest: importsOf(file, files).values(), reached: places.get(file)! };
  };
  const leave = ({ file, reached }: Step, before: Step | undefined): void => {
    if (before !== undefined) before.reached = Math.min(before.reached, reached);
    if (reached !== places.get(file)) return;
    const group = open.splice(open.lastIndexOf(file));
    for (const each of group) closed.add(each);
    groups.push(group);
  };
  for (const file of files.keys()) {
    const path = places.has(file) ? [] : [enter(file)];
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const { value: next, done } = step.rest.next();
      if (done === true) leave(path.pop()!, path.at(-1));
      else if (!places.has(next)) path.push(enter(next));
      else if (!closed.has(next)) step.reached = Math.min(step.reached, places.get(next)!);
    }
  }
  return groups;
}

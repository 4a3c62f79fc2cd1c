import { dirname } from "node:path";
import type { Difference, LayerChange, Section } from "./difference.ts";

/** A person's yes to a difference. */
export interface Choice {
  /** The digest of the difference that the person saw. */
  readonly digest: string;
  /** What the yes is for. What is deleted or obeyed is never part of the yes to the files. */
  readonly sections: readonly Section[];
  /** Only these paths of the sections; all without. The repository is one unit. */
  readonly paths?: readonly string[] | undefined;
  /** Ends the name of the keep, so that it is found again: letters and digits. */
  readonly mark?: string | undefined;
}

/** The changes of a choice, folders before what is in them. */
export interface Chosen {
  readonly changes: readonly LayerChange[];
  /** Chosen changes in folders that take the place of a file, which is not chosen. */
  readonly withheld: readonly string[];
}

/** The changes that a person chose, with the new folders around them. */
export function chosenOf({ changes }: Difference, { sections, paths }: Choice): Chosen {
  const listed = paths === undefined ? undefined : new Set(paths);
  const wanted = new Set(
    changes
      .filter(({ section }) => sections.includes(section))
      .filter(({ section, path }) => section === "repository" || listed?.has(path) !== false)
      .map(({ path }) => path),
  );
  const folders = new Map(changes.filter(({ kind }) => kind === "folder").map((each) => [each.path, each]));
  const isMissing = (path: string) => folders.get(path)?.former !== null && !wanted.has(path);
  const missing = new Set(
    [...wanted].filter((path) => above(path).some((each) => folders.has(each) && isMissing(each))),
  );
  const kept = [...wanted].filter((path) => !missing.has(path));
  const needed = new Set(kept.flatMap((path) => [path, ...above(path).filter((each) => folders.has(each))]));
  return { changes: changes.filter(({ path }) => needed.has(path)), withheld: [...missing] };
}

/** The folders above a path, without the first. */
export function above(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === "." ? [] : [...above(parent), parent];
}

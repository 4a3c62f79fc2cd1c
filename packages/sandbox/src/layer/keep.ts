import { conflictsOf, type Conflict } from "./conflicts.ts";
import { withParts } from "@toolmount/core/text";
import type { Difference, LayerChange, Section } from "./difference.ts";
import { above } from "./folder-facts.ts";
import {
  commitChanges,
  forgetKeep,
  keepsOf,
  repositoriesOf,
  undoKeep,
  Unfinished,
  type UndoResult,
} from "./keeps.ts";
import type { ViewOptions } from "./mount.ts";
import { forgetLargeKeeps, keptBytesOf } from "./place.ts";
import { textsOf } from "./texts.ts";
import type { View } from "./view.ts";

/** A person's yes to a difference. */
export interface Choice {
  /** The digest of the difference that the person saw. */
  readonly digest: string;
  /** What the yes is for. What is deleted or obeyed is never part of the yes to the files. */
  readonly sections: readonly Section[];
  /** Only these paths of the sections; all without. The repository is one unit. */
  readonly paths?: readonly string[] | undefined;
  /** Of these files only these parts of their differences, as `lineDifference` shows them, counted from 0. The rest of them waits. */
  readonly parts?: Readonly<Record<string, readonly number[]>> | undefined;
  /** Ends the name of the keep, so that it is found again: letters and digits. */
  readonly mark?: string | undefined;
}

/** The changes of a choice, folders before what is in them. */
interface Chosen {
  readonly changes: readonly LayerChange[];
  /** Chosen changes in folders that take the place of a file, which is not chosen. */
  readonly withheld: readonly string[];
}

/** The changes that a person chose, with the new folders around them. */
export function chosenOf({ changes }: Difference, { sections, paths, parts = {} }: Choice): Chosen {
  const listed = paths === undefined ? undefined : new Set([...paths, ...Object.keys(parts)]);
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

/** What a keep did. Nothing was changed unless it is `kept` or `unfinished`. */
export type KeepResult =
  | {
      readonly status: "kept";
      readonly id: string;
      readonly changes: number;
      /** Chosen paths that need a replaced file which was not chosen. */
      readonly withheld: readonly string[];
    }
  /** It began, and failed in the middle. The next act in the layer does the rest. */
  | { readonly status: "unfinished"; readonly reason: string }
  /** The choice has no change that can be kept. */
  | { readonly status: "nothing"; readonly withheld: readonly string[] }
  /** The difference is another one than the person saw. */
  | { readonly status: "changed"; readonly difference: Difference }
  | { readonly status: "conflicts"; readonly conflicts: readonly Conflict[] }
  /** A git command runs in the person's repository. */
  | { readonly status: "busy"; readonly repository: string };

/** Keeps what a person chose, if it is still what the person saw and meets nothing that the person changed. */
export async function keepChosen(at: ViewOptions, view: View, choice: Choice): Promise<KeepResult> {
  const { folder, git } = at;
  const result = await view.alone<KeepResult>(async ({ difference, changed, base }) => {
    if (difference.digest !== choice.digest) return { status: "changed", difference };
    const { changes, withheld } = chosenOf(difference, choice);
    const texts = partsIn(at, changes, choice);
    if ("withheld" in texts) return { status: "nothing", ...texts };
    if (changes.length === 0) return { status: "nothing", withheld };
    for (const repository of repositoriesOf(folder, changes))
      if (!(await git.isFree(repository))) return { status: "busy", repository };
    const conflicts = await conflictsOf(changes, { folder, changed, base, git });
    if (conflicts.length > 0) return { status: "conflicts", conflicts };
    const id = await commitChanges({ ...at, engine: view.engine }, changes, {
      all: difference.changes,
      hasLeft: difference.left.length > 0,
      mark: choice.mark,
      ...texts,
    });
    return { status: "kept", id, changes: changes.length, withheld };
  });
  forgetLargeKeeps(at);
  return result;
}

/** What files become of which only parts are kept; or the files of which none can be. */
function partsIn(
  at: ViewOptions,
  changes: readonly LayerChange[],
  { parts = {} }: Choice,
): { readonly texts: ReadonlyMap<string, string> } | { readonly withheld: readonly string[] } {
  const texts = new Map<string, string>();
  for (const [path, chosen] of Object.entries(parts)) {
    const change = changes.find((each) => each.path === path);
    if (change?.former?.kind !== "file" || change.next?.kind !== "file") return { withheld: [path] };
    const { before, after } = textsOf(at, change);
    if (before === undefined || after === undefined) return { withheld: [path] };
    const text = withParts(before, after, new Set(chosen));
    if (text === before) return { withheld: [path] };
    // All parts are the whole change.
    if (text !== after) texts.set(path, text);
  }
  return { texts };
}

/** What an act did, also one that failed in the middle. */
export async function orUnfinished<Result>(
  act: Promise<Result>,
): Promise<Result | { readonly status: "unfinished"; readonly reason: string }> {
  try {
    return await act;
  } catch (error) {
    if (error instanceof Unfinished) return { status: "unfinished", reason: error.message };
    throw error;
  }
}

/** The keeps of a layer. */
export interface LayerKeeps {
  /** The keeps that can be undone, the oldest first: those of the last seven days, of at most 1 GB in all but for the last one. */
  keeps(): readonly string[];
  /** How many bytes of the disk the former entries of the keeps take. */
  keptBytes(): number;
  /** Puts back what was before a keep, by its name or its mark, unless the person changed something of it since. */
  undo(id: string): Promise<UndoResult>;
  /** Removes the former entries of a keep, which can be undone no longer. */
  forget(id: string): Promise<void>;
}

interface Acts {
  readonly settled: <Result>(act: (view: View) => Promise<Result>) => Promise<Result>;
  readonly alone: <Result>(act: () => Promise<Result>) => Promise<Result>;
}

/** What can be done with the keeps of a layer. */
export function keepsIn(keeping: Parameters<typeof undoKeep>[0], acts: Acts): LayerKeeps {
  const { place } = keeping;
  return {
    keeps: () => keepsOf(place),
    keptBytes: () => keptBytesOf(place),
    undo: (id) =>
      orUnfinished(
        acts.settled((now) =>
          acts.alone(async () => {
            await now.rebase();
            return undoKeep(keeping, id);
          }),
        ),
      ),
    forget: (id) => acts.settled(() => acts.alone(async () => forgetKeep(keeping, id))),
  };
}

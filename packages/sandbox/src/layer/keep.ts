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

/** What a person chose to keep of a difference, which is to move it from the layer into the person's folder. */
export interface Choice {
  /** The digest of the difference that the person saw. */
  readonly digest: string;
  /** The sections that the person accepts. `files` includes neither deletions nor files that commands run or read as settings. */
  readonly sections: readonly Section[];
  /** If given, only these paths of the sections are kept. The repository is one unit. */
  readonly paths?: readonly string[] | undefined;
  /** Files of which only some parts are kept, as `lineDifference` shows them, counted from 0. Their other parts wait. */
  readonly parts?: Readonly<Record<string, readonly number[]>> | undefined;
  /** Letters and digits that end the name of the keep, so that it can be found again. */
  readonly mark?: string | undefined;
}

/** The changes to keep; a folder comes before the entries in it. */
interface Chosen {
  readonly changes: readonly LayerChange[];
  /** Chosen changes that are not kept: each is in a folder that would replace a file, and that replacement was not chosen. */
  readonly withheld: readonly string[];
}

/** Returns the changes that a person chose, and the new folders around them. */
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

/** Result of a keep. The person's folder has changed only with `kept` and, in part, with `unfinished`. */
export type KeepResult =
  | {
      readonly status: "kept";
      readonly id: string;
      readonly changes: number;
      /** Chosen paths that need the replacement of a file which was not chosen. */
      readonly withheld: readonly string[];
    }
  /** The keep began and failed halfway. The next action in the layer does the rest. */
  | { readonly status: "unfinished"; readonly reason: string }
  /** The choice has no change that can be kept. */
  | { readonly status: "nothing"; readonly withheld: readonly string[] }
  /** The difference is no longer the one that the person saw. */
  | { readonly status: "changed"; readonly difference: Difference }
  | { readonly status: "conflicts"; readonly conflicts: readonly Conflict[] }
  /** A git command is running in the person's repository. */
  | { readonly status: "busy"; readonly repository: string };

/**
 * Keeps what a person chose, unless the layer has changed since the person saw it, or the person's own changes conflict with
 * it.
 */
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

/** Returns the new texts of files of which only parts are kept; or a file of which no part can be kept. */
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
    // If all parts are chosen, the change is kept as a whole.
    if (text !== after) texts.set(path, text);
  }
  return { texts };
}

/** Returns the result of an action, or `unfinished` if it failed halfway. */
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

/** The keeps of a layer: each moved changes to the person's folder, and can be undone for some time. */
export interface LayerKeeps {
  /** The keeps that can be undone, oldest first: those of the last seven days, up to 1 GB in all, but always the last one. */
  keeps(): readonly string[];
  /** Number of bytes on the disk that the former entries of the keeps take. */
  keptBytes(): number;
  /** Puts back what was there before a keep, by its name or mark, unless the person has changed some of it since. */
  undo(id: string): Promise<UndoResult>;
  /** Removes the former entries of a keep, which can then not be undone any more. */
  forget(id: string): Promise<void>;
}

interface Acts {
  readonly settled: <Result>(act: (view: View) => Promise<Result>) => Promise<Result>;
  readonly alone: <Result>(act: () => Promise<Result>) => Promise<Result>;
}

/** Returns the functions that list, undo and forget the keeps of a layer. */
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

import { join } from "node:path";
import { messageOf } from "@toolmount/core/errors";
import { makeFolder } from "@toolmount/paths";
import { baseFile, readBase, writeBase } from "./base.ts";
import {
  applySteps,
  changedFolder,
  foldersOf,
  readState,
  undoSteps,
  writeState,
  type Box,
  type CommitRecord,
  type Step,
} from "./commit.ts";
import type { LayerChange } from "./difference.ts";
import { removeTree } from "./durable.ts";
import type { Engine } from "./engine.ts";
import { contentOf, gitPartOf, repositoryOf, type Git } from "./git.ts";
import type { LayerPlace } from "./holder.ts";
import { isSame, markOf, namesIn, type Mark } from "../system/mark.ts";
import { stepsOf } from "./steps.ts";

/** A layer whose changes are kept, with the git and the engine that the keep uses. */
interface Keeping extends LayerPlace {
  readonly git: Git;
  readonly engine: Engine;
}

export const boxesIn = (place: string) => join(place, "keeps");

export function boxOf({ folder, place }: LayerPlace, id: string): Box {
  return { folder, place, box: join(boxesIn(place), id) };
}

/** The whole difference of which a keep takes a part. */
interface KeptOf {
  readonly all: readonly LayerChange[];
  /** Whether the layer has entries that cannot be kept. */
  readonly hasLeft: boolean;
  readonly mark?: string | undefined;
  /** The new texts of files whose changes are only partly kept, by path. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * A keep or an undo that had begun and failed halfway, for example on a full disk. The next action in the layer does the rest.
 */
export class Unfinished extends Error {}

async function decided(act: Promise<void>): Promise<void> {
  await act.catch((cause: unknown) => {
    throw new Unfinished(messageOf(cause), { cause });
  });
}

/** Keeps changes of a layer: all of them, or none, whenever this process may die. Returns the name of the keep. */
export async function commitChanges(
  keeping: Keeping,
  changes: readonly LayerChange[],
  { all, hasLeft, mark, texts }: KeptOf,
): Promise<string> {
  const last = Number.parseInt(namesIn(boxesIn(keeping.place)).at(-1) ?? "0");
  const number = String(last + 1).padStart(6, "0");
  const id = mark === undefined ? number : `${number}-${mark}`;
  const box = boxOf(keeping, id);
  for (const name of ["kept", "again", "new"]) makeFolder(join(box.box, name));
  const steps = stepsOf(changes, box, texts);
  const folders = foldersOf(steps, { folder: box.folder, changed: join(box.place, changedFolder) });
  const chosen = new Set(changes);
  const rest = all.filter((change) => !chosen.has(change));
  const waiting = rest.filter(({ kind }) => kind === "delete").map(({ path }) => path);
  const staged = await stagedOf(keeping, steps);
  const isWhole = rest.length + texts.size === 0 && !hasLeft;
  const record: CommitRecord = { steps, folders, staged, isWhole, waiting };
  writeState(box.box, "commit", record);
  await decided(finishKeep(keeping, box, record));
  return id;
}

/** Returns a digest of what each kept index stages. */
async function stagedOf(
  { folder, place, git }: Keeping,
  steps: readonly Step[],
): Promise<CommitRecord["staged"]> {
  const found: Record<string, string> = {};
  for (const { path, kind, from } of steps.filter((step) => gitPartOf(step.path) === "index")) {
    const digest =
      kind === "write" && (await git.staged(join(folder, repositoryOf(path)), join(place, from)));
    if (typeof digest === "string") found[path] = digest;
  }
  return found;
}

/** Does the remaining steps of a keep. */
async function finishKeep(keeping: Keeping, box: Box, record: CommitRecord): Promise<void> {
  await applySteps(box, record);
  await refreshIndexes(keeping, record);
  await keeping.engine.settle(record);
  takeAsBase(keeping, record, ({ entry }) => entry);
  writeState(box.box, "done", {});
}

async function finishUndo(keeping: Keeping, box: Box, record: CommitRecord): Promise<void> {
  await undoSteps(box, record);
  await refreshIndexes(keeping, record);
  takeAsBase(keeping, record, ({ former }) => former);
  writeState(box.box, "undone", {});
}

/** Updates the base for partly kept files, so that what this process wrote there does not count as a change of the person. */
function takeAsBase(
  { folder, place }: LayerPlace,
  { steps }: CommitRecord,
  written: (step: Step) => Mark | null,
): void {
  const file = baseFile(place);
  const partial = steps.filter(({ isPartial }) => isPartial === true);
  const base = partial.length === 0 ? undefined : readBase(file);
  if (base === undefined) return;
  const earlier = new Map(base.earlier);
  for (const step of partial) {
    const now = markOf(join(folder, step.path));
    const own = written(step);
    if (isSame(own, now) && own!.modified === now!.modified)
      earlier.set(step.path, { since: BigInt(now!.changed), existed: true, ref: undefined, isPartly: true });
  }
  writeBase(file, { ...base, earlier });
}

async function refreshIndexes({ folder, git }: Keeping, { steps }: CommitRecord): Promise<void> {
  for (const repository of repositoriesOf(folder, steps)) await git.refresh(repository);
}

/** Returns the repositories in whose `.git` folders something changes. */
export function repositoriesOf(folder: string, changes: readonly LayerChange[]): readonly string[] {
  const inside = changes.filter(({ path }) => /(?:^|\/)\.git\//.test(path));
  return [...new Set(inside.map(({ path }) => join(folder, repositoryOf(path))))];
}

/** Finishes the keeps and undos during which a process died, and removes those that had not changed anything yet. */
export async function recoverKeeps(keeping: Keeping): Promise<void> {
  for (const id of namesIn(boxesIn(keeping.place))) {
    const box = boxOf(keeping, id);
    const record = readState(box.box, "commit");
    const has = (name: Parameters<typeof readState>[1]) => readState(box.box, name) !== undefined;
    if (record === undefined && !has("undone")) removeTree(box.box);
    else if (record === undefined) continue;
    else if (!has("done")) await finishKeep(keeping, box, record);
    else if (has("undo") && !has("undone")) await finishUndo(keeping, box, record);
  }
}

/** Result of an undo. With `changed`, the person has changed something since, and nothing was undone. */
export type UndoResult =
  | { readonly status: "undone"; readonly changes: number }
  | { readonly status: "changed"; readonly paths: readonly string[] }
  /** The undo began and failed halfway. The next action in the layer does the rest. */
  | { readonly status: "unfinished"; readonly reason: string }
  /** The keep's former entries were removed, because it is old, took too much of the disk, or by `forget`. */
  | { readonly status: "forgotten" }
  | { readonly status: "unknown" };

/** Puts back what was there before a keep: all of it, or nothing, whenever this process may die. */
export async function undoKeep(keeping: Keeping, name: string): Promise<UndoResult> {
  const id = namesIn(boxesIn(keeping.place)).find((each) => each === name || each.endsWith(`-${name}`));
  if (id === undefined) return { status: "unknown" };
  const undone = readState(boxOf(keeping, id).box, "undone") as { readonly isForgotten?: true } | undefined;
  if (undone !== undefined) return { status: undone.isForgotten === true ? "forgotten" : "unknown" };
  const box = boxOf(keeping, id);
  const record = readState(box.box, "commit")!;
  const paths = await changedSinceKeep(record, keeping);
  if (paths.length > 0) return { status: "changed", paths };
  writeState(box.box, "undo", {});
  await decided(finishUndo(keeping, box, record));
  return { status: "undone", changes: record.steps.length };
}

/** Returns the paths that the person changed after a keep, because an undo would lose those changes. */
async function changedSinceKeep(
  { steps, staged }: CommitRecord,
  { folder, git }: { readonly folder: string; readonly git: Git },
): Promise<readonly string[]> {
  const known = new Set(steps.map(({ path }) => path));
  const changed = steps.filter((step) => isChanged(step, folder, known)).map(({ path }) => path);
  for (const [index, digest] of Object.entries(staged)) {
    const now = await git.staged(join(folder, repositoryOf(index)), join(folder, index));
    if (now !== digest) changed.push(index);
  }
  return changed;
}

function isChanged(step: Step, folder: string, known: ReadonlySet<string>): boolean {
  const { path, kind, entry, ref } = step;
  const target = join(folder, path);
  const now = markOf(target);
  const part = gitPartOf(path, kind === "folder" || step.former?.kind === "folder");
  if (part === "ref") return (now === null ? undefined : contentOf(target)) !== ref;
  if (part !== undefined && part !== "setting") return false;
  if (kind === "delete") return now !== null;
  if (kind === "write")
    return !isSame(now, entry) || now?.modified !== entry?.modified || now?.mode !== entry?.mode;
  if (now?.kind !== "folder") return true;
  return kind === "folder" && namesIn(target).some((name) => !isKnown(join(path, name), known));
}

/** Whether a keep itself put an entry into a folder that it made. Entries in git's folders always count as put there by it. */
function isKnown(path: string, known: ReadonlySet<string>): boolean {
  return known.has(path) || gitPartOf(path) !== undefined;
}

/** Returns the keeps that can be undone, the oldest first. */
export function keepsOf(place: string): readonly string[] {
  return namesIn(boxesIn(place)).filter((id) => isDone(join(boxesIn(place), id)));
}

function isDone(box: string): boolean {
  const has = (name: Parameters<typeof readState>[1]) => readState(box, name) !== undefined;
  return has("done") && !has("undo") && !has("undone");
}

/** Removes the data that an undo of a keep would need, unless the keep or its undo is unfinished. No later keep gets its name. */
export function forgetKeep(at: LayerPlace, id: string): void {
  const { box } = boxOf(at, id);
  if (isDone(box)) writeState(box, "undone", { isForgotten: true });
  if (readState(box, "undone") === undefined) return;
  for (const name of ["kept", "again", "new", "commit"]) removeTree(join(box, name));
}

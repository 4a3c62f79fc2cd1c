import { chmodSync, linkSync, mkdirSync, renameSync, unlinkSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathOfText } from "../system/file-names.ts";
import { above } from "./folder-facts.ts";
import { createPause, readRecord, writeRecord } from "./durable.ts";
import type { LayerChange } from "./difference.ts";
import { gitPartOf } from "./git.ts";
import { isOwned, isSame, markOf, type Mark } from "../system/mark.ts";

/**
 * A step of a keep, which moves changes from a layer to the person's folder: one change, and where its new entry lies below the
 * layer's place.
 */
export interface Step extends LayerChange {
  readonly from: string;
  /** Set if the person gets only parts of the file's changes; the layer then keeps its own file. */
  readonly isPartial?: true | undefined;
  /** The new entry, which may be a copy of the layer's entry. */
  readonly entry: Mark | null;
  /** The new content of a file with which git names a commit, such as a branch; undefined for other files. */
  readonly ref: string | undefined;
}

/** The mode and times of a folder of the person whose entries a keep changes. */
interface FolderTimes {
  readonly path: string;
  readonly before: Mark | null;
  readonly after: Mark | null;
  /** The layer's folder with the same path, from which entries are moved. */
  readonly own: Mark | null;
}

/** Everything that a keep will do. The person's folder stays unchanged until this record is on the disk. */
export interface CommitRecord {
  readonly steps: readonly Step[];
  readonly folders: readonly FolderTimes[];
  /** Digests of what each index stages after the keep, by path. */
  readonly staged: Readonly<Record<string, string>>;
  /** Whether nothing remains in the layer that could be kept. */
  readonly isWhole: boolean;
  /** Deletions that stay in the layer. */
  readonly waiting: readonly string[];
}

/** The records of a keep's state, each written once, in this order. */
export const records = ["commit", "done", "undo", "undone"] as const;

/** Folder of the layer's own entries, relative to the layer's place. */
export const changedFolder = "changed";

/** The box of a keep, which holds its records and former entries, and the two folders between which it moves entries. */
export interface Box {
  readonly folder: string;
  readonly place: string;
  readonly box: string;
}

export function readState(box: string, name: (typeof records)[number]): CommitRecord | undefined {
  return readRecord(join(box, name)) as CommitRecord | undefined;
}

export function writeState(box: string, name: (typeof records)[number], value: object): void {
  writeRecord(join(box, name), value);
}

/**
 * Returns the folders whose modes and times a keep sets: those around each step, the deepest first. A folder's mode is changed
 * only if the folder itself is a step.
 */
export function foldersOf(
  steps: readonly Step[],
  { folder, changed }: { readonly folder: string; readonly changed: string },
): readonly FolderTimes[] {
  const paths = new Set(steps.flatMap(({ path, kind }) => [".", ...above(path), ...ownFolderOf(path, kind)]));
  const chosen = new Set(steps.flatMap(({ path, kind }) => ownFolderOf(path, kind)));
  return [...paths]
    .toSorted()
    .toReversed()
    .map((path) => {
      const [before, own] = [markOf(join(folder, path)), markOf(join(changed, path))];
      const next = after(before, own?.kind === "folder" ? own : before, chosen.has(path));
      return { path, before, after: next, own };
    });
}

/** Returns a folder's state after a keep: the later modification time, and the layer's mode if the folder was chosen. */
function after(before: Mark | null, own: Mark | null, isChosen: boolean): Mark | null {
  if (before?.kind !== "folder" || own === null) return own;
  const later = BigInt(own.modified) > BigInt(before.modified) ? own : before;
  return { ...own, modified: later.modified, mode: isChosen ? own.mode : before.mode };
}

function ownFolderOf(path: string, kind: LayerChange["kind"]): readonly string[] {
  return kind === "folder" || kind === "mode" ? [path] : [];
}

/**
 * Does the steps of a keep. Each step finds out from the files whether it is done already, so that after a crash the same steps
 * do the rest. A file is never absent while it is replaced.
 */
export async function applySteps(box: Box, { steps, folders }: CommitRecord): Promise<void> {
  const pause = createPause();
  for (const [at, step] of steps.entries()) {
    openAbove(box.folder, step.path);
    applyStep(box, step, String(at));
    await pause();
  }
  for (const { path, after: next, own } of folders) {
    setFolder(join(box.folder, path), next);
    setFolder(join(box.place, changedFolder, path), own);
  }
}

function applyStep({ folder, place, box }: Box, step: Step, at: string): void {
  const { path, kind, former, entry } = step;
  const [target, kept, from] = [join(folder, path), join(box, "kept", at), join(place, step.from)];
  const away = () => {
    if (!isSame(former, markOf(target))) return;
    if (former?.kind === "folder") openFolder(target);
    renameSync(pathOfText(target), kept);
  };
  if (kind === "mode") return;
  if (kind === "delete") return away();
  if (kind === "folder") {
    if (former !== null) away();
    if (markOf(target)?.kind !== "folder") mkdirSync(pathOfText(target), 0o700);
    return;
  }
  // The last act of a step moves the entry out of the layer's folder. If the entry is not there any more, the step is done.
  if (!isSame(entry, markOf(from))) return;
  if (former?.kind === "folder") away();
  else if (former !== null && markOf(kept) === null) keepFormer(target, kept, former);
  moveOver({ from, target, late: `${kept}.late` }, markOf(kept) === null ? null : former);
}

/** Gives the former file a second name in the box, so that an undo can put it back. */
function keepFormer(target: string, kept: string, former: Mark): void {
  if (!isSame(former, markOf(target))) return;
  try {
    linkSync(pathOfText(target), kept);
  } catch (error) {
    // The kernel refuses a second name for a file of another user, so such a file is absent for a moment.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    renameSync(pathOfText(target), kept);
  }
}

interface Move {
  readonly from: string;
  readonly target: string;
  readonly late: string;
}

/** Moves the new entry to its place. What another program wrote there after the keep began is moved into the box. */
function moveOver({ from, target, late }: Move, former: Mark | null): void {
  openAbove("", from);
  const now = markOf(target);
  if (now !== null && !isSame(former, now)) renameSync(pathOfText(target), late);
  renameSync(pathOfText(from), pathOfText(target));
}

/** Puts everything back as it was before a keep. After a crash, the same steps do the rest. */
export async function undoSteps(box: Box, { steps, folders }: CommitRecord): Promise<void> {
  const pause = createPause();
  for (const [at, step] of [...steps.entries()].toReversed()) {
    openAbove(box.folder, step.path);
    // Objects of git stay, because commits of the person since then may need them.
    if (gitPartOf(step.path, step.kind === "folder") !== "object") undoStep(box, step, String(at));
    await pause();
  }
  for (const { path, before } of folders) setFolder(join(box.folder, path), before);
}

function undoStep({ folder, box }: Box, { path, kind, former, entry }: Step, at: string): void {
  const [target, kept, again] = [join(folder, path), join(box, "kept", at), join(box, "again", at)];
  const hasKept = markOf(kept) !== null;
  const now = markOf(target);
  if (kind === "mode") return;
  if (kind === "folder" && now?.kind === "folder") moveFolder(target, path, again);
  const isAdded = kind === "write" && (former === null || former.kind === "folder");
  if (isAdded && isSame(entry, now)) renameSync(pathOfText(target), again);
  if (kind === "write" && !isAdded) {
    if (hasKept) swapBack({ target, kept, again }, former);
    return;
  }
  if (hasKept) renameSync(kept, pathOfText(target));
  if (former?.kind === "folder" && isSame(former, markOf(target))) setFolder(target, former);
}

interface Swap {
  readonly target: string;
  readonly kept: string;
  readonly again: string;
}

/** Puts the former file back over the kept one, which first gets a name in the box. */
function swapBack({ target, kept, again }: Swap, former: Mark | null): void {
  const now = markOf(target);
  if (now !== null && !isSame(now, former) && markOf(again) === null) linkSync(pathOfText(target), again);
  renameSync(kept, pathOfText(target));
  // A rename between two names of the same file does nothing, so the name in the box is removed.
  if (markOf(kept) !== null) unlinkSync(kept);
}

/** Moves away a folder that the keep made. Folders of git's objects stay. */
function moveFolder(target: string, path: string, again: string): void {
  if (gitPartOf(path, true) === "object") return;
  openFolder(target);
  renameSync(pathOfText(target), again);
}

/** Lets this process change the entries of the folder around a path. The folder's mode is set again at the end. */
function openAbove(root: string, path: string): void {
  const parent = dirname(join(root, path));
  openFolder(parent);
}

export function openFolder(folder: string): void {
  const mark = markOf(folder);
  if (mark?.kind === "folder" && !isOpen(mark)) chmodSync(pathOfText(folder), mark.mode | 0o700);
}

/** Whether the owner of a folder can change the names in it. */
export function isOpen({ mode }: Mark): boolean {
  return (mode & 0o300) === 0o300;
}

/**
 * Sets the mode and the time of a folder if they differ. Only its owner can do that; in a folder of another user that this user
 * may write, the kernel sets the time. Node's times have microseconds.
 */
export function setFolder(folder: string, wanted: Mark | null): void {
  const now = markOf(folder);
  if (wanted?.kind !== "folder" || now?.kind !== "folder" || !isOwned(folder)) return;
  if (now.mode !== wanted.mode) chmodSync(pathOfText(folder), wanted.mode);
  if (microseconds(now) !== microseconds(wanted)) setTime(folder, wanted);
}

/** Gives an entry the time of another entry, to the microsecond. */
export function setTime(path: string, wanted: Mark): void {
  // The kernel cuts off less than a microsecond, and a number of seconds is not exact, so half a microsecond is added.
  const seconds = (Number(microseconds(wanted)) + 0.5) / 1e6;
  utimesSync(pathOfText(path), seconds, seconds);
}

function microseconds({ modified }: Mark): bigint {
  return BigInt(modified) / 1_000n;
}

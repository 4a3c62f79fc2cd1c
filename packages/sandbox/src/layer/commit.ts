import { chmodSync, linkSync, mkdirSync, renameSync, unlinkSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathOfText } from "../system/file-names.ts";
import { above } from "./folder-facts.ts";
import { createPause, readRecord, writeRecord } from "./durable.ts";
import type { LayerChange } from "./difference.ts";
import { gitPartOf } from "./git.ts";
import { isOwned, isSame, markOf, type Mark } from "../system/mark.ts";

/** A change with the place of the new entry, below the layer's own folder. */
export interface Step extends LayerChange {
  readonly from: string;
  /** The file has only parts of what the layer changed, which keeps its own. */
  readonly isPartial?: true | undefined;
  /** The new entry, which may be a copy of the layer's. */
  readonly entry: Mark | null;
  /** What a name of a commit is after the keep. */
  readonly ref: string | undefined;
}

/** A folder of the person in which entries come and go, with its mode and times. */
interface FolderTimes {
  readonly path: string;
  readonly before: Mark | null;
  readonly after: Mark | null;
  /** The layer's folder, from which entries are moved. */
  readonly own: Mark | null;
}

/** All that a keep does. While it is not on the disk, nothing of the person's folder has changed. */
export interface CommitRecord {
  readonly steps: readonly Step[];
  readonly folders: readonly FolderTimes[];
  /** Digests of what each index stages after the keep, by path. */
  readonly staged: Readonly<Record<string, string>>;
  /** Whether nothing of the layer is left to be kept. */
  readonly isWhole: boolean;
  /** Deletions that stay in the layer. */
  readonly waiting: readonly string[];
}

/** The state of a keep: its four records, each written once, in this order. */
export const records = ["commit", "done", "undo", "undone"] as const;

/** Where the layer's own entries are, seen from its place. */
export const changedFolder = "changed";

/** The box of a keep, and the two folders between which it moves entries. */
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
 * The folders whose modes and times a keep sets: those around each step, the deepest first. The mode of a folder is part of
 * the keep only where it is a step.
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

/** A folder as the keep leaves it: the later of both times, and the layer's mode if it was chosen. */
function after(before: Mark | null, own: Mark | null, isChosen: boolean): Mark | null {
  if (before?.kind !== "folder" || own === null) return own;
  const later = BigInt(own.modified) > BigInt(before.modified) ? own : before;
  return { ...own, modified: later.modified, mode: isChosen ? own.mode : before.mode };
}

function ownFolderOf(path: string, kind: LayerChange["kind"]): readonly string[] {
  return kind === "folder" || kind === "mode" ? [path] : [];
}

/**
 * Does the steps of a keep. Each finds out from what lies where whether it is done, so that after a death the same steps do
 * the rest. A file is never absent while it is replaced.
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
  // A move out of the layer's folder is the last act of a step.
  if (!isSame(entry, markOf(from))) return;
  if (former?.kind === "folder") away();
  else if (former !== null && markOf(kept) === null) keepFormer(target, kept, former);
  moveOver({ from, target, late: `${kept}.late` }, markOf(kept) === null ? null : former);
}

/** Gives the former file a second name in the box. */
function keepFormer(target: string, kept: string, former: Mark): void {
  if (!isSame(former, markOf(target))) return;
  try {
    linkSync(pathOfText(target), kept);
  } catch (error) {
    // The kernel refuses a second name for a file of another user: then it is absent for a moment.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    renameSync(pathOfText(target), kept);
  }
}

interface Move {
  readonly from: string;
  readonly target: string;
  readonly late: string;
}

/** Puts the new entry in its place. What another program wrote there after the keep began is moved into the box. */
function moveOver({ from, target, late }: Move, former: Mark | null): void {
  openAbove("", from);
  const now = markOf(target);
  if (now !== null && !isSame(former, now)) renameSync(pathOfText(target), late);
  renameSync(pathOfText(from), pathOfText(target));
}

/** Puts everything back as it was before a keep. After a death the same steps do the rest. */
export async function undoSteps(box: Box, { steps, folders }: CommitRecord): Promise<void> {
  const pause = createPause();
  for (const [at, step] of [...steps.entries()].toReversed()) {
    openAbove(box.folder, step.path);
    // What the person did since may need an object.
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

/** Puts a former file back over the kept one, which gets a name in the box before. */
function swapBack({ target, kept, again }: Swap, former: Mark | null): void {
  const now = markOf(target);
  if (now !== null && !isSame(now, former) && markOf(again) === null) linkSync(pathOfText(target), again);
  renameSync(kept, pathOfText(target));
  // A rename between two names of one file does nothing.
  if (markOf(kept) !== null) unlinkSync(kept);
}

/** A folder that the keep made is moved away: it may have objects of git in it, which stay. */
function moveFolder(target: string, path: string, again: string): void {
  if (gitPartOf(path, true) === "object") return;
  openFolder(target);
  renameSync(pathOfText(target), again);
}

/** Lets this process change the entries of the folder around a path; its mode is set again at the end. */
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
 * Sets the mode and the time of a folder, where they differ. Only its owner can: in the folder of another user who lets this one
 * write, the kernel sets the time. Node's times have microseconds.
 */
export function setFolder(folder: string, wanted: Mark | null): void {
  const now = markOf(folder);
  if (wanted?.kind !== "folder" || now?.kind !== "folder" || !isOwned(folder)) return;
  if (now.mode !== wanted.mode) chmodSync(pathOfText(folder), wanted.mode);
  if (microseconds(now) !== microseconds(wanted)) setTime(folder, wanted);
}

/** Gives an entry the time of another one, to the microsecond. */
export function setTime(path: string, wanted: Mark): void {
  // The kernel cuts what is less than a microsecond, and a number of seconds has not all of its digits.
  const seconds = (Number(microseconds(wanted)) + 0.5) / 1e6;
  utimesSync(pathOfText(path), seconds, seconds);
}

function microseconds({ modified }: Mark): bigint {
  return BigInt(modified) / 1_000n;
}

import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathOfText } from "../system/file-names.ts";
import { changedFolder } from "./commit.ts";
import type { LayerChange } from "./difference.ts";
import type { Git } from "./git.ts";
import type { LayerPlace } from "./holder.ts";
import { isEqual, markOf, namesIn, targetOf, type Mark } from "../system/mark.ts";

/**
 * What a change makes different, as two texts. Of a link it is the path that it leads to, and of a folder it is the paths in it. A
 * side is undefined for an entry that is no text, is too long, or is another one by now.
 */
export interface Texts {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Reads both sides of a change. Follows no link, so a program of the layer cannot make it read another file. */
export function textsOf({ folder, place }: LayerPlace, { path, former, next }: LayerChange): Texts {
  const isGone = next === null;
  if (former?.kind === "folder" && isGone) return { before: listingOf(join(folder, path)), after: "" };
  return {
    before: sideIn(folder, path, former),
    after: sideIn(join(place, changedFolder), path, next),
  };
}

/** Most entries of deleted folders that are looked for, and most of files that are compared: not all need be read. */
const mostMoved = { looks: 20_000, files: 2_000, bytes: 50_000_000 };

type Budget = { -readonly [Key in keyof typeof mostMoved]: number };

/**
 * Finds the deleted files and folders that are in the layer under another name: with the same size, time and content. Returns
 * the new name of each deleted one, and the old name of each new one. Of a moved folder, what is in it is moved, too; of
 * another deleted folder, each entry can be.
 */
export function movesOf(
  { folder, place }: LayerPlace,
  changes: readonly LayerChange[],
): ReadonlyMap<string, string> {
  const view = join(place, changedFolder);
  const made = changes.filter(({ former, next }) => former === null && isMovable(next));
  const gone = changes.filter(({ kind }) => kind === "delete");
  const places = Map.groupBy(made, ({ next, path }) => keyOf(next!, join(view, path)));
  const budget: Budget = { ...mostMoved };
  const names = new Map<string, string>();
  const find = (from: string): void => {
    const mark = markOf(join(folder, from));
    budget.looks -= 1;
    if (budget.looks < 0 || !isMovable(mark)) return;
    const near = places.get(keyOf(mark!, join(folder, from))) ?? [];
    const to = near.find(({ path }) => isMoved(join(folder, from), join(view, path), budget))?.path;
    if (to === undefined) {
      if (mark!.kind === "folder") for (const name of namesIn(join(folder, from))) find(join(from, name));
      return;
    }
    for (const { path } of made.filter((each) => each.path === to || each.path.startsWith(`${to}/`))) {
      const former = `${from}${path.slice(to.length)}`;
      names.set(path, former).set(former, path);
    }
  };
  if (made.length > 0) for (const { path } of gone) find(path);
  return names;
}

/** What is equal of two entries that may be the same. */
function keyOf({ kind, bytes, modified }: Mark, path: string): string {
  return kind === "folder" ? namesIn(path).join("\0") : `${bytes} ${modified}`;
}

function isMovable(mark: Mark | null): boolean {
  return mark?.kind === "folder" || (mark?.kind === "file" && mark.bytes > 0);
}

/** Whether two entries, and all in them, are equal; not when that takes too much to find out. */
function isMoved(one: string, other: string, budget: Budget): boolean {
  const [a, b] = [markOf(one), markOf(other)];
  if (a?.kind !== b?.kind) return false;
  if (a?.kind === "folder") {
    const names = namesIn(one);
    const isSame = names.join("\0") === namesIn(other).join("\0");
    return (
      isSame && names.length > 0 && names.every((name) => isMoved(join(one, name), join(other, name), budget))
    );
  }
  budget.files -= 1;
  budget.bytes -= a?.bytes ?? 0;
  return budget.files >= 0 && budget.bytes >= 0 && a?.modified === b?.modified && isEqual(one, other);
}

/** The texts of a file that the person and the session both changed. A side without the file is an empty text. */
export interface Sides {
  /** What the person's repository has staged or committed: what it was before, as far as that is known. */
  readonly committed: string | undefined;
  readonly person: string | undefined;
  readonly session: string | undefined;
}

export async function sidesOf(
  { folder, place, git }: LayerPlace & { readonly git: Git },
  path: string,
): Promise<Sides> {
  const committed = await git.committed(folder, path);
  const session = sideIn(join(place, changedFolder), path);
  return { committed, person: sideIn(folder, path), session };
}

/** The text of a side, which is empty where the entry is not there. */
function sideIn(root: string, path: string, mark = markOf(join(root, path))): string | undefined {
  return mark === null ? "" : textAt(root, path, mark);
}

function textAt(root: string, path: string, { kind }: Mark): string | undefined {
  const entry = join(root, path);
  if (kind === "folder") return "";
  if (kind === "link") return markOf(entry)?.kind === "link" ? `link to ${targetOf(entry)}\n` : undefined;
  return kind === "file" ? fileText(entry) : undefined;
}

/** Longest text that is compared, in bytes. */
const mostBytes = 200_000;

function fileText(path: string): string | undefined {
  const file = openOrUndefined(path);
  if (file === undefined) return undefined;
  try {
    const stat = fstatSync(file);
    // The kernel names the opened file by its real path: with a link on the way it is another one.
    if (!stat.isFile() || stat.size > mostBytes || targetOf(`/proc/self/fd/${file}`) !== path)
      return undefined;
    const bytes = readFileSync(file);
    return bytes.includes(0) || !isUtf8(bytes) ? undefined : bytes.toString("utf8");
  } finally {
    closeSync(file);
  }
}

/** A pipe must not be waited for. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function openOrUndefined(path: string): number | undefined {
  try {
    return openSync(pathOfText(path), flags);
  } catch (error) {
    if (isUnreadable.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

const isUnreadable: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENXIO"]);

/** Most entries of a deleted folder that are listed. */
const mostEntries = 2_000;

/** Lists what is in a folder, with all below it. */
function listingOf(folder: string): string {
  const found: string[] = [];
  for (const folders = [""]; folders.length > 0 && found.length < mostEntries;) {
    const at = folders.pop()!;
    for (const name of namesIn(join(folder, at))) {
      const path = join(at, name);
      const isFolder = markOf(join(folder, path))?.kind === "folder";
      if (isFolder) folders.push(path);
      else found.push(path);
    }
  }
  return found
    .slice(0, mostEntries)
    .map((path) => `${path}\n`)
    .join("");
}

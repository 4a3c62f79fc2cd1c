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
 * The two sides of a change as texts. For a link, the text is its target; for a folder, the paths in it. A side is undefined
 * for an entry that is not a text, is too long, or has been replaced meanwhile.
 */
export interface Texts {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Reads both sides of a change. Links are not followed, so a program in the layer cannot make this process read other files. */
export function textsOf({ folder, place }: LayerPlace, { path, former, next }: LayerChange): Texts {
  const isGone = next === null;
  if (former?.kind === "folder" && isGone) return { before: listingOf(join(folder, path)), after: "" };
  return {
    before: sideIn(folder, path, former),
    after: sideIn(join(place, changedFolder), path, next),
  };
}

/** Limits of the search for renames: entries of deleted folders, compared files and their bytes. Not every rename is found. */
const mostMoved = { looks: 20_000, files: 2_000, bytes: 50_000_000 };

type Budget = { -readonly [Key in keyof typeof mostMoved]: number };

/**
 * Finds the deleted files and folders that are in the layer under another name, with the same size, time and content. Returns
 * the new name of each deleted entry, and the old name of each new one. The entries of a moved folder count as moved with it;
 * in another deleted folder, each entry is searched by itself.
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

/** Returns a key that is equal for two entries that may be the same. */
function keyOf({ kind, bytes, modified }: Mark, path: string): string {
  return kind === "folder" ? namesIn(path).join("\0") : `${bytes} ${modified}`;
}

function isMovable(mark: Mark | null): boolean {
  return mark?.kind === "folder" || (mark?.kind === "file" && mark.bytes > 0);
}

/** Whether two entries, and everything in them, are equal. Returns false if the comparison would exceed `budget`. */
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

/**
 * The texts of a file that both the person and the session changed: empty if the file does not exist on a side, and undefined
 * for what is not a text or is too long.
 */
export interface Sides {
  /** The text that the person's repository has staged or committed, which is the text before both changes if git has it. */
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

/** Returns the text of a side; empty if the entry does not exist there. */
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
    // The kernel names an opened file by its real path, which differs if there is a link on the way.
    if (!stat.isFile() || stat.size > mostBytes || targetOf(`/proc/self/fd/${file}`) !== path)
      return undefined;
    const bytes = readFileSync(file);
    return bytes.includes(0) || !isUtf8(bytes) ? undefined : bytes.toString("utf8");
  } finally {
    closeSync(file);
  }
}

/** Flags with which a link is not followed and a pipe is not waited for. */
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

/** Maximum number of entries of a deleted folder that are listed. */
const mostEntries = 2_000;

/** Lists the files in a folder and below it, as a text. */
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

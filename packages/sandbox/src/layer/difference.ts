import { hash } from "node:crypto";
import { baseOf, type Base } from "./base.ts";
import { createPause } from "./durable.ts";
import { above, entriesOf } from "./folder-facts.ts";
import { gitPartOf, ownFolderOf } from "./git.ts";
import {
  foreign,
  isEqual,
  isOwned,
  isReadable,
  isSame,
  markOf,
  obstacleIn,
  within,
  type Mark,
} from "../system/mark.ts";

/** Parts of a difference, each of which a person has to accept separately. */
export type Section =
  /** Files that were written, added or linked, and changed modes. */
  | "files"
  /** Entries that no longer exist after a keep, also a folder that a file replaces. */
  | "deletions"
  /** Files that the person's next command would run or obey, such as scripts and settings. */
  | "obeyed"
  /** Commits, their names and what is staged, as one unit. */
  | "repository";

/** One entry that a layer changed, with its state in the person's folder and in the layer. */
export interface LayerChange {
  readonly path: string;
  /** `write` replaces or adds a file, link or pipe; `folder` adds a folder; `mode` changes a folder's mode. */
  readonly kind: "write" | "folder" | "mode" | "delete";
  readonly section: Section;
  /** The person's entry; null if the person's folder has no such path. */
  readonly former: Mark | null;
  /** The layer's entry; null for a deletion. */
  readonly next: Mark | null;
}

/** Everything that a layer changed. */
export interface Difference {
  /** Digest of the changes. A person accepts a difference by its digest, so that nothing else is kept. */
  readonly digest: string;
  /** Sorted so that a folder comes before the entries in it. */
  readonly changes: readonly LayerChange[];
  /** Changes that cannot be kept, each with the reason. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

/** The three folders that are compared, and facts about them. */
export interface Compared {
  /** The person's folder. */
  readonly folder: string;
  /** The folder as the layer shows it. */
  readonly view: string;
  /** The folder with the layer's own files. */
  readonly changed: string;
  readonly base: Base;
  /** Whether the layer may have changed an entry in the folder of its own files, given the entry's mark. */
  isTouched(path: string, mark: Mark): boolean;
  /** Whether a git index stages something else than when the layer began, as far as git can tell. */
  isStagedAnew(path: string): Promise<boolean>;
  /** Whether the person's next command would run the file, or read it as settings. */
  isObeyed(path: string): boolean;
}

/**
 * Compares a layer with the person's folder by the names in both. Attributes of the overlay are not read: an entry counts as
 * deleted if the view does not have it.
 */
export async function differenceOf(compared: Compared): Promise<Difference> {
  const changes: LayerChange[] = [];
  const left: { path: string; reason: string }[] = [];
  const pause = createPause();
  const add = (change: Omit<LayerChange, "section">) =>
    changes.push({ ...change, section: sectionOf(change, compared) });
  for (const folders = [""]; folders.length > 0;) {
    const at = folders.pop()!;
    const shown = entriesOf(compared.view, at);
    for (const change of deletionsIn(at, shown, compared)) add(change);
    const inside: string[] = [];
    for (const name of entriesOf(compared.changed, at).filter((each) => shown.includes(each))) {
      const path = within(at, name);
      const found = compareEntry(path, compared);
      const isStaged = found.change !== undefined && gitPartOf(path) === "index";
      if (isStaged && !(await compared.isStagedAnew(path))) continue;
      if (found.reason !== undefined) left.push({ path, reason: found.reason });
      if (found.change !== undefined) add(found.change);
      if (found.isFolder) inside.push(path);
      await pause();
    }
    folders.push(...inside.toReversed());
  }
  const sorted = changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const possible = possibleOf(sorted, compared.folder);
  const digest = digestOf(possible.changes, compared.base);
  return { digest, changes: possible.changes, left: [...left, ...possible.left] };
}

/**
 * Returns the digest of changes. What the person does to the former entries does not change it, because that is a conflict;
 * keeping a part of a file does.
 */
function digestOf(changes: readonly LayerChange[], base: Base): string {
  const facts = changes.map((each) => {
    const { since, isPartly } = baseOf(base, each.path);
    return { ...each, former: each.former?.kind, since: isPartly === true ? String(since) : undefined };
  });
  return hash("sha256", JSON.stringify(facts));
}

/** Returns the entries that the person's folder had when the layer began, and that the view no longer has. */
function deletionsIn(
  at: string,
  shown: readonly string[],
  { folder, base }: Compared,
): readonly Omit<LayerChange, "section">[] {
  const set = new Set(shown);
  return (
    entriesOf(folder, at)
      .filter((name) => !set.has(name) && baseOf(base, within(at, name)).existed)
      .map((name) => within(at, name))
      .map((path) => ({ path, kind: "delete", former: markOf(within(folder, path)), next: null }) as const)
      // Objects of git are not deleted, because later commits of the person may need them.
      .filter(({ path, former }) => former !== null && gitPartOf(path, former.kind === "folder") !== "object")
  );
}

interface Compare {
  readonly change?: Omit<LayerChange, "section">;
  readonly reason?: string;
  readonly isFolder: boolean;
}

function compareEntry(path: string, compared: Compared): Compare {
  const { folder, changed } = compared;
  const [former, next] = [markOf(within(folder, path)), markOf(within(changed, path))];
  const isFolder = next?.kind === "folder";
  if (next === null) return { isFolder: false };
  if (isFolder && !isReadable(within(changed, path)))
    return { reason: "its folder cannot be read", isFolder: false };
  if (isFolder) {
    const isThere = former?.kind === "folder";
    if (!isThere) return { change: { path, kind: "folder", former, next }, isFolder };
    if (former.mode === next.mode || !compared.isTouched(path, next)) return { isFolder };
    return { change: { path, kind: "mode", former, next }, isFolder };
  }
  if (!compared.isTouched(path, next)) return { isFolder };
  const reason = reasonOf(path, next);
  if (reason !== undefined) return { reason, isFolder };
  if (isUnchanged(path, { former, next }, compared)) return { isFolder };
  return { change: { path, kind: "write", former, next }, isFolder };
}

/** Returns why an entry cannot be kept; undefined if it can. */
function reasonOf(path: string, { kind }: Mark): string | undefined {
  if (kind === "socket") return "a socket cannot be kept";
  // The view of an overlay shows no whiteouts, so a `whiteout` here is a real device with that number.
  if (kind === "device" || kind === "whiteout") return "a device cannot be kept";
  return gitPartOf(path) === "lock" ? "a lock of a git command is not kept" : undefined;
}

/** Whether a file that the layer opened for writing is unchanged. An object of git with the same name always is. */
function isUnchanged(
  path: string,
  { former, next }: { readonly former: Mark | null; readonly next: Mark },
  { folder, changed }: Compared,
): boolean {
  if (former === null) return false;
  if (gitPartOf(path) === "object" && former.kind === "file") return true;
  if (isSame(former, next)) return true;
  // If a program gave the file a second name, a keep makes both names the same file, so the file is not as before.
  if (next.names > 1) return false;
  return former.modified === next.modified && isEqual(within(folder, path), within(changed, path));
}

function sectionOf({ path, kind, former }: Omit<LayerChange, "section">, compared: Compared): Section {
  const part = gitPartOf(path, kind === "folder" || kind === "mode" || former?.kind === "folder");
  if (part === "setting") return "obeyed";
  if (part !== undefined && !(kind === "delete" && path.endsWith(".git"))) return "repository";
  if (compared.isObeyed(path)) return "obeyed";
  const isReplaced = former !== null && kind === "folder";
  const isEmptied = former?.kind === "folder" && kind === "write";
  return kind === "delete" || isReplaced || isEmptied ? "deletions" : "files";
}

/** The changes that this process can make in the person's folder, and those that it cannot. */
interface Possible {
  readonly changes: readonly LayerChange[];
  readonly left: Difference["left"];
}

/**
 * Leaves out changes in folders that this process cannot change, because a keep would fail there halfway. A new folder and its
 * entries are left out together, and so is a whole repository.
 */
function possibleOf(changes: readonly LayerChange[], folder: string): Possible {
  const known = new Map<string, string | undefined>();
  const obstacleAt = (path: string) => {
    if (!known.has(path)) known.set(path, obstacleIn(within(folder, path)));
    return known.get(path);
  };
  /** Returns the person's folder that prevents a change; undefined if none does. */
  const blockerOf = ({ path, kind, former }: LayerChange) => {
    if (kind === "mode") return isOwned(within(folder, path)) ? undefined : path;
    const inside = former?.kind === "folder" ? [path] : [];
    return [parentOf(path), ...inside].find((each) => obstacleAt(each) !== undefined);
  };
  const blocked = new Map(
    changes.map((change) => [change, blockerOf(change)] as const).filter(([, by]) => by !== undefined),
  );
  if (blocked.size === 0) return { changes, left: [] };
  const own = [...blocked.keys()];
  const folders = new Set(own.filter(({ kind }) => kind === "folder").map(({ path }) => path));
  const units = new Set(
    own.filter(({ section }) => section === "repository").map(({ path }) => ownFolderOf(path)),
  );
  const isLeft = (change: LayerChange) =>
    blocked.has(change) ||
    above(change.path).some((path) => folders.has(path)) ||
    (change.section === "repository" && units.has(ownFolderOf(change.path)));
  const left = [...new Set(blocked.values())].map((path) => ({
    path: path || ".",
    reason: obstacleAt(path!) ?? foreign,
  }));
  return { changes: changes.filter((change) => !isLeft(change)), left };
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

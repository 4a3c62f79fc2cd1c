import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "@toolmount/paths";
import { runOn } from "../system/file-names.ts";
import { baseOf, type Base } from "./base.ts";
import { changedFolder, isOpen, openFolder, setFolder } from "./commit.ts";
import { readRecord, removeTree, writeRecord } from "./durable.ts";
import type { Engine, MakeEngine } from "./engine.ts";
import { changesSince, entriesOf, ownFolder, type FolderFacts } from "./folder-facts.ts";
import { indexesIn, repositoryOf, type Git } from "./git.ts";
import type { LayerPlace } from "./holder.ts";
import { isReadable, markOf, namesIn, type Mark } from "../system/mark.ts";

/** Size of the largest folder that is copied, which takes about two seconds. */
const copyBounds = { entries: 20_000, bytes: 1_000_000_000 };

/**
 * The state of each entry right after it was copied, by path. A change time alone is not enough, because a folder can be moved
 * together with its files, whose own change times stay the same.
 */
type Copied = Readonly<Record<string, string>>;

/**
 * Makes a copy of the folder, with shared blocks if the file system can share them. It works without an overlay and with files
 * of other users.
 */
export const makeCopy: MakeEngine = async (at, { listing, entries, bytes }, isNew) => {
  if (isNew) {
    const bound = `${copyBounds.entries.toLocaleString("en")} entries or ${copyBounds.bytes / 1e9} GB`;
    if (entries > copyBounds.entries || bytes > copyBounds.bytes)
      return { problem: `a copy is made of at most ${bound}, and the folder has more` };
    try {
      await copyAll(at, listing);
    } catch (error) {
      removeTree(join(at.place, changedFolder));
      const { stderr, message } = error as Error & { readonly stderr?: string };
      return { problem: `the folder cannot be copied: ${(stderr || message).trim().split("\n")[0]}` };
    }
  }
  return engineOf(at);
};

async function copyAll(
  at: LayerPlace & { readonly git: Git },
  listing: FolderFacts["listing"],
): Promise<void> {
  const { folder, place, git } = at;
  const changed = join(place, changedFolder);
  removeTree(changed);
  makeFolder(join(changed, ownFolder));
  await copyPaths(at, entriesOf(folder, ""));
  // Git takes copied files for changed ones, and a reset would write each of them again. No program of the layer has run yet,
  // so the settings that git obeys here are the person's.
  for (const index of indexesIn(listing)) await git.refresh(join(changed, repositoryOf(index)));
  setFolder(changed, markOf(folder));
  writeRecord(
    copiedFile(place),
    Object.fromEntries(keysIn(changed, entriesOf(changed, ""))) satisfies Copied,
  );
}

const copiedFile = (place: string) => join(place, "copied.json");

/** After a layer was copied, stores for the copy which entries are still as they came from the person's folder. */
export function copiedAgain(from: string, to: string): void {
  const copied = readRecord(copiedFile(from)) as Copied | undefined;
  if (copied === undefined) return;
  const same = Object.entries(copied).flatMap(([path, key]) => {
    const [before, now] = [from, to].map((place) => markOf(join(place, changedFolder, path)));
    return before && now && keyOf(before) === key ? [[path, keyOf(now)] as const] : [];
  });
  writeRecord(copiedFile(to), Object.fromEntries(same) satisfies Copied);
}

/** Copies entries of the person's folder, with everything in them, to the same paths of the layer's folder. */
async function copyPaths({ folder, place, env }: LayerPlace, paths: readonly string[]): Promise<void> {
  const words = ["cp", "-a", "--reflink=auto", "--parents", "-t", join(place, changedFolder), "--"];
  await runOn(paths, words, { cwd: folder, env });
}

function engineOf(at: LayerPlace): Engine {
  const { folder, place } = at;
  const changed = join(place, changedFolder);
  closeFolders(place);
  const copied = new Map(Object.entries(readRecord(copiedFile(place)) as Copied));
  const isTouched = (path: string, mark: Mark) => copied.get(path) !== keyOf(mark);
  /** Replaces entries of the copy by those of the person's folder; an entry that does not exist there is removed. */
  const bring = async (paths: readonly string[]) => {
    openFolders(place, new Set(paths.map((path) => dirname(path))));
    for (const path of paths) removeTree(join(changed, path));
    const there = paths.filter((path) => markOf(join(folder, path)) !== null);
    await copyPaths(at, there);
    closeFolders(place);
    for (const [path, key] of keysIn(changed, there)) copied.set(path, key);
    writeRecord(copiedFile(place), Object.fromEntries(copied) satisfies Copied);
  };
  /** Whether the layer changed an entry or one below it, so that the person's entry must not replace it. */
  const isOwn = (path: string, base: Base) => {
    const entries = below(changed, path);
    if (entries.length === 0) return baseOf(base, path).existed;
    return entries.some((each) => {
      const mark = markOf(join(changed, each))!;
      return mark.kind === "folder" ? !baseOf(base, each).existed : isTouched(each, mark);
    });
  };
  return {
    name: "copy",
    isTouched,
    isUnchanged() {
      const now = keysIn(changed, entriesOf(changed, ""));
      return now.length === copied.size && now.every(([path, key]) => copied.get(path) === key);
    },
    async start(base, mount) {
      const touched = [...deletedFrom(at, base), ...entriesBelow(changed, isTouched)];
      const found = await changesSince(folder, base.listing, { since: base.since, isDeep: true });
      const free = found.filter(
        (path) => markOf(join(changed, dirname(path))) !== null && !isOwn(path, base),
      );
      await bring(free.filter((path) => !free.includes(dirname(path))));
      return { holder: await mount(), touched };
    },
    async settle({ steps }) {
      const written = steps
        .filter(({ kind, isPartial }) => kind === "write" && isPartial !== true)
        .map(({ path }) => path);
      await bring(written.filter((path) => markOf(join(changed, dirname(path))) !== null));
    },
  };
}

const openedFile = (place: string) => join(place, "opened.json");

/** Lets this process change entries in folders that are not writable. Their modes are stored on the disk first. */
function openFolders(place: string, paths: ReadonlySet<string>): void {
  const shut = [...paths].flatMap((path) => {
    const mark = markOf(join(place, changedFolder, path));
    return mark?.kind === "folder" && !isOpen(mark) ? [[path, mark] as const] : [];
  });
  if (shut.length === 0) return;
  writeRecord(openedFile(place), Object.fromEntries(shut));
  for (const [path] of shut) openFolder(join(place, changedFolder, path));
}

/** Gives the opened folders their modes back, also those that a process opened which then died. */
function closeFolders(place: string): void {
  const shut = (readRecord(openedFile(place)) as Readonly<Record<string, Mark>> | undefined) ?? {};
  for (const [path, mark] of Object.entries(shut)) setFolder(join(place, changedFolder, path), mark);
  rmSync(openedFile(place), { force: true });
}

/**
 * Returns a text by which a change of an entry is noticed: the inode and the kernel's change time; for a folder, only the mode.
 */
function keyOf({ kind, inode, changed, mode }: Mark): string {
  return kind === "folder" ? `folder ${mode}` : `${inode} ${changed}`;
}

function keysIn(changed: string, paths: readonly string[]): readonly (readonly [string, string])[] {
  const entries = paths.flatMap((path) => below(changed, path));
  return entries.map((path) => [path, keyOf(markOf(join(changed, path))!)] as const);
}

/** Returns the path of an entry and of all entries below it. */
function below(root: string, path: string): readonly string[] {
  const mark = markOf(join(root, path));
  if (mark === null) return [];
  if (mark.kind !== "folder" || !isReadable(join(root, path))) return [path];
  return [path, ...namesIn(join(root, path)).flatMap((name) => below(root, join(path, name)))];
}

function entriesBelow(changed: string, isTouched: Engine["isTouched"]): readonly string[] {
  return entriesOf(changed, "")
    .flatMap((name) => below(changed, name))
    .filter((path) => {
      const mark = markOf(join(changed, path))!;
      return mark.kind !== "folder" && isTouched(path, mark);
    });
}

/** Returns entries that the copy had and has no longer, and that still exist in the person's folder. */
function deletedFrom({ folder, place }: LayerPlace, { listing }: Base): readonly string[] {
  return [...listing].flatMap(([at, names]) => {
    const now = new Set(namesIn(join(place, changedFolder, at)));
    const gone = names.filter((name) => !now.has(name)).map((name) => join(at, name));
    return gone.filter((path) => markOf(join(folder, path)) !== null);
  });
}

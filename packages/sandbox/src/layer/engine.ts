import { hash } from "node:crypto";
import { mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "@toolmount/paths";
import type { Base } from "./base.ts";
import { changedFolder, setFolder, type CommitRecord } from "./commit.ts";
import { removeTree } from "./durable.ts";
import { pathOfText, runOn } from "../system/file-names.ts";
import { mountOverlayOnce } from "../system/overlay-trial.ts";
import { above, entriesOf, ownFolder, type FolderFacts } from "./folder-facts.ts";
import type { Git } from "./git.ts";
import type { EngineName, Holder, LayerPlace } from "./holder.ts";
import { isReadable, markOf, namesIn, type Mark } from "../system/mark.ts";

/** A way to store and show what a layer's programs change. */
export interface Engine {
  readonly name: EngineName;
  /** Whether the layer may have changed the entry with this mark in the folder of its own files. */
  isTouched(path: string, mark: Mark): boolean;
  /** Whether the layer certainly has no changes. */
  isUnchanged(): boolean;
  /**
   * Mounts the view. Places that the layer did not change show the person's later changes. Finds the paths that the layer had
   * changed or deleted since `base`.
   */
  start(base: Base, mount: () => Promise<Holder>): Promise<Started>;
  /** Removes kept changes from the layer. Called once more if the process died during it. */
  settle(record: CommitRecord): Promise<void>;
}

/** A mounted view, and the paths that the layer had changed before. */
interface Started {
  readonly holder: Holder;
  readonly touched: readonly string[];
}

/** Makes an engine for a folder, or returns why it cannot work there. */
export type MakeEngine = (
  at: LayerPlace & { readonly git: Git },
  facts: FolderFacts,
  isNew: boolean,
) => Promise<Engine | { readonly problem: string }>;

/** Uses the kernel's overlay, which copies a file only when it is changed. */
export const makeOverlay: MakeEngine = async (at, { foreign }) => {
  const { place, folder } = at;
  if (foreign !== undefined)
    return {
      problem: `"${foreign}" belongs to another user or group, which an overlay of a user cannot copy`,
    };
  const problem = await tryOverlay(at);
  if (problem !== undefined) return { problem };
  const changed = join(place, changedFolder);
  makeEmpty(at);
  return {
    name: "overlay",
    isTouched: () => true,
    isUnchanged: () => entriesOf(changed, "").length === 0,
    async start(_base, mount) {
      const holder = await mount();
      return { holder, touched: touchedIn("", { changed, folder, view: holder.view }) };
    },
    async settle(record) {
      if (record.isWhole) for (const name of [changedFolder, "work"]) removeTree(join(place, name));
      else await settleSome(record, at);
      makeEmpty(at);
    },
  };
};

/** Tries to mount an overlay next to the layer. Returns why that fails, or undefined. */
async function tryOverlay({ place, env }: LayerPlace): Promise<string | undefined> {
  const trial = join(place, "trial");
  removeTree(trial);
  mkdirSync(trial);
  try {
    return await mountOverlayOnce(trial, env);
  } finally {
    removeTree(trial);
  }
}

/**
 * Makes the two folders of the overlay; the kernel needs the second one for itself. The first gets the mode and time of the
 * person's folder.
 */
function makeEmpty({ folder, place }: LayerPlace): void {
  const changed = join(place, changedFolder);
  makeFolder(join(place, "work"));
  if (markOf(changed) !== null) return;
  makeFolder(join(changed, ownFolder));
  setFolder(changed, markOf(folder));
}

interface Shown {
  readonly changed: string;
  readonly folder: string;
  readonly view: string;
}

/**
 * Returns what the layer changed: its own files, folders that the person does not have, and the person's entries that the view
 * does not show. Whiteouts do not show all of these, because a folder that was made again hides everything in it without them.
 */
function touchedIn(at: string, { changed, folder, view }: Shown): readonly string[] {
  const shown = new Set(namesIn(join(view, at)));
  const hidden = entriesOf(folder, at).filter((name) => !shown.has(name));
  const own = namesIn(join(changed, at)).filter((name) => shown.has(name));
  const found = own.flatMap((name) => {
    const path = join(at, name);
    const entry = join(changed, path);
    if (markOf(entry)?.kind !== "folder" || !isReadable(entry)) return [path];
    const isNew = markOf(join(folder, path))?.kind !== "folder";
    return [...(isNew ? [path] : []), ...touchedIn(path, { changed, folder, view })];
  });
  return [...hidden.map((name) => join(at, name)), ...found];
}

/**
 * Removes kept changes from the overlay. Whiteouts, and files of which a copy was kept, would hide what the person makes there
 * later. The kernel marks a folder that the layer made as hiding the person's folder, which would hide what was kept in it. So
 * that folder is made again without the mark, and entries that it hid get whiteouts.
 */
async function settleSome({ steps, waiting }: CommitRecord, { place, env }: LayerPlace): Promise<void> {
  const changed = join(place, changedFolder);
  for (const { path, kind, from, isPartial } of steps) {
    const own = join(changed, path);
    const isCopied = kind === "write" && isPartial !== true && from !== join(changedFolder, path);
    if (isCopied || markOf(own)?.kind === "whiteout") rmSync(pathOfText(own), { force: true });
  }
  const made = new Set(
    steps.flatMap(({ path, kind }) => [...above(path), ...(kind === "folder" ? [path] : [])]),
  );
  const hidden = waiting
    .filter((path) => markOf(join(changed, path)) === null)
    .filter((path) => above(path).some((each) => made.has(each)));
  const all = [...made, ...hidden.flatMap(above)];
  for (const path of [...new Set(all)].toSorted())
    makeAgain(join(changed, path), join(place, `again-${hash("sha256", path)}`));
  // This makes whiteouts. The kernel lets every user make a device with this number, and with no other.
  const without = hidden.filter((each) => markOf(join(changed, each)) === null);
  await runOn(without, ["-I", "{}", "mknod", "--", "{}", "c", "0", "0"], { cwd: changed, env });
}

/** Makes a folder of the layer again, with its entries. After a crash, the same call does the rest. */
function makeAgain(own: string, again: string): void {
  const mark = markOf(own);
  if (mark?.kind === "folder") {
    makeFolder(again);
    for (const name of namesIn(own)) renameSync(pathOfText(join(own, name)), pathOfText(join(again, name)));
    setFolder(again, mark);
    rmdirSync(pathOfText(own));
  }
  if (markOf(again) !== null) renameSync(again, pathOfText(own));
}

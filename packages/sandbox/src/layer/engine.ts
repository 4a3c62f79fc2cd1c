import { mkdirSync, renameSync, rmdirSync, unlinkSync, chmodSync } from "node:fs";
import { join } from "node:path";
import type { Base } from "./base.ts";
import { changedFolder, setFolder, type Step } from "./commit.ts";
import { removeTree } from "./durable.ts";
import type { FolderFacts } from "./folder-facts.ts";
import { mountOverlayOnce } from "./holder.ts";
import type { EngineName, LayerPlace } from "./holder.ts";
import { markOf, namesIn, type Mark } from "./mark.ts";

/** How a layer keeps what its programs change. */
export interface Engine {
  readonly name: EngineName;
  /** Whether the layer may have changed an entry of its own folder, which has this mark. */
  isTouched(path: string, mark: Mark): boolean;
  /** The paths that the layer changed or deleted. */
  touched(base: Base): readonly string[];
  /** Brings in what the person changed, where the layer did not. Nothing runs in the layer. */
  catchUp(base: Base): Promise<void>;
  /** Takes kept changes out of the layer. After a death it is done again. */
  settle(steps: readonly Step[], isWhole: boolean): Promise<void>;
}

/** Makes an engine for a folder, or says why it cannot work there. */
export type MakeEngine = (
  at: LayerPlace,
  facts: FolderFacts,
  isNew: boolean,
) => Promise<Engine | { readonly problem: string }>;

/** The kernel's overlay: nothing is copied before it is changed. */
export const makeOverlay: MakeEngine = async (at, { foreign }) => {
  const { place, folder } = at;
  if (foreign !== undefined)
    return {
      problem: `"${foreign}" belongs to another user or group, which an overlay of a user cannot copy`,
    };
  const problem = await mountOverlayOnce(at);
  if (problem !== undefined) return { problem };
  const changed = join(place, changedFolder);
  makeEmpty(at);
  return {
    name: "overlay",
    isTouched: () => true,
    touched: () => touchedIn("", { changed, folder }),
    catchUp: async () => {},
    async settle(steps, isWhole) {
      if (isWhole) for (const name of [changedFolder, "work"]) removeTree(join(place, name));
      else for (const [number, step] of steps.entries()) settleStep(step, { place, number });
      makeEmpty(at);
    },
  };
};

/** The two folders of the overlay: the kernel needs the second for its own work. The first looks as the person's folder. */
function makeEmpty({ folder, place }: LayerPlace): void {
  const changed = join(place, changedFolder);
  mkdirSync(join(place, "work"), { recursive: true });
  if (markOf(changed) !== null) return;
  mkdirSync(changed);
  setFolder(changed, markOf(folder));
}

/** What is in the layer's own folder: whiteouts, files, and folders that the person does not have. */
function touchedIn(
  at: string,
  { changed, folder }: { readonly changed: string; readonly folder: string },
): readonly string[] {
  return namesIn(join(changed, at)).flatMap((name) => {
    const path = join(at, name);
    if (markOf(join(changed, path))?.kind !== "folder") return [path];
    const own = markOf(join(folder, path))?.kind === "folder" ? [] : [path];
    return [...own, ...touchedIn(path, { changed, folder })];
  });
}

/**
 * Takes one kept change out of the overlay. A whiteout would hide what a person makes there later, and so would a name of a
 * file of which a copy was kept. A new folder is marked by the kernel as hiding the person's one: it is made again.
 */
function settleStep(
  { path, kind, from }: Step,
  { place, number }: { readonly place: string; readonly number: number },
): void {
  const own = join(place, changedFolder, path);
  const mark = markOf(own);
  const isCopied = kind === "write" && from !== join(changedFolder, path);
  if (mark !== null && (isCopied || mark.kind === "whiteout")) unlinkSync(own);
  if (kind !== "folder") return;
  const again = join(place, `again-${number}`);
  if (mark?.kind === "folder") {
    mkdirSync(again, { recursive: true });
    for (const name of namesIn(own)) renameSync(join(own, name), join(again, name));
    chmodSync(again, mark.mode);
    rmdirSync(own);
  }
  if (markOf(again) !== null) renameSync(again, own);
}

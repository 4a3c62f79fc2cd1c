import { isAbsolute, join, relative } from "node:path";
import type { PreviewedEffect, UndoRequest } from "@toolmount/core";
import { bytesOf, isPathError, type Snapshot } from "@toolmount/paths";
import { z } from "zod";
import { deletedEntry, madeFolders, movedEntry, writtenFile } from "./kept-state.ts";
import { Overlay } from "./overlay.ts";
import { effectOf, stateAt } from "./preview.ts";
import { StagedTree, type Staged } from "./staged-tree.ts";
import type { Workspace } from "./workspace.ts";

/** Maximum number of lines of the difference of one file that are shown. */
const maxLines = 400;

const keptState = z.union([writtenFile, madeFolders, movedEntry, deletedEntry]);

type Difference = (changes: readonly UndoRequest[]) => Promise<readonly PreviewedEffect[]>;

const readers = new WeakMap<Workspace, Difference>();

/**
 * Returns a function that compares files with their state before given changes by the workspace's file tools. All these tools
 * share it. It reverses the changes in memory, the newest first, over files that are only read. Then it compares each place
 * that a change touched with the disk.
 */
export function differenceIn(workspace: Workspace): Difference {
  const known = readers.get(workspace);
  if (known !== undefined) return known;
  const read: Difference = async (changes) => {
    const past = new Past(workspace);
    for (const { data } of changes) await past.reverse(keptState.parse(data));
    return past.effects();
  };
  readers.set(workspace, read);
  return read;
}

/** The files in their state before some changes, in memory over those of the disk. */
class Past {
  readonly #workspace: Workspace;
  readonly #staged: Staged = { nodes: new Map(), version: 0 };
  readonly #tree: StagedTree;
  readonly #before: Overlay;
  readonly #places = new Set<string>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#tree = new StagedTree(workspace.files, this.#staged);
    this.#before = new Overlay(workspace.files, this.#staged);
  }

  /** Reverses one change; later changes must have been reversed before. */
  async reverse(kept: z.output<typeof keptState>): Promise<void> {
    if ("before" in kept) this.#put(kept.path, kept.before);
    else if ("entry" in kept) this.#put(kept.path, kept.entry);
    else if ("from" in kept) await this.#moveBack(kept);
    else for (const path of kept.made) this.#put(path, null);
  }

  #put(path: string, entry: Snapshot | null): void {
    this.#places.add(path);
    if (entry === null) return this.#tree.put(path, { kind: "gone" });
    if (entry.kind === "link") return this.#tree.put(path, entry);
    if (entry.kind === "file") return this.#tree.put(path, this.#tree.fileOf(bytesOf(entry)));
    this.#tree.put(path, { kind: "directory" });
    for (const [name, below] of entry.entries) this.#put(join(path, name), below);
  }

  async #moveBack({ from, to, over }: { from: string; to: string; over: Snapshot | null }): Promise<void> {
    this.#places.add(from);
    try {
      await this.#before.move(to, from, { overwrite: true });
    } catch (thrown) {
      if (!isPathError(thrown)) throw thrown; // something else has moved it since
    }
    this.#put(to, over);
  }

  async effects(): Promise<readonly PreviewedEffect[]> {
    const { files, workingDir } = this.#workspace;
    const base = await files.locate(workingDir, "read").catch(() => ({ real: workingDir }));
    const now = new Overlay(files, { nodes: new Map(), version: 0 });
    const effects: PreviewedEffect[] = [];
    for (const path of [...this.#places].toSorted()) {
      const [before, after] = [await stateAt(this.#before, path), await stateAt(now, path)];
      effects.push(...effectOf(nameIn(base.real, path), before, after, maxLines));
    }
    return effects;
  }
}

/** Returns a path in the form that people write: relative to the working folder if it is below that. */
function nameIn(folder: string, path: string): string {
  const own = relative(folder, path);
  return own === "" || own.startsWith("..") || isAbsolute(own) ? path : own;
}

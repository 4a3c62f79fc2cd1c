import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { ToolmountError } from "@toolmount/core";
import { findProgram, type SandboxLaunch } from "../system/bubblewrap.ts";
import { conflictsOf, type Conflict } from "./conflicts.ts";
import type { Difference, LayerChange } from "./difference.ts";
import { createTurns, onWanted, takeWanted, withFolderLock, type Unlock } from "./folder-lock.ts";
import { removeTree, writeRecord } from "./durable.ts";
import { openFork } from "./fork.ts";
import { createGit } from "./git.ts";
import { endLeftHolder, type EngineName } from "./holder.ts";
import { keepChosen, keepsIn, orUnfinished, type Choice, type KeepResult, type LayerKeeps } from "./keep.ts";
import { recoverKeeps } from "./keeps.ts";
import { obeyedIn } from "./obeyed-paths.ts";
import { movesOf, sidesOf, textsOf, type Sides, type Texts } from "./texts.ts";
import type { LayerOptions, ViewOptions } from "./mount.ts";
import { above, ownFolder } from "./folder-facts.ts";
import { forgetOldKeeps, makePlace, ownerFile, removeOwnFolder, removePlace, removeUnused } from "./place.ts";
import { prepareView, type LayerView, type View } from "./view.ts";

/** The command of a program in a layer, and the view that it will have. */
export interface Entered extends LayerView {
  readonly launch: SandboxLaunch;
}

/**
 * A folder as a session changes it. The folder itself changes only when a person keeps changes. This is true of files alone:
 * other effects of programs, such as requests, happen at once.
 */
export interface Layer extends LayerKeeps {
  /** The folder whose changes wait, as a path without links. */
  readonly folder: string;
  readonly engine: EngineName;
  /**
   * The folder for temporary files of programs in the layer. It may not exist yet; a program may make it. It is removed with
   * the view.
   */
  readonly temporary: string;
  /**
   * Returns the command that starts a program in the layer. The program has to start before the next request to the layer. A
   * resident waits in the layer for calls and ends when the view is mounted again, which changes `folder`.
   */
  enter(launch: SandboxLaunch, isResident?: boolean): Promise<Entered>;
  /** Mounts the view again if the person has changed something since, unless a program runs in the layer. */
  renew(): Promise<LayerView>;
  difference(): Promise<Difference>;
  /** Returns what both the layer and the person changed. A choice that includes one of these paths keeps nothing. */
  conflicts(): Promise<readonly Conflict[]>;
  /** Returns the texts of an entry with a conflict: the person's, the layer's, and the one that git has stored. */
  sides(path: string): Promise<Sides>;
  /**
   * Returns the other name of each entry that was only renamed: for a deleted entry the new name, for a new entry the old one.
   */
  moves(changes: readonly LayerChange[]): ReadonlyMap<string, string>;
  /**
   * Of the folders that contain the changes, returns those that the person's repository ignores. Some of these may exist only in
   * the layer.
   */
  ignored(changes: readonly LayerChange[]): Promise<readonly string[]>;
  /** Returns both sides of a change, as texts. */
  texts(change: LayerChange): Texts;
  /** Whether a program runs in the layer, other than residents. A keep ends it. */
  isBusy(): Promise<boolean>;
  /** Returns the commands that run in the layer now, other than residents. */
  running(): Promise<readonly string[]>;
  /** Ends every program in the layer, and moves the chosen changes into the folder: all or none. */
  keep(choice: Choice): Promise<KeepResult>;
  /** Ends every program in the layer and forgets its changes. */
  drop(): Promise<void>;
  /**
   * Opens a copy of this layer with its changes. The copy is thrown away when it is closed, and everything that its programs do
   * stays in it: they have no network, and the rest of the disk is read-only. Rejects if it cannot be opened.
   */
  fork(options?: Pick<LayerOptions, "isWorking">): Promise<Layer>;
  /** Ends every program in the layer. Its changes stay for the next opening. */
  close(): Promise<void>;
}

/** Seconds after which the kernel has certainly released the lock of a process that died. */
const openSeconds = 5;

/**
 * Opens the layer of a folder, and finishes a keep or an undo during which a process died. Returns a problem if the machine or
 * the folder cannot have a layer. Only one process at a time can have a layer open.
 */
export function openLayer(
  options: LayerOptions,
): Promise<Layer | { readonly problem: string; readonly isBusy?: true }> {
  return openLayerBelow("layers", options);
}

/** Opens a layer whose files are in `.toolmount`, below the folder `group`. */
async function openLayerBelow(
  group: string,
  options: LayerOptions & Pick<ViewOptions, "isFork">,
): ReturnType<typeof openLayer> {
  const { name, env } = options;
  if (!/^[\w-]{1,64}$/.test(name)) return { problem: `"${name}" cannot name a layer` };
  if (process.platform !== "linux") return { problem: "a layer needs Linux" };
  if (findProgram("flock", env["PATH"]) === undefined)
    return { problem: "flock is not on PATH; install the package util-linux" };
  const folder = realpathSync(options.folder);
  const made = makePlace(folder, group, name);
  if ("problem" in made) return { problem: `no layer for ${folder}: ${made.problem}` };
  const { layers, place } = made;
  const taken = await takeWanted(place, env, openSeconds);
  if (taken === undefined)
    return { problem: `no layer for ${folder}: another process has the layer "${name}" open`, isBusy: true };
  const isAsked = options.onWanted !== undefined;
  const unlock = isAsked ? onWanted(place, taken, () => options.onWanted?.()) : taken;
  const at = {
    ...options,
    folder,
    place,
    git: createGit(env),
    obeyedIn: obeyedIn(folder, options.obeyed),
  };
  try {
    const layer = await withFolderLock(layers, env, () => openLocked(at, layers, unlock));
    if (!("problem" in layer)) return layer;
    removeUnused(place);
    await unlock();
    return layer;
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function openLocked(
  at: ViewOptions & LayerOptions,
  layers: string,
  unlock: Unlock,
): Promise<Layer | { readonly problem: string }> {
  await endLeftHolder(at.place);
  const view = await prepareView(at);
  if ("problem" in view) return { problem: `no layer for ${at.folder}: ${view.problem}` };
  await recoverKeeps({ ...at, engine: view.engine });
  forgetOldKeeps(at, layers);
  if (at.owner !== undefined) writeRecord(ownerFile(at.place), at.owner);
  return layerOf(at, { layers, unlock }, view);
}

interface Locks {
  /** The folder with all layers of the person's folder. */
  readonly layers: string;
  /** Releases the layer for other processes. */
  readonly unlock: Unlock;
}

function layerOf(at: ViewOptions & LayerOptions, { layers, unlock }: Locks, first: View): Layer {
  const inTurn = createTurns();
  const keeping = { ...at, engine: first.engine };
  let view = first;
  /** Returns the view; makes it again if its changes were dropped. */
  const current = async () => {
    if (!view.isDropped()) return view;
    const made = await prepareView(at);
    if ("problem" in made)
      throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "layer", problem: made.problem });
    keeping.engine = made.engine;
    return (view = made);
  };
  /** Whether a keep or an undo failed after it had begun, for example on a full disk. The next action finishes it. */
  let isUnfinished = false;
  let isClosed = false;
  const alone = <Result>(act: () => Promise<Result>) =>
    withFolderLock(layers, at.env, async () => {
      if (isUnfinished) await recoverKeeps(keeping);
      isUnfinished = true;
      const result = await act();
      isUnfinished = false;
      return result;
    });
  /** Runs an action in its turn, after an unfinished keep has been finished. */
  const settled = <Result>(act: (view: View) => Promise<Result>) =>
    inTurn(async () => {
      if (isClosed) throw new Error(`the layer of ${at.folder} is closed`);
      if (isUnfinished) await alone(() => view.end());
      return act(await current());
    });
  return {
    folder: at.folder,
    engine: first.engine.name,
    temporary: join(at.place, "tmp"),
    enter: (launch, isResident) => settled((now) => now.enter(launch, isResident)),
    renew: () => settled((now) => now.renew()),
    ...looksAt(at, settled),
    keep: (choice) => orUnfinished(settled((now) => alone(() => keepChosen(at, now, choice)))),
    ...keepsIn(keeping, { settled, alone }),
    drop: () => settled((now) => alone(() => now.drop())),
    fork: (options) => settled(() => openFork<Layer>({ at, layers, open: openLayerBelow }, options)),
    close: () =>
      inTurn(async () => {
        if (isClosed) return;
        isClosed = true;
        await closeView(at, view);
        await unlock();
      }),
  };
}

/** Closes a view. A layer without changes, and without keeps that can be undone, is removed from the disk. */
async function closeView({ place, isFork }: ViewOptions, view: View): Promise<void> {
  await view.end();
  if (isFork === true) return removePlace(place);
  if (!view.isDropped() && view.engine.isUnchanged()) await view.drop();
  removeUnused(place);
}

/** Returns the functions of a layer that only read. */
function looksAt(
  at: ViewOptions,
  settled: <Result>(act: (view: View) => Promise<Result>) => Promise<Result>,
): Pick<Layer, "difference" | "conflicts" | "sides" | "moves" | "ignored" | "texts" | "isBusy" | "running"> {
  return {
    difference: () => settled(async (now) => (await now.settled()).difference),
    conflicts: () =>
      settled(async (now) => {
        const { difference, ...meeting } = await now.settled();
        return conflictsOf(difference.changes, { ...at, ...meeting });
      }),
    sides: (path) => sidesOf(at, path),
    moves: (changes) => movesOf(at, changes),
    ignored: (changes) => at.git.ignored(at.folder, [...new Set(changes.flatMap(({ path }) => above(path)))]),
    texts: (change) => textsOf(at, change),
    isBusy: () => settled((now) => now.isBusy()),
    running: () => settled((now) => now.running()),
  };
}

/** Opens a layer of a folder and removes it again. Returns its engine, or why the machine or the folder cannot have a layer. */
export async function proveLayer(
  options: Pick<LayerOptions, "folder" | "env">,
): Promise<Pick<Layer, "engine"> | { readonly problem: string }> {
  const group = `proof-${randomUUID()}`;
  try {
    const layer = await openLayerBelow(group, { ...options, name: "proof", obeyed: [] });
    if ("problem" in layer) return layer;
    await layer.drop();
    await layer.close();
    return { engine: layer.engine };
  } finally {
    removeTree(join(options.folder, ownFolder, group));
    // If the folder did not exist before the proof, it is removed again.
    removeOwnFolder(options.folder);
  }
}

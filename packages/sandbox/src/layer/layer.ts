import { lstatSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolmountError } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { makeFolder } from "@toolmount/paths";
import { findProgram, type SandboxLaunch } from "../system/bubblewrap.ts";
import { chosenOf, type Choice } from "./choice.ts";
import { conflictsOf, type Conflict } from "./conflicts.ts";
import { obeyedIn, type Difference } from "./difference.ts";
import { ownFolder } from "./folder-facts.ts";
import { takeLock, withFolderLock, type Unlock } from "./folder-lock.ts";
import { createGit } from "./git.ts";
import { endLeftHolder, type EngineName } from "./holder.ts";
import {
  commitChanges,
  forgetKeep,
  keepsOf,
  recoverKeeps,
  repositoriesOf,
  undoKeep,
  type UndoResult,
} from "./keeps.ts";
import type { ViewOptions } from "./mount.ts";
import { prepareView, type LayerView, type View } from "./view.ts";

/** The folder and the name of a layer. */
export interface LayerOptions {
  /** The folder whose changes wait. Files of the layer are below `.toolmount/layers` in it. */
  readonly folder: string;
  /** Names the layer in its folder: that of a session. Letters, digits, `_` and `-`. */
  readonly name: string;
  /** `PATH`, on which the programs of the system are found, and `HOME` for git. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The only engine that may be used; the first that works here without. */
  readonly engine?: EngineName | undefined;
  /**
   * What the person's next command runs or obeys: absolute paths, and names in any folder, such as `**` + `/.envrc`. It is kept by
   * a yes of its own.
   */
  readonly obeyed: readonly string[];
  /** Whether a resident works: then the view is not mounted again. */
  isWorking?(): boolean;
}

/** A program's start in a layer, and what it will see. */
export interface Entered extends LayerView {
  readonly launch: SandboxLaunch;
}

/** What a keep did. Nothing was changed unless it is `kept`. */
export type KeepResult =
  | {
      readonly status: "kept";
      readonly id: string;
      readonly changes: number;
      /** Chosen paths that need a replaced file which was not chosen. */
      readonly withheld: readonly string[];
    }
  /** The choice has no change that can be kept. */
  | { readonly status: "nothing"; readonly withheld: readonly string[] }
  /** The difference is another one than the person saw. */
  | { readonly status: "changed"; readonly difference: Difference }
  | { readonly status: "conflicts"; readonly conflicts: readonly Conflict[] }
  /** A git command runs in the person's repository. */
  | { readonly status: "busy"; readonly repository: string };

/** The files of a folder as a session changes them. Nothing in the folder changes before a keep. Only files wait. */
export interface Layer {
  readonly engine: EngineName;
  /** A folder for temporary files of programs in the layer, which may have to make it. It ends with the view. */
  readonly temporary: string;
  /**
   * How a program is started in the layer. It must be started before anything else is asked of the layer. A resident waits in the
   * layer for calls: it ends when the view is mounted again, which changes `folder`.
   */
  enter(launch: SandboxLaunch, isResident?: boolean): Promise<Entered>;
  /** Shows what the person changed meanwhile, unless a program runs in the layer. */
  renew(): Promise<LayerView>;
  difference(): Promise<Difference>;
  /** Whether a program runs in the layer, other than residents. A keep ends it. */
  isBusy(): Promise<boolean>;
  /** Ends every program in the layer, and moves the chosen changes into the folder: all or none. */
  keep(choice: Choice): Promise<KeepResult>;
  /** The keeps that can be undone, the oldest first. */
  keeps(): readonly string[];
  /** Puts back what was before a keep, unless the person changed something of it since. */
  undo(id: string): Promise<UndoResult>;
  /** Removes the former entries of a keep, which can be undone no longer. */
  forget(id: string): Promise<void>;
  /** Ends every program in the layer and forgets its changes. */
  drop(): Promise<void>;
  /** Ends every program in the layer. Its changes wait for the next opening. */
  close(): Promise<void>;
}

/** Seconds in which the kernel surely gives back the lock of a process that died. */
const openSeconds = 5;

/**
 * Opens the layer of a folder, and finishes a keep or an undo during which a process died. Returns why the machine or the
 * folder cannot have one. One process at a time has a layer open.
 */
export async function openLayer(options: LayerOptions): Promise<Layer | { readonly problem: string }> {
  const { name, env } = options;
  if (!/^[\w-]{1,64}$/.test(name)) return { problem: `"${name}" cannot name a layer` };
  if (process.platform !== "linux") return { problem: "a layer needs Linux" };
  if (findProgram("flock", env["PATH"]) === undefined)
    return { problem: "flock is not on PATH; install the package util-linux" };
  const folder = realpathSync(options.folder);
  const layers = join(folder, ownFolder, "layers");
  const place = join(layers, name);
  try {
    makeFolder(place, 0o700);
    // A repository around the folder takes none of its files for the person's.
    writeFileSync(join(layers, ".gitignore"), "*\n");
  } catch (error) {
    return { problem: `no layer for ${folder}: its files cannot be in ${place}: ${messageOf(error)}` };
  }
  if (realpathSync(place) !== place || lstatSync(place).dev !== lstatSync(folder).dev)
    return { problem: `no layer for ${folder}: its "${ownFolder}" leads to another folder or file system` };
  const unlock = await takeLock(place, env, openSeconds);
  if (unlock === undefined)
    return { problem: `no layer for ${folder}: another process has the layer "${name}" open` };
  const at: ViewOptions = {
    ...options,
    folder,
    place,
    git: createGit(env),
    obeyedIn: obeyedIn(folder, options.obeyed),
  };
  try {
    const layer = await withFolderLock(layers, env, () => openLocked(at, layers, unlock));
    if ("problem" in layer) await unlock();
    return layer;
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function openLocked(
  at: ViewOptions,
  layers: string,
  unlock: Unlock,
): Promise<Layer | { readonly problem: string }> {
  await endLeftHolder(at.place);
  const view = await prepareView(at);
  if ("problem" in view) return { problem: `no layer for ${at.folder}: ${view.problem}` };
  await recoverKeeps({ ...at, engine: view.engine });
  return layerOf(at, { layers, unlock }, view);
}

interface Locks {
  /** The folder of all layers of the person's folder. */
  readonly layers: string;
  /** Lets another process open the layer. */
  readonly unlock: Unlock;
}

function layerOf(at: ViewOptions, { layers, unlock }: Locks, first: View): Layer {
  const inTurn = createTurns();
  const keeping = { ...at, engine: first.engine };
  let view = first;
  /** The view, made again after its changes were dropped. */
  const current = async () => {
    if (!view.isDropped()) return view;
    const made = await prepareView(at);
    if ("problem" in made)
      throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "layer", problem: made.problem });
    keeping.engine = made.engine;
    return (view = made);
  };
  /** Whether a keep or an undo failed after it was decided, such as on a full disk. The next act finishes it. */
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
  /** Does something in its turn, when no keep is unfinished. */
  const settled = <Result>(act: (view: View) => Promise<Result>) =>
    inTurn(async () => {
      if (isClosed) throw new Error(`the layer of ${at.folder} is closed`);
      if (isUnfinished) await alone(() => view.end());
      return act(await current());
    });
  return {
    engine: first.engine.name,
    temporary: join(at.place, "tmp"),
    enter: (launch, isResident) => settled((now) => now.enter(launch, isResident)),
    renew: () => settled((now) => now.renew()),
    difference: () => settled((now) => now.difference()),
    isBusy: () => settled((now) => now.isBusy()),
    keep: (choice) => settled((now) => alone(() => keepChosen(at, now, choice))),
    keeps: () => keepsOf(at.place),
    undo: (id) =>
      settled((now) =>
        alone(async () => {
          await now.rebase();
          return undoKeep(keeping, id);
        }),
      ),
    forget: (id) => settled(() => alone(async () => forgetKeep(at, id))),
    drop: () => settled((now) => alone(() => now.drop())),
    close: () =>
      inTurn(async () => {
        if (isClosed) return;
        isClosed = true;
        await view.end();
        await unlock();
      }),
  };
}

async function keepChosen(at: ViewOptions, view: View, choice: Choice): Promise<KeepResult> {
  const { folder, git } = at;
  return view.alone(async ({ difference, changed, base }) => {
    if (difference.digest !== choice.digest) return { status: "changed", difference };
    const { changes, withheld } = chosenOf(difference, choice);
    if (changes.length === 0) return { status: "nothing", withheld };
    for (const repository of repositoriesOf(folder, changes))
      if (!(await git.isFree(repository))) return { status: "busy", repository };
    const conflicts = await conflictsOf(changes, { folder, changed, base, git });
    if (conflicts.length > 0) return { status: "conflicts", conflicts };
    const id = await commitChanges({ ...at, engine: view.engine }, changes, {
      all: difference.changes,
      hasLeft: difference.left.length > 0,
      mark: choice.mark,
    });
    return { status: "kept", id, changes: changes.length, withheld };
  });
}

/** Does one thing after the other, in the order in which they were asked for. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(act: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(act);
    last = mine.catch(() => {});
    return mine;
  };
}

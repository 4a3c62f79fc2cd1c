import { join } from "node:path";
import { ToolmountError } from "@toolmount/core";
import { baseFile, laterBase, readBase, writeBase, type Base, type Moment } from "./base.ts";
import { changedFolder } from "./commit.ts";
import { removeTree } from "./durable.ts";
import type { Engine } from "./engine.ts";
import { factsOf, nowOf, ownFolder } from "./folder-facts.ts";
import { indexesIn, refsIn, repositoryOf, type Git } from "./git.ts";
import { startHolder, type EngineName, type Holder, type LayerPlace } from "./holder.ts";
import { markOf, namesIn } from "../system/mark.ts";

/** The folder, the name and the engine of a layer to open, and what the layer needs of this process. */
export interface LayerOptions {
  /** The folder whose changes wait. The layer's files are in it, below `.toolmount/layers`. */
  readonly folder: string;
  /** Name of the layer in its folder, which is that of a session. Letters, digits, `_` and `-`. */
  readonly name: string;
  /** `PATH`, on which the programs of the system are found, and `HOME` for git. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The only engine that may be used. Default: the first that works here. */
  readonly engine?: EngineName | undefined;
  /**
   * Files that the person's next command would run, or read as settings, as absolute paths or as names in any folder, such as
   * `**` + `/.envrc`. The person has to accept changes of them separately.
   */
  readonly obeyed: readonly string[];
  /** The session to which the layer belongs, for `layersIn`. */
  readonly owner?: string | undefined;
  /** Whether a resident is working, so that the view must not be mounted again. */
  isWorking?(): boolean;
  /** Called when another process wants to open the layer, which succeeds if this process closes the layer within some seconds. */
  onWanted?(): void;
}

/** Everything that is needed to make a view. */
export interface ViewOptions extends LayerPlace {
  readonly engine?: EngineName | undefined;
  readonly git: Git;
  /** Returns a test for paths that the person's next command would run or read as settings, given the layer's view. */
  obeyedIn(view: string): (path: string) => boolean;
  /** Whether a resident is working. */
  isWorking?(): boolean;
}

/** A mounted view, and the state of the person's folder when it was mounted. */
export interface Held {
  readonly holder: Holder;
  readonly base: Base;
}

/** Returns functions that mount the view of a layer when it is needed, and end it. */
export function createMount(at: ViewOptions, engine: Engine) {
  let held: Held | undefined;
  /**
   * Mounts the view, and stores the present state of the person's folder. Paths that the layer has changed keep their earlier
   * states.
   */
  const start = async (): Promise<Held> => {
    const { folder, place } = at;
    const before = readBase(baseFile(place))!;
    const since = nowOf(place);
    const started = () => engine.start(before, () => mounted(at, engine.name));
    const { holder, touched } = await whole(started, async (each) => each);
    const { listing } = await factsOf(folder);
    const base = laterBase(before, await momentOf(at, { since, listing }), touched);
    writeBase(baseFile(place), base);
    return (held = { holder, base });
  };
  return {
    async current() {
      if (held?.holder.isAlive() === true) return held;
      // The kernel allows no second mount while the first one ends.
      await held?.holder.end();
      return start();
    },
    async end() {
      await held?.holder.end();
      held = undefined;
      emptyOwn(join(at.place, changedFolder, ownFolder));
    },
  };
}

/**
 * Empties toolmount's own folder, into which programs may have written, and which is never part of the layer. The folder itself
 * stays, because its removal would change the time of the folder around it.
 */
function emptyOwn(own: string): void {
  if (markOf(own)?.kind !== "folder") return removeTree(own);
  for (const name of namesIn(own)) removeTree(join(own, name));
}

/** Returns the state of the person's folder at a moment. */
export async function momentOf(
  { folder, git }: ViewOptions,
  { since, listing }: Pick<Moment, "since" | "listing">,
): Promise<Moment> {
  const staged = new Map<string, string>();
  for (const index of indexesIn(listing)) {
    const digest = await git.staged(join(folder, repositoryOf(index)), join(folder, index));
    if (digest !== undefined) staged.set(index, digest);
  }
  return { since, listing, refs: refsIn(folder, listing), staged };
}

/** Mounts the view; throws `SANDBOX_UNAVAILABLE` if the machine cannot. */
export async function mounted(at: ViewOptions, name: EngineName): Promise<Holder> {
  const holder = await startHolder(name, at);
  if ("problem" in holder)
    throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "layer", problem: holder.problem });
  return holder;
}

/** How often a view may end while something is read from it, for example on a machine without free memory. */
const mostEnds = 3;

/**
 * Reads something in a view, and again in a new view if the first process was killed meanwhile, because everything that the
 * view had shown would then look deleted.
 */
export async function whole<Shown extends { readonly holder: Holder }, Result>(
  view: () => Promise<Shown>,
  read: (shown: Shown) => Promise<Result>,
): Promise<Result> {
  for (let ends = 0; ends < mostEnds; ends += 1) {
    const shown = await view();
    const result = await read(shown);
    if (shown.holder.isAlive()) return result;
    await shown.holder.end();
  }
  throw new Error(`the first process of the layer was killed ${mostEnds} times while the layer was read`);
}

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
  /** The session whose layer it is, for `layersIn`. */
  readonly owner?: string | undefined;
  /** Whether a resident works: then the view is not mounted again. */
  isWorking?(): boolean;
  /** Another process wants to open the layer. It gets it if this one closes it within some seconds. */
  onWanted?(): void;
}

/** What a view is made of. */
export interface ViewOptions extends LayerPlace {
  readonly engine?: EngineName | undefined;
  readonly git: Git;
  /** Returns what tests whether the next command runs or obeys a path, given what the layer shows. */
  obeyedIn(view: string): (path: string) => boolean;
  /** Whether a resident works. */
  isWorking?(): boolean;
}

/** What is mounted, and what the person's folder was when it was. */
export interface Held {
  readonly holder: Holder;
  readonly base: Base;
}

/** Mounts the view of a layer when it is needed. */
export function createMount(at: ViewOptions, engine: Engine) {
  let held: Held | undefined;
  /** Mounts the view, and notes what the person's folder is now. What the layer had changed keeps the moment when it did. */
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
 * Programs may have written into toolmount's own folder, which is never part of the layer. It stays: else the time of the
 * folder around it would change.
 */
function emptyOwn(own: string): void {
  if (markOf(own)?.kind !== "folder") return removeTree(own);
  for (const name of namesIn(own)) removeTree(join(own, name));
}

/** What the person's folder is at a moment. */
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

/** Mounts the view. */
export async function mounted(at: ViewOptions, name: EngineName): Promise<Holder> {
  const holder = await startHolder(name, at);
  if ("problem" in holder)
    throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "layer", problem: holder.problem });
  return holder;
}

/** Most views that end while one thing is read, such as on a machine without memory. */
const mostEnds = 3;

/**
 * Reads something in a view, and again in another one where its first process was killed meanwhile: then all that it had
 * shown would look deleted.
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

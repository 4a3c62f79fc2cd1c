import { join } from "node:path";
import type { SandboxLaunch } from "../system/bubblewrap.ts";
import { baseFile, readBase, writeBase, type Base } from "./base.ts";
import { makeCopy } from "./copy-engine.ts";
import { differenceOf, type Compared, type Difference } from "./difference.ts";
import { readRecord, removeTree, writeRecord } from "./durable.ts";
import { changedFolder } from "./commit.ts";
import { makeOverlay, type Engine, type MakeEngine } from "./engine.ts";
import { changesSince, factsOf, nowOf, type FolderFacts } from "./folder-facts.ts";
import { gitPartOf, repositoryOf } from "./git.ts";
import { startHolder, type EngineName } from "./holder.ts";
import { createMount, momentOf, mounted, whole, type Held, type ViewOptions } from "./mount.ts";

/** The view of a layer, and how it differs from the person's folder now. */
export interface LayerView {
  /** The folder as the layer shows it, as a path for this process. Absolute links in it lead out of the layer. */
  readonly folder: string;
  /** Paths that the person changed since the view was mounted, except for those that git writes. */
  readonly changedBelow: readonly string[];
  /** Whether the layer shows these changes, which it cannot as long as a program runs in it. */
  readonly isCurrent: boolean;
}

/** The difference of a layer at a moment, and the states from which it was computed. */
interface Settled {
  readonly difference: Difference;
  readonly base: Base;
  /** The folder with the layer's own entries. */
  readonly changed: string;
}

/** A layer's view of the folder. Its functions mount it when they need it. */
export interface View {
  readonly engine: Engine;
  enter(launch: SandboxLaunch, isResident?: boolean): Promise<LayerView & { readonly launch: SandboxLaunch }>;
  renew(): Promise<LayerView>;
  /** Returns the present difference. Programs may be running meanwhile. */
  settled(): Promise<Settled>;
  isBusy(): Promise<boolean>;
  running(): Promise<readonly string[]>;
  /** Ends every program, and mounts the view again, so that kept changes count as the person's. */
  rebase(): Promise<void>;
  /** Ends every program, and runs `act` with the difference while nothing is mounted. */
  alone<Result>(act: (settled: Settled) => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
  drop(): Promise<void>;
  isDropped(): boolean;
}

const engines: Readonly<Record<EngineName, MakeEngine>> = { overlay: makeOverlay, copy: makeCopy };

export const engineFile = (place: string) => join(place, "engine.json");

/** Chooses an engine. For a new layer, stores the state of the person's folder, as of before its files are shown or copied. */
export async function prepareView(at: ViewOptions): Promise<View | { readonly problem: string }> {
  const { folder, place } = at;
  const before = readBase(baseFile(place));
  const since = nowOf(place);
  const facts = await factsOf(folder);
  const used = before === undefined ? undefined : (readRecord(engineFile(place)) as EngineName | undefined);
  const engine = await chooseEngine({ ...at, engine: used ?? at.engine }, facts, before === undefined);
  if ("problem" in engine) return engine;
  if (before === undefined) {
    writeRecord(engineFile(place), engine.name);
    const moment = await momentOf(at, { since, listing: facts.listing });
    writeBase(baseFile(place), { ...moment, earlier: new Map() });
  }
  return createView(at, engine);
}

async function chooseEngine(
  at: ViewOptions,
  facts: FolderFacts,
  isNew: boolean,
): Promise<Engine | { readonly problem: string }> {
  if (facts.unreadable !== undefined) return { problem: `"${facts.unreadable}" cannot be read` };
  if (facts.mount !== undefined)
    return { problem: `"${facts.mount}" is a mount or a subvolume, and files cannot be moved out of it` };
  const names = at.engine === undefined ? (["overlay", "copy"] as const) : [at.engine];
  const problems: string[] = [];
  for (const name of names) {
    if (isNew) for (const each of [changedFolder, "work"]) removeTree(join(at.place, each));
    const engine = await engines[name](at, facts, isNew);
    if (!("problem" in engine)) {
      const holder = await startHolder(name, at);
      if (!("problem" in holder)) {
        await holder.end();
        return engine;
      }
      problems.push(holder.problem);
    } else problems.push(engine.problem);
  }
  return { problem: problems.join("; ") };
}

function createView(at: ViewOptions, engine: Engine): View {
  const mount = createMount(at, engine);
  let isDropped = false;
  const renew = async () => {
    const held = await mount.current();
    const view = await seenBelow(at, engine, held);
    if (!view.isChanged || !view.isCurrent) return { ...view, held };
    await mount.end();
    const next = await mount.current();
    return { ...view, folder: next.holder.view, held: next };
  };
  return {
    engine,
    end: () => mount.end(),
    async rebase() {
      await mount.end();
      await mount.current();
      await mount.end();
    },
    isDropped: () => isDropped,
    async renew() {
      const { folder, changedBelow, isCurrent } = await renew();
      return { folder, changedBelow, isCurrent };
    },
    async enter(launch, isResident) {
      const { folder, changedBelow, isCurrent, held } = await renew();
      return { folder, changedBelow, isCurrent, launch: held.holder.enter(launch, isResident) };
    },
    isBusy: async () => (await mount.current()).holder.isBusy(),
    running: async () => (await mount.current()).holder.running(),
    async settled() {
      const view = async () => (await renew()).held;
      return whole(view, async (held) =>
        settledOf(at, await differenceOf(compared(at, engine, held)), held.base),
      );
    },
    async alone(act) {
      const { base } = await mount.current();
      await mount.end();
      const view = async () => ({ holder: await mounted(at, engine.name), base });
      const read = async (held: Held) => ({
        difference: await differenceOf(compared(at, engine, held)),
        holder: held.holder,
      });
      const { difference, holder } = await whole(view, read);
      await holder.end();
      return act(settledOf(at, difference, base));
    },
    async drop() {
      await mount.end();
      isDropped = true;
      for (const name of ["base.json", changedFolder, "work", "copied.json"])
        removeTree(join(at.place, name));
    },
  };
}

function settledOf({ place }: ViewOptions, difference: Difference, base: Base): Settled {
  return { difference, base, changed: join(place, changedFolder) };
}

/** Returns what the person changed since the view was mounted, and whether the view can be mounted again to show it. */
async function seenBelow(
  at: ViewOptions,
  { name }: Engine,
  { holder, base }: Held,
): Promise<LayerView & { readonly isChanged: boolean }> {
  const found = await changesSince(at.folder, base.listing, { since: base.since, isDeep: name === "copy" });
  const seen = found.filter(isSeen);
  const changedBelow = seen.filter((path) => gitPartOf(path) === undefined);
  const isChanged = seen.length > 0;
  return {
    folder: holder.view,
    changedBelow,
    isChanged,
    isCurrent: !isChanged || !(at.isWorking?.() === true || holder.isBusy()),
  };
}

/** Returns what is needed to compare the layer with the person's folder. */
function compared(at: ViewOptions, engine: Engine, { holder, base }: Held): Compared {
  const { folder, place, git } = at;
  const changed = join(place, changedFolder);
  return {
    folder,
    view: holder.view,
    changed,
    base,
    isTouched: (path, mark) => engine.isTouched(path, mark),
    isObeyed: at.obeyedIn(holder.view),
    async isStagedAnew(path) {
      const now = await git.staged(join(folder, repositoryOf(path)), join(changed, path));
      return now === undefined || now !== base.staged.get(path);
    },
  };
}

/** Whether a change of the person must be shown. Git writes its notes at any command, and new objects come with new refs. */
function isSeen(path: string): boolean {
  const part = gitPartOf(path);
  return part === undefined || part === "ref" || part === "setting";
}

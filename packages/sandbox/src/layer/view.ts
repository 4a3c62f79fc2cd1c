import { join } from "node:path";
import { ToolmountError } from "@toolmount/core";
import type { SandboxLaunch } from "../system/bubblewrap.ts";
import { baseFile, laterBase, readBase, writeBase, type Base, type Moment } from "./base.ts";
import { makeCopy } from "./copy-engine.ts";
import { differenceOf, type Compared, type Difference } from "./difference.ts";
import { readRecord, removeTree, writeRecord } from "./durable.ts";
import { changedFolder } from "./commit.ts";
import { makeOverlay, type Engine, type MakeEngine } from "./engine.ts";
import { changesSince, factsOf, nowOf, ownFolder, type FolderFacts } from "./folder-facts.ts";
import { gitPartOf, refsIn, repositoriesIn, type Git } from "./git.ts";
import { startHolder, type EngineName, type Holder, type LayerPlace } from "./holder.ts";

/** What a view is made of. */
export interface ViewOptions extends LayerPlace {
  readonly engine?: EngineName | undefined;
  readonly git: Git;
  isObeyed(path: string): boolean;
  /** Whether a resident works. */
  isWorking?(): boolean;
}

/** What a layer shows. */
export interface LayerView {
  /** The folder as the layer shows it, for a look by this process. Links in it lead out of the layer. */
  readonly folder: string;
  /** What the person changed since the view was mounted, without what git writes. */
  readonly changedBelow: readonly string[];
  /** Whether the layer shows it. It does not while a program runs in the layer. */
  readonly isCurrent: boolean;
}

/** The difference of a layer, and what it was compared with. */
interface Settled {
  readonly difference: Difference;
  readonly base: Base;
  /** Where the layer's own entries are. */
  readonly changed: string;
}

/** The mounted view of a layer. It is mounted when it is needed. */
export interface View {
  readonly engine: Engine;
  enter(launch: SandboxLaunch, isResident?: boolean): Promise<LayerView & { readonly launch: SandboxLaunch }>;
  renew(): Promise<LayerView>;
  /** The difference now, while programs may run. */
  settled(): Promise<Settled>;
  isBusy(): Promise<boolean>;
  running(): Promise<readonly string[]>;
  /** Ends every program, and takes what was kept as the person's. */
  rebase(): Promise<void>;
  /** Ends every program, and does something with the difference while nothing is mounted. */
  alone<Result>(act: (settled: Settled) => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
  drop(): Promise<void>;
  isDropped(): boolean;
}

const engines: Readonly<Record<EngineName, MakeEngine>> = { overlay: makeOverlay, copy: makeCopy };

const engineFile = (place: string) => join(place, "engine.json");

/** Chooses an engine, and notes what the person's folder is before anything of it is shown or copied. */
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
  if (facts.mount !== undefined) return { problem: `"${facts.mount}" is on another file system` };
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

async function momentOf(
  { folder, git }: ViewOptions,
  { since, listing }: Pick<Moment, "since" | "listing">,
): Promise<Moment> {
  const staged = new Map<string, string>();
  for (const repository of repositoriesIn(listing)) {
    const index = join(repository, ".git/index");
    const digest = await git.staged(join(folder, repository), join(folder, index));
    if (digest !== undefined) staged.set(index, digest);
  }
  return { since, listing, refs: refsIn(folder, listing), staged };
}

/** What is mounted, and what the person's folder was when it was. */
interface Held {
  readonly holder: Holder;
  readonly base: Base;
}

function createMount(at: ViewOptions, engine: Engine) {
  let held: Held | undefined;
  /** Mounts the view, and notes what the person's folder is now. What the layer had changed keeps the moment when it did. */
  const start = async (): Promise<Held> => {
    const { folder, place } = at;
    const before = readBase(baseFile(place))!;
    const since = nowOf(place);
    const { holder, touched } = await engine.start(before, () => mounted(at, engine.name));
    const { listing } = await factsOf(folder);
    const base = laterBase(before, await momentOf(at, { since, listing }), touched);
    writeBase(baseFile(place), base);
    return (held = { holder, base });
  };
  return {
    current: async () => (held?.holder.isAlive() === true ? held : start()),
    async end() {
      await held?.holder.end();
      held = undefined;
      // Programs may have written into toolmount's own folder, which is never part of the layer.
      removeTree(join(at.place, changedFolder, ownFolder));
    },
  };
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
      const { held } = await renew();
      return settledOf(at, await differenceOf(compared(at, engine, held)), held.base);
    },
    async alone(act) {
      const { base } = await mount.current();
      await mount.end();
      const holder = await mounted(at, engine.name);
      const difference = await differenceOf(compared(at, engine, { holder, base }));
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

/** What the person changed since the view was mounted, and whether the view can be mounted again to show it. */
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

/** The layer and the person's folder, as they are compared. */
function compared(at: ViewOptions, engine: Engine, { holder, base }: Held): Compared {
  const { folder, place, git } = at;
  const changed = join(place, changedFolder);
  return {
    folder,
    view: holder.view,
    changed,
    base,
    isTouched: (path, mark) => engine.isTouched(path, mark),
    isObeyed: (path) => at.isObeyed(path),
    async isStagedAnew(path) {
      return (await git.staged(join(folder, path, "../.."), join(changed, path))) !== base.staged.get(path);
    },
  };
}

async function mounted(at: ViewOptions, name: EngineName): Promise<Holder> {
  const holder = await startHolder(name, at);
  if ("problem" in holder)
    throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "layer", problem: holder.problem });
  return holder;
}

/** Whether a person's change must be shown: git writes its notes at any command, and objects come with names for them. */
function isSeen(path: string): boolean {
  const part = gitPartOf(path);
  return part === undefined || part === "ref" || part === "setting";
}

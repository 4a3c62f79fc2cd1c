import type {
  Clock,
  Preview,
  PreviewedEffect,
  RunnerControl,
  RunnerJob,
  Timer,
  ToolReturn,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import type { Difference, Layer, LayerChange } from "@toolmount/sandbox";
import { unavailable } from "../run-failures.ts";
import { differenceOf } from "./host-layers.ts";
import {
  createSessionCalls,
  type LayerPrograms,
  type SessionCalls,
  type SessionLayers,
} from "./session-layer.ts";

/** A copy of a session's layer in which the calls of a rehearsal run. */
interface Fork {
  readonly layer: Layer;
  readonly calls: SessionCalls;
  /** The layer's difference before the next call. */
  seen: Difference;
}

interface Opened {
  readonly fork: Promise<Fork>;
  /** Resolves when the last call has ended. */
  last: Promise<unknown>;
  timer?: Timer;
  isOver: boolean;
}

interface Services {
  readonly layers: Pick<SessionLayers, "look">;
  readonly programs: () => LayerPrograms;
  readonly clock: Pick<Clock, "setTimer">;
}

/** Milliseconds after the last call of a rehearsal after which its copy is thrown away. */
const restMs = 600_000;

/** Runs the calls of each rehearsal completely, in a fork of its session's layer, and returns what each call changed there. */
export function createRehearsals({ layers, programs, clock }: Services) {
  const known = new WeakMap<object, Opened>();
  const open = new Set<Opened>();
  const at = (rehearsal: object, session: string): Opened => {
    const before = known.get(rehearsal);
    if (before !== undefined) return before;
    const opened = { fork: forkOf(layers, session, programs), last: Promise.resolve(), isOver: false };
    known.set(rehearsal, opened);
    open.add(opened);
    return opened;
  };
  const end = async (opened: Opened) => {
    opened.isOver = true;
    opened.timer?.cancel();
    open.delete(opened);
    const fork = await opened.fork.catch(() => undefined);
    await fork?.calls.end();
    await fork?.layer.close();
  };
  const rest = (opened: Opened) => {
    opened.timer?.cancel();
    if (opened.isOver) return;
    opened.timer = clock.setTimer(() => void end(opened), restMs);
    opened.timer.keepAlive(false);
  };
  return {
    async run(session: string, job: RunnerJob, control: RunnerControl): Promise<ToolReturn> {
      const opened = at(control.rehearsal!, session);
      if (opened.isOver) throw unavailable(job, "its rehearsal rested for ten minutes, and is over");
      opened.timer?.cancel();
      // The changes of a call are the difference between before and after it, so only one call runs at a time.
      const run = opened.last.then(() => runIn(opened, job, control));
      opened.last = run.catch(() => {}).then(() => rest(opened));
      return (await run) as unknown as ToolReturn;
    },
    close: async () => void (await Promise.all([...open].map(end))),
  };
}

async function forkOf(
  layers: Services["layers"],
  session: string,
  programs: Services["programs"],
): Promise<Fork> {
  const isWorking = () => calls.isWorking();
  const opening = layers.look(session, (own) => own.fork({ isWorking }));
  const calls = createSessionCalls(() => opening, programs);
  const layer = await opening;
  return { layer, calls, seen: await layer.difference() };
}

async function runIn({ fork: opening }: Opened, job: RunnerJob, control: RunnerControl): Promise<Preview> {
  const fork = await opening.catch((error: unknown) => {
    throw unavailable(job, messageOf(error));
  });
  const { instead: _, ...real } = job;
  const { rehearsal: __, ...own } = control;
  // If the call throws, its changes are shown with the next call.
  const result = await fork.calls.run(real, own);
  const before = fork.seen;
  fork.seen = await fork.layer.difference();
  return { effects: effectsOf(before, fork.seen, fork.layer), result };
}

/** Maximum number of effects on files and links that are listed. The sections `deletions` and `obeyed` are always listed. */
const mostListed = 200;

/** Returns the effects of a call, from the layer's differences before and after it. */
function effectsOf(before: Difference, after: Difference, layer: Layer): PreviewedEffect[] {
  const was = new Map(before.changes.map((change) => [change.path, change]));
  const is = new Set(after.changes.map(({ path }) => path));
  const made = after.changes.filter((change) => !isSame(was.get(change.path), change));
  const gone = after.changes.filter(({ kind }) => kind === "delete").map(({ path }) => `${path}/`);
  const undone = before.changes.filter(
    ({ path }) => !is.has(path) && !gone.some((folder) => path.startsWith(folder)),
  );
  const groups = [...Map.groupBy(made, groupOf)];
  const listed = groups.filter(([, all]) => all.some(isGrave));
  const others = groups.filter(([, all]) => !all.some(isGrave));
  const more = others.length - mostListed;
  return [
    ...[...listed, ...others.slice(0, mostListed)].map(([target, all]) =>
      all.length > 1 || target !== all[0]!.path
        ? ({ target, change: "other", difference: `${all.length} entries` } as const)
        : effectOf(all[0]!, was.has(target) ? undefined : layer),
    ),
    ...undone.map(
      ({ path, former }) => ({ target: path, change: former === null ? "delete" : "change" }) as const,
    ),
    ...(more > 0 ? [{ target: `${more} more`, change: "other" } as const] : []),
  ];
}

function isSame(before: LayerChange | undefined, { kind, next }: LayerChange): boolean {
  return before !== undefined && before.kind === kind && JSON.stringify(before.next) === JSON.stringify(next);
}

function isGrave({ section }: LayerChange): boolean {
  return section === "deletions" || section === "obeyed";
}

/** Returns the group of a change: a repository counts as one effect, and so does each folder of installed packages. */
function groupOf({ path, section }: LayerChange): string {
  if (section === "repository") return /^(?:.*?\/)?\.git(?=\/|$)/.exec(path)?.[0] ?? path;
  return /^(?:.*?\/)?node_modules(?=\/|$)/.exec(path)?.[0] ?? path;
}

const verbs = { write: "change", folder: "create", mode: "other", delete: "delete" } as const;

/** Maximum number of lines of one difference that are shown. */
const maxLines = 40;

/**
 * Returns the effect of a change. It shows the changed lines only with `layer`, which is given if no earlier call has changed
 * the same entry.
 */
function effectOf(own: LayerChange, layer: Layer | undefined): PreviewedEffect {
  const { path: target, kind, former, next } = own;
  const change = kind === "write" && former === null ? "create" : verbs[kind];
  if (kind === "mode") return { target, change, difference: `mode ${next!.mode.toString(8)}` };
  if (kind !== "write" || layer === undefined) return { target, change };
  return { target, change, difference: differenceOf(layer.texts(own), maxLines) };
}

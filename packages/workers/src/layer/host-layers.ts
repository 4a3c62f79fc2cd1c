import { userIn, type Host, type SessionCallContext, type ToolOutcome } from "@toolmount/core";
import { callInternal } from "@toolmount/core/internal";
import { lineDifference } from "@toolmount/core/text";
import type { Choice, Layer, LayerChange, Mark, Section, Texts } from "@toolmount/sandbox";
import { dropToolName, keepToolName } from "./keep-tool.ts";
import type { MadeCall, SessionLayers } from "./session-layer.ts";

/** One changed entry, in plain data. */
export interface WaitingChange {
  readonly path: string;
  /** `deletions` and `obeyed` need a yes of their own. */
  readonly section: Section;
  readonly change: "create" | "change" | "delete" | "mode";
  readonly kind: Mark["kind"];
  /** The size of the new entry, or of the deleted one. */
  readonly bytes: number;
  /** Octal digits; null where the mode is as it was. */
  readonly mode: { readonly before: string; readonly after: string } | null;
  /** The other name of an entry that only got another one: of a new entry the old one, and of a deleted one the new one. */
  readonly moved: string | null;
  /** Null for what is no short text, and for entries after the first 500. */
  readonly lines: { readonly added: number; readonly removed: number } | null;
}

/** What waits in the layer of a session. */
export interface Waiting {
  /** An answer is for exactly this difference. */
  readonly digest: string;
  readonly changes: readonly WaitingChange[];
  /** What cannot be kept, with the reason. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
  /** What you changed, too: with one of these nothing is kept. */
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[];
  /** Commands in the background that a keep or a drop ends. */
  readonly running: readonly string[];
  /** The calls that made it, as far as this process ran them. */
  readonly calls: readonly MadeCall[];
}

/** The whole difference of one entry. A part is null where a side is no short text. */
export interface EntryDifference {
  /** From the folder to the layer. */
  readonly difference: string | null;
  /** What each side changed since the repository staged or committed the file; null where that is not known, or no conflict. */
  readonly conflict: { readonly person: string; readonly session: string } | null;
}

/** A session with a layer. */
export interface WaitingSession {
  readonly session: string;
  /** How many changes wait; null where the layer is not open in this process. */
  readonly changes: number | null;
}

/** Who answers, and for which turn. */
export interface KeepContext extends SessionCallContext {
  /** The person, for the audit. */
  readonly by?: string | undefined;
}

/** What waits in the layers of a host's sessions, and the answers of a person. */
export interface HostLayers {
  /** The sessions whose layers have changes, or may have. */
  sessions(): Promise<readonly WaitingSession[]>;
  /** Null for a session without a layer. */
  waiting(session: string): Promise<Waiting | null>;
  /** What became of one entry, line by line. */
  difference(session: string, path: string): Promise<EntryDifference>;
  /** Keeps what a person chose. It is a call of the session: audited, and undone as other changes are. */
  keep(session: string, choice: Omit<Choice, "mark">, context?: KeepContext): Promise<ToolOutcome>;
  /** Drops all that waits. It is a call of the session, and cannot be undone. */
  drop(session: string, digest: string, context?: KeepContext): Promise<ToolOutcome>;
}

/** The layers of a host; null where its plan has none. */
export function layersOf(host: Host): HostLayers | null {
  const layers = host.coordinator.getCapability("host.layers");
  return layers === null ? null : hostLayers(host, layers);
}

function hostLayers(host: Host, first: SessionLayers): HostLayers {
  // A reload may have mounted them again.
  const now = () => host.coordinator.getCapability("host.layers") ?? first;
  const has = (session: string) =>
    now().isOpen(session) ||
    now()
      .sessions()
      .some(({ owner }) => owner === session);
  const call = (session: string, name: string, given: object, { by, ...context }: KeepContext = {}) => {
    const request = { name, arguments: { ...given, ...(by !== undefined && { by }) } };
    return callInternal(host.session(session), request, {
      ...context,
      userId: userIn(session, context.userId),
    });
  };
  return {
    async sessions() {
      const found: WaitingSession[] = [];
      for (const { owner: session } of now().sessions()) {
        const changes = now().isOpen(session) ? await countIn(now(), session) : null;
        if (changes !== 0) found.push({ session, changes });
      }
      return found;
    },
    waiting: async (session) => (has(session) ? now().look(session, waitingIn) : null),
    async difference(session, path) {
      if (!has(session)) return { difference: null, conflict: null };
      return now().look(session, (layer) => entryOf(layer, path));
    },
    keep: (session, choice, context) => call(session, keepToolName, choice, context),
    drop: (session, digest, context) => call(session, dropToolName, { digest }, context),
  };
}

function countIn(layers: SessionLayers, session: string): Promise<number> {
  return layers.look(session, async (layer) => (await layer.difference()).changes.length);
}

async function entryOf(layer: Layer, path: string): Promise<EntryDifference> {
  const change = (await layer.difference()).changes.find((each) => each.path === path);
  const difference = change === undefined ? null : (differenceOf(layer.texts(change)) ?? null);
  const isConflict = (await layer.conflicts()).some((each) => each.path === path);
  return { difference, conflict: isConflict ? await conflictOf(layer, path) : null };
}

async function conflictOf(layer: Layer, path: string): Promise<EntryDifference["conflict"]> {
  const { committed: before, person, session } = await layer.sides(path);
  const own = differenceOf({ before, after: person });
  const other = differenceOf({ before, after: session });
  return own === undefined || other === undefined ? null : { person: own, session: other };
}

/** Most entries whose lines are counted. */
const mostCounted = 500;

async function waitingIn(layer: Layer, own: { made(): readonly MadeCall[] }): Promise<Waiting> {
  const { digest, changes, left } = await layer.difference();
  const running = await layer.running();
  const counted = changes.filter(isCounted);
  const set = new Set(counted.slice(0, mostCounted));
  const names = layer.moves(changes);
  const shown = changes.map((change) => ({
    ...plainOf(change, set.has(change) ? layer.texts(change) : undefined),
    moved: names.get(change.path) ?? null,
  }));
  return { digest, changes: shown, left, conflicts: await layer.conflicts(), running, calls: own.made() };
}

/** Whether the lines of a change say something to a person. */
function isCounted({ path, section, former, next }: LayerChange): boolean {
  const isInstalled = path.split("/").includes("node_modules");
  return section !== "repository" && !isInstalled && (next ?? former)!.kind !== "folder";
}

function plainOf(change: LayerChange, texts: Texts | undefined): Omit<WaitingChange, "moved"> {
  const { path, section, kind, former, next } = change;
  const { kind: entry, bytes } = (next ?? former)!;
  const isOther = former !== null && next !== null && former.kind === next.kind && former.mode !== next.mode;
  const verb = kind === "write" || kind === "folder" ? (former === null ? "create" : "change") : kind;
  return {
    path,
    section,
    change: verb,
    kind: entry,
    bytes,
    mode: isOther ? { before: former.mode.toString(8), after: next.mode.toString(8) } : null,
    lines: texts === undefined ? null : linesOf(differenceOf(texts)),
  };
}

/** The difference of two texts, line by line; undefined where one side has no text. */
export function differenceOf(
  { before, after }: Texts,
  maxLines = Number.POSITIVE_INFINITY,
): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  return lineDifference(before, after, { maxLines });
}

function linesOf(difference: string | undefined): WaitingChange["lines"] {
  if (difference === undefined) return null;
  const count = (sign: string) => difference.split("\n").filter((line) => line.startsWith(sign)).length;
  return { added: count("+"), removed: count("-") };
}

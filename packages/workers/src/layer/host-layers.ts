import { userIn, type Host, type SessionCallContext, type ToolOutcome } from "@toolmount/core";
import { callInternal } from "@toolmount/core/internal";
import { lineDifference } from "@toolmount/core/text";
import type { Choice, Layer, LayerChange, Mark, Section, Texts } from "@toolmount/sandbox";
import { dropToolName, keepToolName } from "./keep-tool.ts";
import type { MadeCall, SessionLayers } from "./session-layer.ts";

/** One changed entry, as plain data. */
export interface WaitingChange {
  readonly path: string;
  /** The part of the difference; `deletions` and `obeyed` have to be accepted separately. */
  readonly section: Section;
  readonly change: "create" | "change" | "delete" | "mode";
  readonly kind: Mark["kind"];
  /** The size of the new entry, or of the deleted one. */
  readonly bytes: number;
  /** Modes in octal digits; null if the mode has not changed. */
  readonly mode: { readonly before: string; readonly after: string } | null;
  /** The other name of an entry that was only renamed: for a new entry the old name, for a deleted entry the new one. */
  readonly moved: string | null;
  /** Numbers of lines; null for an entry that is no short text, and for entries after the first 500. */
  readonly lines: { readonly added: number; readonly removed: number } | null;
}

/** Everything that waits in the layer of a session. */
export interface Waiting {
  /** Digest of this difference. An answer counts only for the difference with this digest. */
  readonly digest: string;
  readonly changes: readonly WaitingChange[];
  /** Changes that cannot be kept, each with the reason. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
  /** Changes of entries that the person has changed, too. As long as one of these is chosen, nothing is kept. */
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[];
  /** Commands in the background, which a keep or a drop ends. */
  readonly running: readonly string[];
  /** The calls that may have made the changes, as far as this process ran them. */
  readonly calls: readonly MadeCall[];
}

/** The whole difference of one entry. A member is null if one of its sides is no short text. */
export interface EntryDifference {
  /** The difference from the person's folder to the layer. */
  readonly difference: string | null;
  /**
   * What each side changed since the repository staged or committed the file; null if that is unknown or there is no conflict.
   */
  readonly conflict: { readonly person: string; readonly session: string } | null;
}

/** A session whose layer has changes, or may have some. */
export interface WaitingSession {
  readonly session: string;
  /** Number of waiting changes; null if the layer is not open in this process. */
  readonly changes: number | null;
}

/** The user and session of an answer, and the person who gave it. */
export interface KeepContext extends SessionCallContext {
  /** The person who answers, for the audit. */
  readonly by?: string | undefined;
}

/** Shows what waits in the layers of a host's sessions, and carries out the answers of a person. */
export interface HostLayers {
  /** Returns the sessions whose layers have changes, or may have some. */
  sessions(): Promise<readonly WaitingSession[]>;
  /** Returns what waits in a session's layer; null for a session without a layer. */
  waiting(session: string): Promise<Waiting | null>;
  /** Returns how one entry was changed, line by line. */
  difference(session: string, path: string): Promise<EntryDifference>;
  /** Keeps what a person chose. This is a call of the session, so it is audited, and it can be undone like other changes. */
  keep(session: string, choice: Omit<Choice, "mark">, context?: KeepContext): Promise<ToolOutcome>;
  /** Drops everything that waits. This is a call of the session, and cannot be undone. */
  drop(session: string, digest: string, context?: KeepContext): Promise<ToolOutcome>;
}

/** Returns the layers of a host; null if its plan has none. */
export function layersOf(host: Host): HostLayers | null {
  const layers = host.coordinator.getCapability("host.layers");
  return layers === null ? null : hostLayers(host, layers);
}

function hostLayers(host: Host, first: SessionLayers): HostLayers {
  // The layers are looked up at each use, because a reload may have mounted them again.
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

/** Maximum number of entries whose lines are counted. */
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

/** Whether the numbers of a change's lines are of interest to a person. */
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

/** Returns the difference of two texts, line by line; undefined if one side has no text. */
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

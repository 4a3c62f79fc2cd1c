import type {
  AuditSink,
  Host,
  PastCall,
  PastCallFilter,
  SessionChange,
  SessionDifference,
} from "@toolmount/core";
import type { Said, SessionSummary } from "@toolmount/reasoner";
import { auditSinkOf } from "../audit/audit-sink.ts";
import { entriesOfRuns } from "../audit/newest-calls.ts";
import { storyCall, type StoryCall } from "./story-call.ts";

/** One step of a story: something was said, or a call was made. A call of another call's tool follows it, one deeper. */
export type StoryStep =
  | { readonly kind: "said"; readonly by: Said["by"]; readonly text: string }
  | StoryCallStep;

interface StoryCallStep {
  readonly kind: "call";
  /** 0 for a call that no other call here made. */
  readonly depth: number;
  readonly call: StoryCall;
}

/** What the model of a session used. `cost` is null without prices in the plan. */
type Spent = Pick<SessionSummary, "usage" | "cost">;

/** What happened in one session, of any client. Times are milliseconds since the epoch. */
export interface Story {
  readonly session: string;
  readonly user: string | null;
  /** When its first call of those here began, and when its last one changed; null without calls. */
  readonly from: number | null;
  readonly to: number | null;
  /** How long its calls ran, those that another call made not counted again. */
  readonly workedMs: number;
  /** What its model used; null where the model is the client's own, so what it cost is not known here. */
  readonly spent: Spent | null;
  /** Where it stands, in words: `1 call waits for an answer`. */
  readonly stands: string;
  readonly steps: readonly StoryStep[];
  /** What its calls changed, oldest first, with what can be undone. */
  readonly changes: readonly SessionChange[];
  /** The changes that are not undone as one difference: each target from its first state to its last one. */
  readonly difference: SessionDifference;
  /** Earlier calls are not here. */
  readonly isPartial: boolean;
  /** The audit leaves out the calls of tools that only read. */
  readonly omitsReads: boolean;
}

/** What a story has beside the audit. */
export interface StoryOptions {
  /** What was said, of a session with a model: `Reasoner.said`. */
  readonly said?: readonly Said[] | undefined;
  /** What its model used: of `Reasoner.show`. */
  readonly spent?: Spent | undefined;
  /** How many of the newest calls; default 1,000. */
  readonly last?: number | undefined;
  /** Only calls of this user. */
  readonly userId?: string | undefined;
}

/** Most calls of a story. */
const maxCalls = 1_000;

/**
 * Reads what happened in a session: what was said, its calls with their questions, who answered them and on which grounds, and what can be
 * undone. Rejects with `EXTENSION_MISSING` for a plan without an audit.
 */
export async function readStory(
  host: Host,
  session: string,
  { said = [], spent, last = maxCalls, userId }: StoryOptions = {},
): Promise<Story> {
  const sink = auditSinkOf(host);
  const own = host.session(session);
  const [{ past, isPartial }, changes, difference] = await Promise.all([
    pastCallsOf(sink, { sessionId: session, userId, limit: last }),
    own.changes(),
    own.difference(),
  ]);
  const calls = await treeOf(sink, past, changes);
  return {
    session,
    user: past.find((call) => call.userId !== null)?.userId ?? null,
    from: past[0]?.startedAt ?? null,
    to: past.length === 0 ? null : Math.max(...past.map(endedAt)),
    workedMs: calls.reduce((sum, [{ call }]) => sum + (call.durationMs ?? 0), 0),
    spent: spent === undefined ? null : { usage: spent.usage, cost: spent.cost },
    stands: standsOf(past),
    steps: stepsOf(said, calls),
    changes,
    difference,
    isPartial,
    omitsReads: sink.mode === "changes",
  };
}

/** The newest calls of a session, oldest first. */
async function pastCallsOf(sink: AuditSink, filter: PastCallFilter) {
  const page = await sink.calls?.(filter);
  return { past: page?.calls.toReversed() ?? [], isPartial: page?.hasMore ?? false };
}

const endedAt = ({ startedAt, durationMs }: PastCall) => startedAt + (durationMs ?? 0);

/** A call that no other one made, and behind it those that its tool made. A call whose maker is not here has no maker. */
type Made = readonly [StoryCallStep, ...StoryCallStep[]];

async function treeOf(
  sink: AuditSink,
  past: readonly PastCall[],
  changes: readonly SessionChange[],
): Promise<readonly Made[]> {
  const runIds = past.map(({ runId }) => runId);
  const entries = await entriesOfRuns(sink, runIds);
  const known = new Set(runIds);
  const changed = new Map(changes.map((change) => [change.runId, change]));
  const made = Map.groupBy(inOrder(past, [...entries.keys()]), ({ parentRunId }) =>
    known.has(parentRunId ?? "") ? parentRunId : null,
  );
  const stepsFrom = (call: PastCall, depth: number): Made => {
    const { runId, startedAt: at, tool } = call;
    const own = entries.get(runId) ?? [{ kind: "start", at, runId, tool }];
    const below = (made.get(runId) ?? []).flatMap((one) => stepsFrom(one, depth + 1));
    return [{ kind: "call", depth, call: storyCall(call, own, changed.get(runId) ?? null) }, ...below];
  };
  return (made.get(null) ?? []).map((call) => stepsFrom(call, 0));
}

/**
 * Calls in the order in which they began. When one began that asked is known to a millisecond only: of two that are so near,
 * that one is first whose first record was written first.
 */
function inOrder(past: readonly PastCall[], written: readonly string[]): readonly PastCall[] {
  const places = new Map(written.map((runId, at) => [runId, at]));
  const placeOf = ({ runId }: PastCall) => places.get(runId) ?? written.length;
  return past.toSorted((one, other) => {
    const apart = one.startedAt - other.startedAt;
    return Math.abs(apart) > 1 ? apart : placeOf(one) - placeOf(other);
  });
}

/** Texts in their order, each answer of a model before its calls; calls of others stay before the call that came next. */
function stepsOf(said: readonly Said[], calls: readonly Made[]): readonly StoryStep[] {
  const steps: StoryStep[] = [];
  const left = [...calls];
  for (const { by, text, calls: asked } of said) {
    const first = left.findIndex(([{ call }]) => asked.includes(call.callId));
    if (first > 0) steps.push(...left.splice(0, first).flat());
    if (text !== "") steps.push({ kind: "said", by, text });
    for (const id of asked) steps.push(...takeCall(left, id).flat());
  }
  return [...steps, ...left.flat()];
}

function takeCall(left: Made[], callId: string): readonly Made[] {
  const at = left.findIndex(([{ call }]) => call.callId === callId);
  return at === -1 ? [] : left.splice(at, 1);
}

/** Where calls stand, in words. */
export function standsOf(past: readonly PastCall[]): string {
  const count = (status: string) => past.filter((call) => call.status === status).length;
  const parts = [
    [count("waiting"), "waits for an answer", "wait for an answer"],
    [count("decided"), "is answered and not run yet", "are answered and not run yet"],
    [count("running"), "runs", "run"],
    [count("unknown"), "may have run: its process ended", "may have run: their processes ended"],
  ] as const;
  const open = parts.filter(([n]) => n > 0);
  if (open.length === 0) return past.length === 0 ? "no call yet" : "nothing is open";
  return open.map(([n, one, many]) => `${n} ${n === 1 ? `call ${one}` : `calls ${many}`}`).join(", ");
}

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

/** A step of a story: something was said, or a call was made. The calls of a call's tool follow it, one level deeper. */
export type StoryStep =
  | { readonly kind: "said"; readonly by: Said["by"]; readonly text: string }
  | StoryCallStep;

interface StoryCallStep {
  readonly kind: "call";
  /** 0 for a call that no other call of the story made. */
  readonly depth: number;
  readonly call: StoryCall;
}

/** Token usage and cost of a session's model. `cost` is null if the plan has no prices. */
type Spent = Pick<SessionSummary, "usage" | "cost">;

/** What happened in a session, whatever its client. Times are milliseconds since the epoch. */
export interface Story {
  readonly session: string;
  readonly user: string | null;
  /** When the session's first call in this story began; `to` is when the last one ended. Null without calls. */
  readonly from: number | null;
  readonly to: number | null;
  /** Milliseconds for which the session's calls ran. Calls that another call made are not counted again. */
  readonly workedMs: number;
  /** Token usage and cost of the session's model; null if the client has its own model, so that they are not known here. */
  readonly spent: Spent | null;
  /** The state of the session, in words: `1 call waits for an answer`. */
  readonly stands: string;
  readonly steps: readonly StoryStep[];
  /** What the session's calls changed, oldest first, and whether it can be undone. */
  readonly changes: readonly SessionChange[];
  /** One combined difference of the changes that are not undone: each target from its first state to its last one. */
  readonly difference: SessionDifference;
  /** Whether earlier calls of the session are missing here. */
  readonly isPartial: boolean;
  /** Whether the audit leaves out the calls of tools that only read. */
  readonly omitsReads: boolean;
}

/** What a story shows in addition to the audit, and which calls. */
export interface StoryOptions {
  /** What was said, for a session with a model; from `Reasoner.said`. */
  readonly said?: readonly Said[] | undefined;
  /** Token usage and cost of the session's model; from `Reasoner.show`. */
  readonly spent?: Spent | undefined;
  /** How many of the newest calls are read; default 1,000. */
  readonly last?: number | undefined;
  /** Only calls of this user. */
  readonly userId?: string | undefined;
}

/** How many of the newest calls a story reads by default. */
const maxCalls = 1_000;

/**
 * Reads what happened in a session: what was said, its calls with their questions, who answered them and why, and what can be
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

/** Returns the newest calls of a session, oldest first. */
async function pastCallsOf(sink: AuditSink, filter: PastCallFilter) {
  const page = await sink.calls?.(filter);
  return { past: page?.calls.toReversed() ?? [], isPartial: page?.hasMore ?? false };
}

const endedAt = ({ startedAt, durationMs }: PastCall) => startedAt + (durationMs ?? 0);

/** A call that no other call of the story made, followed by the calls that its tool made. */
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
 * Sorts calls by when they began. For a call that asked a person, this time is known only to a millisecond. Of two calls that are
 * so close together, the one whose first record was written first comes first.
 */
function inOrder(past: readonly PastCall[], written: readonly string[]): readonly PastCall[] {
  const places = new Map(written.map((runId, at) => [runId, at]));
  const placeOf = ({ runId }: PastCall) => places.get(runId) ?? written.length;
  return past.toSorted((one, other) => {
    const apart = one.startedAt - other.startedAt;
    return Math.abs(apart) > 1 ? apart : placeOf(one) - placeOf(other);
  });
}

/** Orders texts and calls: each answer of a model precedes its calls, and other calls stay before the call that came next. */
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

/** Says in words which calls have not ended, or may have run: `1 call waits for an answer`. */
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

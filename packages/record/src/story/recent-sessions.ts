import type { AuditSink, PastCall, PastCallFilter } from "@toolmount/core";
import { standsOf, type StoryOptions } from "./story.ts";

/** A session as its newest calls show it. Times are milliseconds since the epoch. */
export interface RecentSession {
  readonly session: string;
  readonly user: string | null;
  /** Of those that were read. */
  readonly calls: number;
  readonly from: number;
  readonly to: number;
  /** Where it stands, in words. */
  readonly stands: string;
}

/** The sessions of the newest calls of an audit that a filter chooses, the last used first, of any client. Rehearsals leave none. */
export async function recentSessions(
  sink: AuditSink,
  { last = 1_000, ...filter }: Omit<PastCallFilter, "limit"> & Pick<StoryOptions, "last"> = {},
): Promise<readonly RecentSession[]> {
  const page = await sink.calls?.({ ...filter, limit: last });
  const named = (page?.calls ?? []).filter(
    ({ sessionId, kind }) => sessionId !== null && kind !== "rehearsal",
  );
  return [...Map.groupBy(named, ({ sessionId }) => sessionId!)].map(([session, calls]) =>
    recent(session, calls),
  );
}

/** `calls` are newest first, and not empty. */
function recent(session: string, calls: readonly PastCall[]): RecentSession {
  const user = calls.find(({ userId }) => userId !== null)?.userId ?? null;
  const [newest, oldest] = [calls[0]!, calls.at(-1)!];
  return {
    session,
    user,
    calls: calls.length,
    from: oldest.startedAt,
    to: newest.startedAt,
    stands: standsOf(calls),
  };
}

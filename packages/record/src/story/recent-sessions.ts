import type { AuditSink, PastCall, PastCallFilter } from "@toolmount/core";
import { standsOf, type StoryOptions } from "./story.ts";

/** A session as its newest calls show it. Times are milliseconds since the epoch. */
export interface RecentSession {
  readonly session: string;
  readonly user: string | null;
  /** Number of the session's calls among those that were read. */
  readonly calls: number;
  readonly from: number;
  readonly to: number;
  /** The state of the session, in words. */
  readonly stands: string;
}

/** Returns the sessions of the newest calls that fit the filter, the last used first. Rehearsals are left out. */
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

/** Describes a session by its calls, which are newest first and not empty. */
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

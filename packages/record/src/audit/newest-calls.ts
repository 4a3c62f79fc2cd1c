import type { AuditEntry, AuditRecord, AuditSink } from "@toolmount/core";
import {
  callOf,
  isWanted,
  readAuditedCalls,
  RunJoiner,
  type AuditedCall,
  type CallFilter,
} from "./audited-calls.ts";

/** Selects calls, and says how many of the newest are shown. */
interface NewestFilter extends CallFilter {
  readonly last: number;
}

/** Maximum number of runs whose records are read at once. */
const maxRuns = 500;

/** Returns the records of the newest calls, oldest first. If the sink cannot list calls, returns the newest records. */
export async function newestEntries(sink: AuditSink, options: NewestFilter): Promise<readonly AuditEntry[]> {
  const records = await recordsOfNewest(sink, options);
  if (records !== null) return records.map(({ entry }) => entry);
  const all = (await sink.read({ runId: options.run, tool: options.tool })).map(({ entry }) => entry);
  return all.filter((entry) => isWanted(entry, options)).slice(-options.last);
}

/** Returns the newest calls, oldest first. */
export async function newestCalls(sink: AuditSink, options: NewestFilter): Promise<readonly AuditedCall[]> {
  const { last } = options;
  const records = await recordsOfNewest(sink, options);
  if (records !== null) return joinAll(records);
  const calls: AuditedCall[] = [];
  for await (const call of readAuditedCalls(sink, options))
    if (calls.push(call) > 2 * last) calls.splice(0, last);
  return calls.slice(-last);
}

function joinAll(records: readonly AuditRecord[]): readonly AuditedCall[] {
  const runs = new RunJoiner();
  const ended = records.flatMap(({ entry }) => runs.add(entry) ?? []);
  return [...ended, ...runs.rest()].map(callOf);
}

/** Returns the records of the newest calls that fit; null if the sink cannot list calls. */
async function recordsOfNewest(
  sink: AuditSink,
  { run, user, session, last, ...same }: NewestFilter,
): Promise<readonly AuditRecord[] | null> {
  if (sink.calls === undefined) return null;
  const runIds = run === undefined ? undefined : [run];
  const { calls } = await sink.calls({ ...same, runIds, userId: user, sessionId: session, limit: last });
  return recordsOf(sink, calls.map(({ runId }) => runId).toReversed());
}

async function recordsOf(sink: AuditSink, runIds: readonly string[]): Promise<readonly AuditRecord[]> {
  const records: AuditRecord[] = [];
  for (let at = 0; at < runIds.length; at += maxRuns)
    records.push(...(await sink.read({ runIds: runIds.slice(at, at + maxRuns) })));
  return records;
}

/** Returns the records of these runs by run id, oldest first. */
export async function entriesOfRuns(
  sink: AuditSink,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly AuditEntry[]>> {
  const records = await recordsOf(sink, runIds);
  return Map.groupBy(
    records.map(({ entry }) => entry),
    ({ runId }) => runId,
  );
}

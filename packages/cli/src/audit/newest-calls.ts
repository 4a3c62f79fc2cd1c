import type { AuditEntry, AuditSink } from "@toolmount/core";
import {
  callOf,
  isWanted,
  readAuditedCalls,
  recordsOfCall,
  RunJoiner,
  type AuditedCall,
  type CallFilter,
} from "./audited-calls.ts";

/** Which calls are shown, and how many of them. */
interface NewestFilter extends CallFilter {
  readonly last: number;
}

/** The newest records, oldest of them first. */
export async function newestEntries(sink: AuditSink, options: NewestFilter): Promise<readonly AuditEntry[]> {
  const { run: runId, tool, since, user, denied, last } = options;
  const isFiltered = user !== undefined || denied === true;
  const records = await sink.read({ runId, tool, since, last: isFiltered ? undefined : last });
  const entries = (isFiltered ? records : records.toReversed()).map(({ entry }) => entry);
  return entries.filter((entry) => isWanted(callOf(entry), options)).slice(-last);
}

/** The newest calls, and perhaps more; what a filter leaves of them is only known when all are read. */
export async function newestCalls(sink: AuditSink, options: NewestFilter): Promise<readonly AuditedCall[]> {
  const { run: runId, tool, since, user, denied, last } = options;
  if (user !== undefined || denied === true || since !== undefined) {
    const calls: AuditedCall[] = [];
    for await (const call of readAuditedCalls(sink, options))
      if (calls.push(call) > 2 * last) calls.splice(0, last);
    return calls;
  }
  const records = await sink.read({ runId, tool, last: last * recordsOfCall });
  const runs = new RunJoiner();
  const ended = records.toReversed().flatMap(({ entry }) => runs.add(entry) ?? []);
  return [...ended, ...runs.rest()].map(callOf);
}

import type { AuditFilter, AuditRecord, AuditSink } from "@toolmount/core";

/** Records of one look. Fewer are written between two looks, except in a burst. */
const windowSize = 1_000;

/**
 * Returns a function that reads the records that were not there at its last call, oldest first. The first call reads the
 * newest ones that are there. The newest records are compared by their hashes, because a record may be written after
 * one of a later moment: processes have clocks and batches of their own.
 */
export function followRecords(
  sink: Pick<AuditSink, "read">,
  filter: Pick<AuditFilter, "runId" | "tool" | "since">,
): () => Promise<readonly AuditRecord[]> {
  let seen: Look | undefined;
  return async () => {
    for (let last = windowSize; ; last *= 2) {
      const records = (await sink.read({ ...filter, last })).toReversed();
      const fresh = newSince(seen, records);
      if (fresh === null && records.length === last) continue;
      seen = { hashes: new Set(records.map(({ hash }) => hash)), isWhole: records.length < last };
      return fresh ?? records;
    }
  };
}

/** What a look read. */
interface Look {
  readonly hashes: ReadonlySet<string>;
  /** Whether it read all that was there. */
  readonly isWhole: boolean;
}

/** The records that a look did not read; null where it read none of them, so that there may be more before these. */
function newSince(seen: Look | undefined, records: readonly AuditRecord[]): readonly AuditRecord[] | null {
  if (seen === undefined) return records;
  const oldest = records.findIndex(({ hash }) => seen.hashes.has(hash));
  if (oldest === -1) return null;
  // A larger window has records that are older than all that the look read.
  return records.slice(seen.isWhole ? 0 : oldest).filter(({ hash }) => !seen.hashes.has(hash));
}

import type { AuditFilter, AuditRecord, AuditSink } from "@toolmount/core";

/** Number of records that each look reads at first. Except in a burst, fewer are written between two looks. */
const windowSize = 1_000;

/**
 * Returns a function that reads the records that were added since its last call, oldest first. The first call reads the newest
 * existing records. Records are compared by their hashes, because a record may be written after another with a later time:
 * processes have different clocks, and write in batches.
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

/** What one look, which is a call of the returned function, has read. */
interface Look {
  readonly hashes: ReadonlySet<string>;
  /** Whether the look read all records of the audit. */
  readonly isWhole: boolean;
}

/** Returns the records that the last look did not read. Null if it read none of `records`: more new ones may be before them. */
function newSince(seen: Look | undefined, records: readonly AuditRecord[]): readonly AuditRecord[] | null {
  if (seen === undefined) return records;
  const oldest = records.findIndex(({ hash }) => seen.hashes.has(hash));
  if (oldest === -1) return null;
  // A larger window also has records that are older than all that the last look read; they are not new.
  return records.slice(seen.isWhole ? 0 : oldest).filter(({ hash }) => !seen.hashes.has(hash));
}

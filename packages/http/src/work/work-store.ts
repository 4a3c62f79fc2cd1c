import {
  createMemoryStore,
  type Host,
  type WorkFilter,
  type WorkRecord,
  type WorkStore,
} from "@toolmount/core";

/** Records that are read at a time. */
const pageSize = 500;

/** The store of a host for the work of servers. Without one the work is known to this process only. */
export function workStoreOf({ coordinator }: Host): WorkStore {
  return (coordinator.get("work-store") as WorkStore | null) ?? createMemoryStore().work!;
}

/** Each record that a filter chooses, what began last first. */
export async function* allWork(
  store: WorkStore,
  filter: Omit<WorkFilter, "after" | "limit">,
): AsyncGenerator<WorkRecord> {
  let after: WorkRecord | undefined;
  for (;;) {
    const page = await store.list({ ...filter, after, limit: pageSize });
    yield* page;
    after = page.at(-1);
    if (page.length < pageSize) return;
  }
}

import type { WorkFilter, WorkRecord, WorkStore } from "@toolmount/core";

/** How many records are read at a time. */
const pageSize = 500;

/** Yields all records that match a filter, the last started first. */
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

import { ToolmountError } from "../contract/errors.ts";
import type { ApprovalStore } from "../contract/stores.ts";

/** Wraps a store so that it fails with the code `STORE_FAILED`; the engine's own error is the cause, for the log. */
export function withStoreErrors(store: ApprovalStore): ApprovalStore {
  const known = wrapped.get(store);
  if (known !== undefined) return known;
  const made: ApprovalStore = {
    add: (record) => withStoreCode(() => store.add(record)),
    get: (id) => withStoreCode(() => store.get(id)),
    findByTicket: (hash) => withStoreCode(() => store.findByTicket(hash)),
    replace: (record) => withStoreCode(() => store.replace(record)),
    list: (filter) => withStoreCode(() => store.list(filter)),
    remember: (approval) => withStoreCode(() => store.remember(approval)),
    remembered: (tool) => withStoreCode(() => store.remembered(tool)),
    forget: (id) => withStoreCode(() => store.forget(id)),
  };
  wrapped.set(store, made);
  return made;
}

/** One wrapper for each store, so that a store can be compared by identity. */
const wrapped = new WeakMap<ApprovalStore, ApprovalStore>();

export async function withStoreCode<Value>(use: () => Promise<Value>): Promise<Value> {
  try {
    return await use();
  } catch (cause) {
    throw new ToolmountError("STORE_FAILED", {}, { cause });
  }
}

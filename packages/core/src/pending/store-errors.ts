import { ToolmountError } from "../contract/errors.ts";
import type { ApprovalStore } from "../contract/stores.ts";

/** A store whose failures have the code `STORE_FAILED`; what the engine itself said is the cause, for the log. */
export function codedStore(store: ApprovalStore): ApprovalStore {
  const known = coded.get(store);
  if (known !== undefined) return known;
  const made: ApprovalStore = {
    add: (record) => withCode(() => store.add(record)),
    get: (id) => withCode(() => store.get(id)),
    findByTicket: (hash) => withCode(() => store.findByTicket(hash)),
    replace: (record) => withCode(() => store.replace(record)),
    list: (filter) => withCode(() => store.list(filter)),
    remember: (approval) => withCode(() => store.remember(approval)),
    remembered: (tool) => withCode(() => store.remembered(tool)),
    forget: (id) => withCode(() => store.forget(id)),
  };
  coded.set(store, made);
  return made;
}

/** One for each store, so that whoever compares stores finds the same one. */
const coded = new WeakMap<ApprovalStore, ApprovalStore>();

async function withCode<Value>(use: () => Promise<Value>): Promise<Value> {
  try {
    return await use();
  } catch (cause) {
    throw new ToolmountError("STORE_FAILED", {}, { cause });
  }
}

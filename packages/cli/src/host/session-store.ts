import type { SessionStore } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";

/** Returns the session store of a host now: a reload may bring another one. Null for a plan without a store. */
export function sessionStoreOf({ coordinator }: OpenedHost): SessionStore | null {
  return coordinator.get("session-store") as SessionStore | null;
}

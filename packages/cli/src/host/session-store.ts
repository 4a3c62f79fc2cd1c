import type { SessionStore } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";

/** Returns the current session store of a host, because a reload may replace it. Null for a plan without a store. */
export function sessionStoreOf({ coordinator }: OpenedHost): SessionStore | null {
  return coordinator.get("session-store") as SessionStore | null;
}

import type { SessionStore } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";

/** Returns the session store of a host; null for a plan without one. Read it for each use, because a reload may replace it. */
export function sessionStoreOf({ coordinator }: OpenedHost): SessionStore | null {
  return coordinator.get("session-store") as SessionStore | null;
}

import type { SessionState } from "./context.ts";
import { frozenCopy } from "./freeze.ts";
import type { Json, JsonObject } from "./json.ts";

/** A session's state that can be kept and put back. */
export interface KeptState extends SessionState {
  /** All of it, by key. */
  snapshot(): JsonObject;
  /** Puts these values in place of all that is there. */
  restore(values: JsonObject): void;
}

/** State kept in memory. Values are copied and frozen going in, so that two calls cannot share a mutable one. */
export function createSessionState(): KeptState {
  const values = new Map<string, Json>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, frozenCopy(value)),
    delete: (key) => values.delete(key),
    snapshot: () => Object.fromEntries(values),
    restore(given) {
      values.clear();
      for (const [key, value] of Object.entries(given)) values.set(key, frozenCopy(value));
    },
  };
}

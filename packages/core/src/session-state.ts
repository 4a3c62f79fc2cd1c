import type { SessionState } from "./context.ts";
import { frozenCopy } from "./freeze.ts";
import type { Json } from "./json.ts";

/** State kept in memory. Values are copied and frozen going in, so that two calls cannot share a mutable one. */
export function createSessionState(): SessionState {
  const values = new Map<string, Json>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, frozenCopy(value)),
    delete: (key) => values.delete(key),
  };
}

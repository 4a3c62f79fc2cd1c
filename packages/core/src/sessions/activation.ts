import type { SessionState } from "../contract/context.ts";

const key = "toolmount.active_tools";

/** Returns the names of the tools that are activated in a session, sorted. */
export function activeTools(state: SessionState): readonly string[] {
  const kept: unknown = state.get(key);
  return Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : [];
}

/** Activates tools in a session, by the names under which they are mounted. They are offered from the next offer on. */
export function activateTools(state: SessionState, names: readonly string[]): void {
  state.set(key, [...new Set([...activeTools(state), ...names])].toSorted());
}

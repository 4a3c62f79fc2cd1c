import type { SessionState } from "../contract/context.ts";
import { isRecord } from "../json/json.ts";

const key = "toolmount.mode";

interface ModeChange {
  readonly mode: string;
  /** The mode before it; null for the catalog's default. */
  readonly previous: string | null;
  /** The turn that made the change, in which it does not count yet; null where turns have no ids. */
  readonly turnId: string | null;
}

/**
 * The mode of a session; null when it never had another than the default. A change counts from the next turn: with the id
 * of the turn that made the change, the result is the mode before it.
 */
export function sessionMode(state: SessionState, turnId?: string): string | null {
  const change = lastChange(state);
  if (change === null) return null;
  return change.turnId !== null && change.turnId === turnId ? change.previous : change.mode;
}

/** Changes the mode of a session from the next turn on. The caller checks that the mode exists. */
export function changeSessionMode(state: SessionState, mode: string, turnId?: string): void {
  state.set(key, { mode, previous: sessionMode(state, turnId), turnId: turnId ?? null });
}

/** The last change of a session's mode; reads a value that any tool of the session could have written. */
export function lastChange(state: SessionState): ModeChange | null {
  const kept: unknown = state.get(key);
  if (!isRecord(kept)) return null;
  const { mode, previous = null, turnId = null } = kept;
  if (typeof mode !== "string" || !isText(previous) || !isText(turnId)) return null;
  return { mode, previous, turnId };
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

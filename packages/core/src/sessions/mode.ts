import type { SessionState } from "../contract/context.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { ModeCatalog, ModeSummary } from "../contract/ports.ts";
import type { SessionId } from "../contract/own-session.ts";
import type { OfferFilter } from "../contract/session.ts";
import { generationOf, type Registered } from "../registry/generation.ts";

export interface ModeHost {
  readonly moduleSet: Registered;
  readonly cancellation: { readonly signal: AbortSignal };
  /** The modes of the catalog as they were last read. */
  modes: readonly ModeSummary[] | null;
  readonly states: { of(sessionId: SessionId): SessionState };
}

/** Resolves to the mode of an offer or of a session's call. Rejects with `MODE_UNKNOWN` and `MODES_UNAVAILABLE`. */
export async function modeOf(host: ModeHost, { mode, sessionId, turnId }: OfferFilter): Promise<PickedMode> {
  const id = sessionId as SessionId | undefined;
  const { modeCatalog } = generationOf(host.moduleSet);
  const kept = id === undefined ? null : sessionMode(host.states.of(id), turnId);
  host.modes = modeCatalog === null ? null : await readModes(modeCatalog, host.cancellation.signal);
  return pickMode(host.modes, mode, kept);
}

const stateKey = "toolmount.mode";

interface ModeChange {
  readonly mode: string;
  /** The mode before the change; null for the catalog's default. */
  readonly previous: string | null;
  /** The turn that made the change, in which it has no effect yet; null if turns have no ids. */
  readonly turnId: string | null;
}

/**
 * Returns the mode of a session; null if it always had the default mode. A change takes effect in the next turn: with the id
 * of the turn that made the change, the result is the mode before it.
 */
export function sessionMode(state: SessionState, turnId?: string): string | null {
  const change = lastChange(state);
  if (change === null) return null;
  return change.turnId !== null && change.turnId === turnId ? change.previous : change.mode;
}

/** Changes the mode of a session from the next turn on. The caller checks that the mode exists. */
export function changeSessionMode(state: SessionState, mode: string, turnId?: string): void {
  state.set(stateKey, { mode, previous: sessionMode(state, turnId), turnId: turnId ?? null });
}

/** Returns the last change of a session's mode. It checks the value, because any tool of the session could have written it. */
export function lastChange(state: SessionState): ModeChange | null {
  const kept: unknown = state.get(stateKey);
  if (typeof kept !== "object" || kept === null) return null;
  const { mode, previous = null, turnId = null } = kept as Record<string, unknown>;
  if (typeof mode !== "string" || !isText(previous) || !isText(turnId)) return null;
  return { mode, previous, turnId };
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

/** The mode of a session that has not set one, unless the catalog has another default. Source: TUL-007. */
export const defaultMode = "general";

export interface PickedMode {
  readonly key: string;
  readonly summary: ModeSummary | null;
}

/** Returns the requested mode, the session's or the default. Throws `MODE_UNKNOWN` if the catalog lacks the requested one. */
export function pickMode(
  modes: readonly ModeSummary[] | null,
  requested: string | undefined,
  ofSession: string | null,
): PickedMode {
  if (modes === null) return { key: requested ?? ofSession ?? defaultMode, summary: null };
  if (requested !== undefined) return requireMode(modes, requested);
  return found(modes, ofSession) ?? defaultOf(modes);
}

/** Resolves to the modes of a catalog; null without a catalog. Rejects with `MODES_UNAVAILABLE`. */
export async function readModes(
  catalog: ModeCatalog | null,
  signal: AbortSignal,
): Promise<readonly ModeSummary[] | null> {
  if (catalog === null) return null;
  let modes: readonly (ModeSummary | null)[];
  try {
    modes = await catalog.listModes({ signal });
  } catch (cause) {
    throw new ToolmountError("MODES_UNAVAILABLE", { problem: "the catalog failed" }, { cause });
  }
  if (!Array.isArray(modes))
    throw new ToolmountError("MODES_UNAVAILABLE", { problem: "the catalog returned no list" });
  return modes.filter((mode): mode is ModeSummary => typeof mode?.key === "string");
}

function requireMode(modes: readonly ModeSummary[], key: string): PickedMode {
  const mode = found(modes, key);
  if (mode !== null) return mode;
  throw new ToolmountError("MODE_UNKNOWN", { mode: key.slice(0, 100), known: modes.map((one) => one.key) });
}

function found(modes: readonly ModeSummary[], key: string | null): PickedMode | null {
  const summary = modes.find((mode) => mode.key === key);
  return summary === undefined ? null : { key: summary.key, summary };
}

function defaultOf(modes: readonly ModeSummary[]): PickedMode {
  const summary = modes.find(({ isDefault }) => isDefault) ?? modes.find(({ key }) => key === defaultMode);
  return summary === undefined ? { key: defaultMode, summary: null } : { key: summary.key, summary };
}

import { ToolmountError } from "../contract/errors.ts";
import type { ModeCatalog, ModeSummary } from "../contract/ports.ts";

/** The mode of a session without one, unless the catalog has another default. Source: TUL-007. */
export const defaultMode = "general";

export interface PickedMode {
  readonly key: string;
  readonly summary: ModeSummary | null;
}

/** The requested mode, else the session's, else the default; `modes` is null without a catalog. Throws `MODE_UNKNOWN`. */
export function pickMode(
  modes: readonly ModeSummary[] | null,
  requested: string | undefined,
  ofSession: string | null,
): PickedMode {
  if (modes === null) return { key: requested ?? ofSession ?? defaultMode, summary: null };
  if (requested !== undefined) return requireMode(modes, requested);
  return found(modes, ofSession) ?? defaultOf(modes);
}

/** The modes of a catalog; null without one. Rejects with `MODES_UNAVAILABLE`. */
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

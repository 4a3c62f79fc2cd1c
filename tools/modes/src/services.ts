import type { ModeCatalog } from "@toolmount/core";

/** What the tools of modes need of the world around them. */
export interface ModeServices {
  /** The catalog of modes; read at each call. */
  readonly catalog: ModeCatalog | null;
}

export interface ChangeModeServices extends ModeServices {
  /** Called after each change. */
  readonly tell?: ((change: ModeChanged) => void) | undefined;
}

/** A change of mode, as it is emitted and logged. The names are those of events. */
export interface ModeChanged {
  readonly session_id: string;
  readonly previous_mode: string;
  readonly mode: string;
  /** The user wants it in a new session, which is for the application to open; this session keeps its mode. */
  readonly branch: boolean;
  readonly reason: string;
  readonly user_id: string | null;
  readonly org_id: string | null;
}

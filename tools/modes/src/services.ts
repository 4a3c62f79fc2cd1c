import type { ModeCatalog } from "@toolmount/core";

/** Services that the tools for modes use. */
export interface ModeServices {
  /** The catalog of modes, which is looked up at each call. */
  readonly catalog: ModeCatalog | null;
}

export interface ChangeModeServices extends ModeServices {
  /** Called after each change of a mode, and for each wish for a new session in another mode. */
  readonly tell?: ((change: ModeChanged) => void) | undefined;
}

/** A change of mode in the form in which it is emitted and logged, with the field names of events. */
export interface ModeChanged {
  readonly session_id: string;
  readonly previous_mode: string;
  readonly mode: string;
  /** Whether the user wants the mode in a new session, which the application has to open. This session then keeps its mode. */
  readonly branch: boolean;
  readonly reason: string;
  readonly user_id: string | null;
  readonly org_id: string | null;
}

import type { ToolReturn } from "./result.ts";

/** One thing that a call would change, described for a person. */
export interface PreviewedEffect {
  /** What would change, for example a path, an address or the name of a list. */
  readonly target: string;
  readonly change: "create" | "change" | "delete" | "move" | "other";
  /** The difference between before and after, as text of several lines. */
  readonly difference?: string | undefined;
  /** What it would cost, if the tool knows: `{ amount: 12.5, currency: "EUR" }`. */
  readonly cost?: { readonly amount: number; readonly currency: string } | undefined;
}

/** What `preview` returns: what the call would change, and the result that it would give. */
export interface Preview {
  readonly effects: readonly PreviewedEffect[];
  readonly result: ToolReturn;
}

/** The part of a rehearsal that tools see: what their previews have staged so far. */
export interface StagedEffects {
  /** Returns the value of a key, which is made at its first use. It lives in this process as long as the rehearsal. */
  staged<Value>(key: string, make: () => Value): Value;
}

/** A rehearsal as it is in the context of its calls. Only `session.rehearse()` makes it. */
export interface RehearsalMark {
  readonly id: string;
}

/** A list of approved calls as it is in the context of real calls. Only `rehearsal.approve()` makes it. */
export interface ApprovedMark {
  readonly digest: string;
}

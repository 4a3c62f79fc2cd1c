import type { ToolReturn } from "./result.ts";

/** One thing that a call would change, for a person. */
export interface PreviewedEffect {
  /** What would change: a path, an address, the name of a list. */
  readonly target: string;
  readonly change: "create" | "change" | "delete" | "move" | "other";
  /** What is different afterwards, as text of several lines. */
  readonly difference?: string | undefined;
  /** What it would cost, where the tool knows: `{ amount: 12.5, currency: "EUR" }`. */
  readonly cost?: { readonly amount: number; readonly currency: string } | undefined;
}

/** What `preview` returns: what the call would change, and the result that it would give. */
export interface Preview {
  readonly effects: readonly PreviewedEffect[];
  readonly result: ToolReturn;
}

/** The part of a rehearsal that tools see: what their previews staged so far. */
export interface StagedEffects {
  /** The value under a key, made at its first use. It lives as long as the rehearsal, in this process. */
  staged<Value>(key: string, make: () => Value): Value;
}

/** A rehearsal, as the context of its calls has it. Only `session.rehearse()` makes one. */
export interface RehearsalMark {
  readonly id: string;
}

/** A list of approved calls, as the context of real calls has it. Only `rehearsal.approve()` makes one. */
export interface ApprovedMark {
  readonly digest: string;
}

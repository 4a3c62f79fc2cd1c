import type { Json, JsonObject } from "../json/json.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { PreviewedEffect } from "./preview.ts";

/** What a tool's `undo` gets: one change of an earlier call, as `context.undoable` stored it. */
export interface UndoRequest {
  /** The same for every attempt to undo this change, so it can be an idempotency key for the service that is called. */
  readonly id: string;
  /** What the tool gave to `context.undoable`. */
  readonly data: Json;
  /** The arguments of that call that the tool lists in `control`; all if it lists none. Long values are left out. */
  readonly arguments: JsonObject;
  readonly callId: string;
  readonly runId: string;
}

/** A change that a call of a session made, or a call that announced that it cannot be undone. */
export interface SessionChange {
  /** The place of the change among the changes of its session; later changes have higher numbers. */
  readonly number: number;
  /** The session of the agent that made the change, if this session began that agent; absent for this session's own changes. */
  readonly sessionId?: string | undefined;
  /** When the call began to make the change, in milliseconds since the epoch. */
  readonly at: number;
  readonly tool: string;
  readonly callId: string;
  readonly runId: string;
  /** For an agent's change, the turn of this session that began the agent. */
  readonly turnId?: string | undefined;
  /** Run ids of the calls whose tools made this call, the innermost first. */
  readonly parents?: readonly string[] | undefined;
  /** The arguments that say what was changed; secrets are masked. */
  readonly arguments: JsonObject;
  /** Why the change cannot be undone; absent if it can be undone. */
  readonly irreversible?: string | undefined;
  readonly isUndone: boolean;
  /** Set if an undo of the change began and has not ended: a process undoes it now, or died or stalled in the middle. */
  readonly undoBegan?: true;
}

/** The combined effect of all changes that are not undone: each target from before its first change until now. */
export interface SessionDifference {
  readonly effects: readonly PreviewedEffect[];
  /** Changes whose tools do not say what they changed. */
  readonly unknown: readonly SessionChange[];
}

/** Selects changes of a session. Without any member, all changes are selected. */
export interface ChangeFilter {
  /** A call by its id or run id, including the calls that its tool made. */
  readonly call?: string | undefined;
  readonly turn?: string | undefined;
  /** Only changes with a higher number than this, and the changes that agents made after the change of this number. */
  readonly after?: number | undefined;
}

/**
 * A person's decision about changes whose undo began in a process that died or stalled, and whose tool has no idempotent undo:
 * `repeat` runs the undo again, `done` records that the change is undone. Without a decision, the undo of the session stops
 * there with `OUTCOME_UNKNOWN`.
 */
export type UnclearUndo = "repeat" | "done";

/** Selects the changes to undo. */
export interface UndoSelection extends ChangeFilter {
  readonly unclear?: UnclearUndo | undefined;
}

/** The result of `session.undo`. */
export interface UndoReport {
  /** The changes that this undo has undone, or recorded as `done`, newest first. Another undo may have undone others. */
  readonly undone: readonly SessionChange[];
  /** The change that could not be undone, its outcome, and later changes of the same target. Null if all are undone. */
  readonly stopped: {
    readonly change: SessionChange;
    readonly outcome: ToolOutcome;
    readonly later: readonly SessionChange[];
  } | null;
  /** The selected changes that were not tried after the undo stopped, newest first. Undo again to continue. */
  readonly left: readonly SessionChange[];
  /** The selected changes that cannot be undone: they stay done. */
  readonly irreversible: readonly SessionChange[];
  /** Whether the session's oldest changes are no longer kept, so that it cannot be undone to its start. */
  readonly isPartial: boolean;
}

/** Names the process of a host, for other processes that use its store. */
export interface ProcessMark {
  readonly id: string;
  /** Whether the process with this id has ended; null if this process cannot know, for example about another machine. */
  isGone(id: string): boolean | null;
}

import type { Json, JsonObject } from "../json/json.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { PreviewedEffect } from "./preview.ts";

/** What a tool's `undo` gets: one change of an earlier call, as `context.undoable` stored it. */
export interface UndoRequest {
  /** The same for every attempt to undo this change: a key for services that take one against double execution. */
  readonly id: string;
  /** What the tool gave to `context.undoable`. */
  readonly data: Json;
  /** The arguments of that call that the tool names as `control`; all, when it names none. Long ones are left out. */
  readonly arguments: JsonObject;
  readonly callId: string;
  readonly runId: string;
}

/** One change that a call of a session made, or announced that it cannot be undone. */
export interface SessionChange {
  /** Its place among the changes of its session; later changes have higher numbers. */
  readonly number: number;
  /** The session of an agent that this session began, directly or not; absent for a change of the session itself. */
  readonly sessionId?: string | undefined;
  /** When the call began to make it, in milliseconds since the epoch. */
  readonly at: number;
  readonly tool: string;
  readonly callId: string;
  readonly runId: string;
  /** Of an agent's change: the turn of this session that began the agent. */
  readonly turnId?: string | undefined;
  /** Run ids of the calls whose tools made this call, the innermost first. */
  readonly parents?: readonly string[] | undefined;
  /** The arguments that say what was changed; secrets are masked. */
  readonly arguments: JsonObject;
  /** Why it cannot be undone; absent for a change that can. */
  readonly irreversible?: string | undefined;
  readonly isUndone: boolean;
  /** An undo of it began and has not ended: another process undoes it now, or died or stalled in the middle. */
  readonly undoBegan?: true;
}

/** What changes that are not undone made different: each target from before the first of them to now. */
export interface SessionDifference {
  readonly effects: readonly PreviewedEffect[];
  /** Changes of which no tool says what they made different. */
  readonly unknown: readonly SessionChange[];
}

/** Selects changes of a session. Without a member: all. */
export interface ChangeFilter {
  /** A call by its id or run id, with the calls that its tool made. */
  readonly call?: string | undefined;
  readonly turn?: string | undefined;
  /** Only changes with a higher number, and those that agents made after the one of this number. */
  readonly after?: number | undefined;
}

/**
 * What a person decided about changes whose undo began in a process that died or stalled, and whose tool has no idempotent undo:
 * `repeat` runs it again, `done` notes that the change is undone. Without a decision the undo stops there with
 * `OUTCOME_UNKNOWN`.
 */
export type UnclearUndo = "repeat" | "done";

/** Selects what is undone. */
export interface UndoSelection extends ChangeFilter {
  readonly unclear?: UnclearUndo | undefined;
}

/** What `session.undo` did. */
export interface UndoReport {
  /** The changes that this undo has undone, newest first. Another one may have undone others meanwhile. */
  readonly undone: readonly SessionChange[];
  /** The change that could not be undone, why, and later changes of the session with the same target. Null: all are undone. */
  readonly stopped: {
    readonly change: SessionChange;
    readonly outcome: ToolOutcome;
    readonly later: readonly SessionChange[];
  } | null;
  /** The changes that stay done after the one that stopped, newest first. Undo again to continue. */
  readonly left: readonly SessionChange[];
  /** The selected changes that cannot be undone: they stay done. */
  readonly irreversible: readonly SessionChange[];
  /** The oldest changes of the session are no longer kept: it cannot be undone to its start. */
  readonly isPartial: boolean;
}

/** Names the process of a host, for other processes that use its store. */
export interface ProcessMark {
  readonly id: string;
  /** Whether the process of an id has ended; null when that is not known here, as of another machine. */
  isGone(id: string): boolean | null;
}

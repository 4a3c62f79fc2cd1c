import type { CancellationToken } from "./cancellation.ts";
import type { ChangeFilter, SessionChange, SessionDifference, UndoReport, UndoSelection } from "./changes.ts";
import type { CallContext, CallRequest, SessionState } from "./context.ts";
import type { ToolInfo } from "./tool.ts";
import type { JsonObject } from "../json/json.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { Rehearsal } from "./rehearsal.ts";

/** The session, mode and turn for which tools are offered. */
export interface OfferFilter {
  /** The mode; default the session's mode, or else the catalog's default. A mode that the catalog lacks is `MODE_UNKNOWN`. */
  readonly mode?: string | undefined;
  /** The session whose mode and activated tools are used. */
  readonly sessionId?: string | undefined;
  /** The current turn. If the mode was changed in this turn, the change takes effect in the next turn. */
  readonly turnId?: string | undefined;
}

/** The tools for a model's next request. The same state gives exactly the same offer. */
export interface Offer {
  /** The mode of the offer. */
  readonly mode: string;
  /** The tools that may be called, sorted by name. */
  readonly tools: readonly ToolInfo[];
  /** With progressive disclosure: the tools that may be activated, sorted by name. */
  readonly available: readonly ToolInfo[];
  /**
   * Text for the system prompt of a request that has the definitions of `tools`: the mode's own text, the usage texts of the
   * tools, and a line for each tool in `available`. Empty if there is nothing to say.
   */
  readonly guidance: string;
  /** The part of `guidance` that comes from the mode: its `systemPromptSummary`. */
  readonly modeText: string;
}

/** The turn of a session's offer. */
export type SessionTurn = Pick<OfferFilter, "turnId">;

/** The context of a session's call, without the members that the session sets itself. */
export type SessionCallContext = Omit<CallContext, "sessionId" | "mode" | "cancellation">;

/** A session of a host. Its calls share state, a mode and the activated tools. */
export interface Session {
  readonly id: string;
  /** The state that the session's calls share as `context.session`. */
  readonly state: SessionState;
  /** Returns all of the session's state, for code that stores sessions itself. */
  snapshot(): JsonObject;
  /** Replaces the session's state with a stored state. */
  restore(state: JsonObject): void;
  /**
   * Loads the session's state from the session store. Calls and offers do this by themselves; it is only needed before `state` is
   * read in another process than the process that wrote it. Rejects with `STORE_FAILED`.
   */
  load(): Promise<void>;
  /** Runs one tool in this session's mode. */
  call(request: CallRequest, context?: SessionCallContext): Promise<ToolOutcome>;
  /** Resumes a waiting call of this session; see `Host.resume`. */
  resume(ticket: string, context?: SessionCallContext, clientResult?: unknown): Promise<ToolOutcome>;
  /** Resolves to the changes of the session's calls, oldest first, and to the calls that said that they cannot be undone. */
  changes(filter?: ChangeFilter): Promise<readonly SessionChange[]>;
  /** Resolves to one combined difference of all changes that are not undone. Secrets are masked. Rejects with `STORE_FAILED`. */
  difference(filter?: ChangeFilter): Promise<SessionDifference>;
  /**
   * Undoes changes, the newest first, each exactly once, even if several processes undo or a process dies or stalls. Each undo is
   * a call of the tool with the change as its input. It stops at the first that fails, and at a change whose undo began and is
   * not known to have ended, unless `unclear` says what to do then. Rejects with `STORE_FAILED`.
   */
  undo(selection?: UndoSelection, context?: SessionCallContext): Promise<UndoReport>;
  /**
   * Begins a rehearsal: a run of calls in which reads run and changes are only staged. It gives a list of what the calls would
   * change.
   */
  rehearse(): Rehearsal;
  /** Resolves to the mode in this turn. */
  mode(turn?: SessionTurn): Promise<string>;
  offer(turn?: SessionTurn): Promise<Offer>;
  tools(turn?: SessionTurn): Promise<readonly ToolInfo[]>;
  /** See `Host.guidance`. */
  guidance(turn?: SessionTurn): Promise<string>;
  /** With progressive disclosure, offers these tools in full from the next offer on. Unknown names are ignored. */
  activate(tools: readonly string[]): void;
  /** Stops the calls of this session only. `reset` allows new calls again. */
  readonly cancellation: CancellationToken;
  /**
   * Cancels this session's calls: no new calls start, and with `immediate` running calls are stopped, too.
   * Resolves, when no call is left, to whether the state changed.
   */
  cancel(options?: { immediate?: boolean | undefined }): Promise<boolean>;
  /**
   * Forgets the session's state, mode and activated tools in this process. A session store keeps them, so the session can be
   * resumed. Running calls are not stopped.
   */
  end(): void;
}

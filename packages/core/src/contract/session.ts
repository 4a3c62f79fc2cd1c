import type { CancellationToken } from "./cancellation.ts";
import type { ChangeFilter, SessionChange, SessionDifference, UndoReport, UndoSelection } from "./changes.ts";
import type { CallContext, CallRequest, SessionState } from "./context.ts";
import type { ToolInfo } from "./tool.ts";
import type { JsonObject } from "../json/json.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { Rehearsal } from "./rehearsal.ts";

/** The session, mode and turn for which tools are offered. */
export interface OfferFilter {
  /** The mode; default the session's, else the catalog's default. A mode that the catalog lacks is `MODE_UNKNOWN`. */
  readonly mode?: string | undefined;
  /** The session whose mode and activated tools count. */
  readonly sessionId?: string | undefined;
  /** The current turn. A mode that was changed in it takes effect in the next one. */
  readonly turnId?: string | undefined;
}

/** The tools for a model's next request. The same state gives the same offer, byte for byte. */
export interface Offer {
  /** The mode of the offer. */
  readonly mode: string;
  /** The tools that may be called, sorted by name. */
  readonly tools: readonly ToolInfo[];
  /** With progressive disclosure: the tools that may be activated, sorted by name. */
  readonly available: readonly ToolInfo[];
  /**
   * Text for the system prompt of a request that has the definitions of `tools`: the mode's own text, the usage texts of the
   * tools, and a line for each of `available`. Empty where there is nothing to say.
   */
  readonly guidance: string;
  /** The part of `guidance` that the mode says: its `systemPromptSummary`. */
  readonly modeText: string;
}

/** The part of a session's offer that depends on the turn. */
export type SessionTurn = Pick<OfferFilter, "turnId">;

/** The context of a session's call, without the fields that the session sets itself. */
export type SessionCallContext = Omit<CallContext, "sessionId" | "mode" | "cancellation">;

/** One session of a host: the calls that share state, a mode and the tools that were activated. */
export interface Session {
  readonly id: string;
  /** State that its calls share as `context.session`. */
  readonly state: SessionState;
  /** All of its state, for code that stores sessions itself. */
  snapshot(): JsonObject;
  /** Replaces its state with a stored one. */
  restore(state: JsonObject): void;
  /**
   * Loads its state from the session store. Calls and offers do this by themselves; it is needed before `state` is
   * read in another process than the one that wrote it. Rejects with `STORE_FAILED`.
   */
  load(): Promise<void>;
  /** Runs one tool in this session's mode. */
  call(request: CallRequest, context?: SessionCallContext): Promise<ToolOutcome>;
  /** Resumes a waiting call of this session; see `Host.resume`. */
  resume(ticket: string, context?: SessionCallContext, clientResult?: unknown): Promise<ToolOutcome>;
  /** What calls of the session changed, as far as their tools can undo it or say that they cannot, oldest first. */
  changes(filter?: ChangeFilter): Promise<readonly SessionChange[]>;
  /** The changes that are not undone as one difference. Secrets are masked. Rejects with `STORE_FAILED`. */
  difference(filter?: ChangeFilter): Promise<SessionDifference>;
  /**
   * Undoes changes, the newest first, each once, also when several processes do it or one of them dies or stalls. Each is a
   * call of its tool with the change as its input. It stops at the first that fails, and at one whose undo began and is not
   * known to have ended, unless `unclear` says what to do then. Rejects with `STORE_FAILED`.
   */
  undo(selection?: UndoSelection, context?: SessionCallContext): Promise<UndoReport>;
  /**
   * Begins a rehearsal: a run of calls in which reads run and changes are only staged. It ends with the list of what the
   * calls would change.
   */
  rehearse(): Rehearsal;
  /** The mode in this turn. */
  mode(turn?: SessionTurn): Promise<string>;
  offer(turn?: SessionTurn): Promise<Offer>;
  tools(turn?: SessionTurn): Promise<readonly ToolInfo[]>;
  /** See `Host.guidance`. */
  guidance(turn?: SessionTurn): Promise<string>;
  /** With progressive disclosure: offers these tools in full from the next offer on. Unknown names are ignored. */
  activate(tools: readonly string[]): void;
  /** Stops the calls of this session only. `reset` allows new calls again. */
  readonly cancellation: CancellationToken;
  /**
   * Cancels this session's calls: `call` starts no new ones, and with `immediate` running calls are stopped, too.
   * Resolves when no call is left, to whether the state changed.
   */
  cancel(options?: { immediate?: boolean | undefined }): Promise<boolean>;
  /**
   * Forgets its state, its mode and its activated tools in this process. A session store keeps them, so the session can
   * be resumed. Running calls are not stopped.
   */
  end(): void;
}

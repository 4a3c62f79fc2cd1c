import type { CancellationToken } from "./cancellation.ts";
import type { CallContext, CallRequest, SessionState } from "./context.ts";
import type { ToolInfo } from "./tool.ts";
import type { JsonObject } from "../json/json.ts";
import type { ToolOutcome } from "./outcome.ts";

/** For whom tools are offered. */
export interface OfferFilter {
  /** The mode; default the session's, else the catalog's default. A mode that the catalog lacks is `MODE_UNKNOWN`. */
  readonly mode?: string | undefined;
  /** Whose mode, and whose activated tools. */
  readonly sessionId?: string | undefined;
  /** The turn that is going on: a mode that was changed in it does not count yet. */
  readonly turnId?: string | undefined;
}

/** What a model is offered for its next request. The same state gives the same offer, to the byte. */
export interface Offer {
  /** The mode for which it is. */
  readonly mode: string;
  /** What may be called, sorted by name. */
  readonly tools: readonly ToolInfo[];
  /** With progressive disclosure: what may be activated, sorted by name. */
  readonly available: readonly ToolInfo[];
  /** For the system prompt: the guidance of `tools`, a line for each of `available`. Empty when there is neither. */
  readonly guidance: string;
}

/** The part of a session's offer that depends on the turn. */
export type SessionTurn = Pick<OfferFilter, "turnId">;

/** The context of a session's call: what the session knows itself is not asked for. */
export type SessionCallContext = Omit<CallContext, "sessionId" | "mode" | "cancellation">;

/** One session of a host: the calls that share state, a mode and the tools that were activated. */
export interface Session {
  readonly id: string;
  /** State that its calls share as `context.session`. */
  readonly state: SessionState;
  /** All of its state, for whoever keeps sessions. */
  snapshot(): JsonObject;
  /** Puts a kept state in place of the one there is. */
  restore(state: JsonObject): void;
  /**
   * Brings its state up to what a store of sessions has. Calls and offers do so by themselves; whoever reads `state`
   * in another process than the one that wrote it asks for it. Rejects with `STORE_FAILED`.
   */
  load(): Promise<void>;
  /** Runs one tool in this session's mode. */
  call(request: CallRequest, context?: SessionCallContext): Promise<ToolOutcome>;
  /** Goes on with a call of this session that waits; see `Host.resume`. */
  resume(ticket: string, context?: SessionCallContext, clientResult?: unknown): Promise<ToolOutcome>;
  /** The mode that counts in this turn. */
  mode(turn?: SessionTurn): Promise<string>;
  offer(turn?: SessionTurn): Promise<Offer>;
  tools(turn?: SessionTurn): Promise<readonly ToolInfo[]>;
  guidance(turn?: SessionTurn): Promise<string>;
  /** Offers these tools in full from the next offer on, where disclosure is progressive. Unknown names are ignored. */
  activate(tools: readonly string[]): void;
  /** Stops the calls of this session, and no others. `reset` lets new ones in again. */
  readonly cancellation: CancellationToken;
  /**
   * Asks for the end of this session's calls: no new ones through `call`, and with `immediate` those that run are
   * stopped, too. Tells whether that was news, once none of them is left.
   */
  cancel(options?: { immediate?: boolean | undefined }): Promise<boolean>;
  /**
   * Forgets its state, its mode and what was activated, here: what a store of sessions has is kept, and there for whoever
   * goes on with the session. Calls under way are not stopped.
   */
  end(): void;
}

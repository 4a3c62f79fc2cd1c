import type { CallContext, CallRequest } from "./context.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { ValueOrigin } from "./origins.ts";
import type { ApprovedMark, PreviewedEffect, RehearsalMark } from "./preview.ts";
import type { JsonObject } from "../json/json.ts";

/** A call of a rehearsal that would change something. */
export interface RehearsedCall {
  readonly tool: string;
  readonly callId: string;
  readonly runId: string;
  readonly arguments: JsonObject;
  /** Empty if the tool has no preview, so that it is not known what the call would change. */
  readonly effects: readonly PreviewedEffect[];
  /** Whether the tool said what it would change. If not, its result is not known, and no later read runs. */
  readonly isModelled: boolean;
  /** Whether the call could be undone after it ran; null if its tool does not say, or if the call ran on a copy. */
  readonly canUndo: boolean | null;
  /** Why the real call would ask a person. */
  readonly asks: readonly string[];
  /** Where the values of the call's arguments came from, if the plan has flows for the tool. */
  readonly origins: readonly ValueOrigin[];
}

/**
 * A run of calls in which reads run, and changes are only staged or made on a copy. It stops at the first read that may depend
 * on a change that it cannot see.
 */
export interface Rehearsal extends RehearsalMark {
  /** Makes a call of the session within the rehearsal. */
  call(
    request: CallRequest,
    context?: Omit<CallContext, "sessionId" | "mode" | "cancellation">,
  ): Promise<ToolOutcome>;
  /** The calls that would change something, in their order. */
  readonly calls: readonly RehearsedCall[];
  /** Why the rehearsal stopped early; null while it continues. */
  readonly stopped: string | null;
  /** Aborted when the rehearsal stops. */
  readonly abortSignal: AbortSignal;
  /** SHA-256 over the tools and arguments of the rehearsed calls, in their order. */
  readonly digest: string;
  /**
   * Asks one question for the whole list, and makes its calls after the answer. This is a call of the host's own tool: it can
   * wait in the store, be approved there, also with fewer calls (`first`), and be resumed by another process with its ticket.
   * Any other call that changes something asks before it runs. Throws `OPTION_INVALID` like `approve`.
   */
  make(
    list: ListToMake,
    context?: Omit<CallContext, "sessionId" | "mode" | "cancellation">,
  ): Promise<ToolOutcome>;
  /**
   * Approves the listed calls with one answer of a person. Real calls with the result as `approved` in their context run without
   * a question while they are the calls of the list, in its order, each once; any other call that changes something asks before
   * it runs. `digest` is that of the list that the person saw. Throws `OPTION_INVALID` for another digest, and for a rehearsal
   * that stopped early, unless `first` says how many calls of the list are approved.
   */
  approve(answer: {
    readonly digest: string;
    readonly by: string;
    readonly first?: number | undefined;
  }): ApprovedCalls;
}

/** The parameter of `rehearsal.make`: which calls to make. */
export interface ListToMake {
  /** The digest of the list that the person sees. */
  readonly digest: string;
  /** Makes only this many calls from the start of the list. Needed after a rehearsal that stopped early, unless `run` is set. */
  readonly first?: number | undefined;
  /** Calls that make the listed calls, such as the call of a program. Default: the listed calls themselves. */
  readonly run?:
    | readonly { readonly name: string; readonly arguments?: JsonObject | undefined }[]
    | undefined;
}

/** A list of calls that a person approved with one answer. It lives in this process. */
export interface ApprovedCalls extends ApprovedMark {
  readonly by: string;
  /** Number of calls of the list that were not made yet. */
  readonly left: number;
}

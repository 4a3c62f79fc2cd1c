import type { CallContext, CallRequest } from "./context.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { ValueOrigin } from "./origins.ts";
import type { ApprovedMark, PreviewedEffect, RehearsalMark } from "./preview.ts";
import type { JsonObject } from "../json/json.ts";

/** A call that would change something, in the order of the calls. */
export interface RehearsedCall {
  readonly tool: string;
  readonly callId: string;
  readonly runId: string;
  readonly arguments: JsonObject;
  /** Empty when the tool has no preview: what it would change is not known. */
  readonly effects: readonly PreviewedEffect[];
  /** Whether the tool said what it would change. If not, its result is not known, either, and no later read runs. */
  readonly isModelled: boolean;
  /** Whether the call could be undone after it ran; null when its tool does not say. */
  readonly canUndo: boolean | null;
  /** Why the real call would ask a person. */
  readonly asks: readonly string[];
  /** Where the values of its arguments came from, where the plan has flows for the tool. */
  readonly origins: readonly ValueOrigin[];
}

/**
 * A run of calls in which reads run, and changes are only staged, or made on a copy. It ends at the first read that depends on a change
 * that cannot be modelled.
 */
export interface Rehearsal extends RehearsalMark {
  /** Makes a call of the session as a part of the rehearsal. */
  call(
    request: CallRequest,
    context?: Omit<CallContext, "sessionId" | "mode" | "cancellation">,
  ): Promise<ToolOutcome>;
  /** The calls that would change something, in their order. */
  readonly calls: readonly RehearsedCall[];
  /** Why it ended before its calls did; null while it continues. */
  readonly stopped: string | null;
  /** Aborted when it stops. */
  readonly abortSignal: AbortSignal;
  /** SHA-256 over the tools and arguments of its calls, in their order. */
  readonly digest: string;
  /**
   * Asks one question for the whole list, and makes its calls after the answer. It is a call of the host's own tool: it can
   * wait in the store, be approved there or with fewer calls (`first`), and be resumed by another process with its ticket. Any
   * other call that changes something asks, before it runs. Throws `OPTION_INVALID` like `approve`.
   */
  make(
    list: ListToMake,
    context?: Omit<CallContext, "sessionId" | "mode" | "cancellation">,
  ): Promise<ToolOutcome>;
  /**
   * Approves its calls with one answer of a person. Real calls with the result as `approved` in their context run without a
   * question while they are the calls of the list, in its order, each once; any other call that changes something asks, before it
   * runs. `digest` is that of the list that the person saw. Throws `OPTION_INVALID` for another one, and for a rehearsal that ended
   * early unless `first` says how many calls of the list are meant.
   */
  approve(answer: {
    readonly digest: string;
    readonly by: string;
    readonly first?: number | undefined;
  }): ApprovedCalls;
}

/** What `rehearsal.make` makes. */
export interface ListToMake {
  /** Of the list that the person sees. */
  readonly digest: string;
  /** Only the first calls of the list. A rehearsal that ended early must be cut, or have `run`. */
  readonly first?: number | undefined;
  /** Calls that make the listed ones, such as that of a program. Default: the listed calls themselves. */
  readonly run?:
    | readonly { readonly name: string; readonly arguments?: JsonObject | undefined }[]
    | undefined;
}

/** A list of calls that a person approved with one answer. It lives in this process. */
export interface ApprovedCalls extends ApprovedMark {
  readonly by: string;
  /** How many calls of the list were not made yet. */
  readonly left: number;
}

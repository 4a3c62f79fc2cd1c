import type { CancellationToken } from "./cancellation.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { Logger } from "./logger.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { ApprovedMark, RehearsalMark, StagedEffects } from "./preview.ts";

/** A request to call a tool. `arguments` is an object, or the raw JSON text that a model wrote. */
export interface CallRequest {
  /** The caller's id of the call; unique among the calls of a session that have not ended. */
  readonly id?: string | undefined;
  readonly name: string;
  /** A missing value or blank text means `{}`. */
  readonly arguments?: JsonObject | Readonly<Record<string, unknown>> | string | undefined;
}

/** A request of a tool that runs code, with the line that makes the call, counted from 1, and its text. Approvers see both. */
export interface PlacedRequest extends CallRequest {
  readonly place?: { readonly line: number; readonly code: string } | undefined;
}

/** The place in a program of a call about which a person is asked. */
export interface CallPlace {
  /** The tool that runs the program. */
  readonly tool: string;
  readonly line: number;
  /** The text of the line, with invisible characters made visible; at most 200 characters. */
  readonly code: string;
  /** How many calls the program made before this one. */
  readonly after: number;
}

/** A question about a call that a program may have made. */
export interface Placed {
  readonly place?: CallPlace | undefined;
}

/** A turn that began the session of a call, such as the parent's turn that began a sub-agent. */
export interface CallCause {
  readonly sessionId: string;
  readonly turnId?: string | undefined;
  readonly callId?: string | undefined;
}

/** Who calls, on whose behalf, and until when. Never filled by the model. */
export interface CallContext {
  readonly sessionId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly userId?: string | undefined;
  /** The session's mode, which policies read. */
  readonly mode?: string | undefined;
  /** The same for all calls of one assistant turn. */
  readonly parallelGroupId?: string | undefined;
  /**
   * What the user has written in the session so far: prompts and typed answers, oldest first, without texts of files. The
   * application sets it, never a model. If absent, the host does not know the user's words.
   */
  readonly prompts?: readonly string[] | undefined;
  /** Other sessions whose results this session has seen, such as the parent of a sub-agent. */
  readonly parentSessionIds?: readonly string[] | undefined;
  /**
   * The turns and calls of other sessions that began this session, the nearest first. An undo of one of them undoes this call,
   * too.
   */
  readonly causes?: readonly CallCause[] | undefined;
  /** The rehearsal that the call belongs to, from `session.rehearse()`. Calls that its tool makes belong to it, too. */
  readonly rehearsal?: RehearsalMark | undefined;
  /** The list of calls that a person approved with one answer, from `rehearsal.approve()`. */
  readonly approved?: ApprovedMark | undefined;
  /** W3C trace context of the caller. */
  readonly traceparent?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  /** Stops calls in two steps, and lists those that run; one token may be given to many calls. */
  readonly cancellation?: CancellationToken | undefined;
  /**
   * Receives the ticket of a call whose question is stored, before an approver is asked, so that the call can be resumed even if
   * this process ends. The approver is asked when the returned promise resolves; a rejection denies the call.
   */
  readonly onQuestion?: ((ticket: string) => Promise<unknown> | void) | undefined;
  /**
   * Called when no gate denied the call and no person has to be asked, or a person approved. The tool runs when the returned
   * promise resolves; a rejection cancels the call.
   */
  readonly onAllowed?: (() => Promise<unknown> | void) | undefined;
  /** Receives what the tool reports while it runs. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The facts of one run as plain JSON, so that they can be sent to another process. */
export interface CallInfo {
  readonly callId: string;
  readonly runId: string;
  /** The name under which the tool is mounted. */
  readonly tool: string;
  /** 0 for a call from outside the host; each call by a tool adds 1. */
  readonly depth: number;
  /** When the deadline fires, in milliseconds since the epoch; absent without a deadline. */
  readonly deadlineAt?: number;
  readonly parentRunId?: string;
  readonly sessionId?: string;
  readonly conversationId?: string;
  readonly turnId?: string;
  readonly userId?: string;
  readonly mode?: string;
  readonly parallelGroupId?: string;
  readonly traceparent?: string;
  /** The id of the run whose change this call undoes; absent unless the call is an undo. */
  readonly undoOf?: string;
  /** The id of the rehearsal that the call belongs to; absent for real calls. */
  readonly rehearsalId?: string;
}

/** A report of a running tool about its progress. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** State that all calls of a session share. Values are JSON. */
export interface SessionState {
  get(key: string): Json | undefined;
  /** Throws a `ToolError` with the code `STATE_TOO_LARGE` when the value does not fit together with the others. */
  set(key: string, value: Json): void;
  delete(key: string): boolean;
}

/**
 * The second argument of `execute`: the facts of the call, and members that exist only in the process of the tool.
 * Service fields are added by declaration merging and by `coordinator.provide(name, …)`.
 */
export interface ToolContext extends CallInfo {
  /** Aborted when the caller cancels, the deadline passes or the host closes. */
  readonly abortSignal: AbortSignal;
  readonly logger: Logger;
  progress(progress: Progress): void;
  /** Calls another tool of the same host. This call's session, deadline, depth and budget apply to it. */
  call(request: PlacedRequest): Promise<ToolOutcome>;
  readonly session: SessionState;
  /**
   * Stores what the tool's `undo` needs to undo a change. Call it for each change and await it before the change, as late as
   * possible. Absent where no changes are kept: for a call without a session, and for a tool without `undo`. Rejects with
   * `STORE_FAILED`; the tool must then change nothing.
   */
  readonly undoable?: ((data: Json) => Promise<void>) | undefined;
  /** States why this call, unlike others of its tool, cannot be undone. Present and awaited like `undoable`. */
  readonly irreversible?: ((reason: string) => Promise<void>) | undefined;
  /** In a rehearsal, the effects that previews have staged. Absent in real calls. */
  readonly rehearsal?: StagedEffects | undefined;
  /** The arguments as the model wrote them, if they came as text. For adapters of other tool contracts. */
  readonly rawArguments?: string | undefined;
  /** From `coordinator.provide("auth", …)`; undefined when nothing provides it. */
  readonly auth?: unknown;
  /** From `coordinator.provide("client", …)`; undefined when nothing provides it. */
  readonly client?: unknown;
}

/** The members of a context that cannot be sent as JSON. The process in which a tool runs makes them. */
export interface RunnerMembers {
  readonly abortSignal: AbortSignal;
  readonly logger: Logger;
  readonly progress: ToolContext["progress"];
  readonly call: ToolContext["call"];
  readonly session: ToolContext["session"];
  readonly undoable?: ToolContext["undoable"];
  readonly irreversible?: ToolContext["irreversible"];
  readonly rehearsal?: StagedEffects | undefined;
  /** Members that context providers made in that process. */
  readonly services?: Readonly<Record<string, unknown>> | undefined;
}

/** Builds the context of a tool in the process of its runner: the call's facts, and the members made there. */
export function createRunnerContext(info: CallInfo, members: RunnerMembers): ToolContext {
  const { services, ...live } = members;
  return { ...services, ...info, ...live };
}

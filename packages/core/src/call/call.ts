import type { ProgressPace } from "../scheduling/progress-pace.ts";
import type { CancellationState, CancellationToken } from "../contract/cancellation.ts";
import type { Clock } from "../contract/clock.ts";
import type { CallContext, CallInfo, CallRequest } from "../contract/context.ts";
import type { EventData, Undo } from "../contract/hooks.ts";
import type { Logger, SecretTexts } from "../contract/logger.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { SessionId } from "../contract/own-session.ts";
import { ownSession } from "./call-state.ts";
import type { Runner } from "../contract/runner.ts";
import type { StoredCall } from "../pending/stored-call.ts";
import type { HostStores } from "../pending/stores.ts";
import type { Generation, Registered } from "../registry/generation.ts";
import type { PermitSource } from "../scheduling/semaphore.ts";
import type { MountedTool } from "../registry/prepare-tool.ts";
import type { ObserverEntry } from "../registry/registry.ts";
import type { KeptOutputs } from "../result/kept-outputs.ts";
import type { Deadlines, UnorderedList } from "../scheduling/time.ts";
import type { CalledUndo, SessionChanges } from "../sessions/changes.ts";
import type { SessionResults } from "../sessions/results.ts";
import type { SessionStates } from "../sessions/states.ts";
import type { ResolvedLimits } from "../scheduling/limits.ts";
import type { RateLimiter } from "../scheduling/rate-limiter.ts";
import type { Semaphore } from "../scheduling/semaphore.ts";
import type { Redactor } from "../text/redact.ts";
import type { ActiveTrace } from "../contract/call-trace.ts";
import { frozenCopy } from "../json/freeze.ts";
import type { ValueOrigin } from "../contract/origins.ts";
import type { PendingCall } from "../contract/tool.ts";
import { Ending, Timing, type ApprovalState, type InnerCalls, type MadeIn, type Stop } from "./call-state.ts";

/** The parts of a host that the hops of its calls use. */
export interface CallHost {
  readonly id: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: ResolvedLimits;
  /** The host's own time, in milliseconds. Its numbers are so small that V8 stores them without allocating memory. */
  readonly time: { now(): number; at(time: number): number; stamp(time: number): string };
  readonly ids: {
    nextRunId(): string;
    claim(sessionId: SessionId, callId: string): boolean;
    release(sessionId: SessionId, callId: string): void;
  };
  readonly stores: HostStores;
  readonly moduleSet: Registered;
  readonly states: Pick<SessionStates, "of" | "load" | "unsaved" | "save">;
  /** The results that sessions have seen. */
  readonly results: Pick<SessionResults, "add" | "of" | "load">;
  /** The changes that calls of sessions made. */
  readonly changes: Pick<SessionChanges, "keep" | "keepIrreversible">;
  readonly observers: {
    notify(observers: readonly ObserverEntry[], event: string, data: EventData): void;
    notifyNow(observers: readonly ObserverEntry[], event: string, data: EventData): void;
  };
  readonly callers: {
    followSignal(call: Call, signal: AbortSignal): void;
    followToken(call: Call, token: CancellationToken): void;
  };
  /** State of the host's own cancellation token. */
  readonly cancelState: CancellationState;
  readonly closing: boolean;
  /** Calls that have not ended. */
  readonly active: UnorderedList<Call>;
  /** Calls that ended without their tool, which still runs. */
  readonly abandoned: Set<Call>;
  readonly semaphore: Semaphore | null;
  readonly rateLimiter: RateLimiter | null;
  /** The application's runner, which runs every tool; null if it gave none. */
  readonly runner: Runner | null;
  readonly outputCheck: "off" | "warn" | "strict";
  readonly outputs: KeptOutputs;
  /** Masks secrets in what is stored or shown. */
  readonly redact: Redactor;
  /** Masks secrets in what tools return and report. */
  readonly secretTexts: Pick<SecretTexts, "maskReturned">;
  readonly isInterrupt: (thrown: unknown) => boolean;
  /** The deadline of each call, and the end of its grace after a stop. */
  readonly deadlines: Deadlines<Call>;
  /** Makes a call that the tool of `call` requests. */
  callFrom(call: Call, request: CallRequest): Promise<ToolOutcome>;
  /** Called when `call` has ended. If it failed, ends the open questions of the calls that its tool made. */
  readonly endQuestions: (call: Call) => void;
  /** Functions that are called when any call has ended. The list is empty while nothing waits for that. */
  onCallEnd: (() => void)[];
  /** Runs or continues the pipeline. It is a member so that a hop need not import the pipeline, which imports the hops. */
  readonly runPipeline: (call: Call) => void;
  readonly failInternally: (call: Call, thrown: unknown) => void;
}

/** The context of a call whose caller gave no context. */
export const emptyContext: CallContext = Object.freeze({});

/** A caller's token, and the calls that follow it. */
export interface FollowedToken {
  readonly calls: Set<Call>;
  stopListening: Undo | null;
}

/** What a hop answers: the next hop can run, or `resumeCall` continues the call later. */
export type HopAnswer = "next" | "waiting";

/** Gives the caller the outcome. A rejected promise makes the caller's `host.call` reject. */
export type Resolve = (outcome: ToolOutcome | Promise<never>) => void;

/** One call on its way through the hops. */
export class Call {
  readonly host: CallHost;
  request: CallRequest;
  given: CallContext;
  /** The key under which the host keeps what belongs to the session. */
  sessionKey: SessionId | undefined;
  readonly generation: Generation;
  /** The call whose tool made this call; null for a call from outside. */
  parent: Call | null = null;
  depth = 0;
  readonly runId: string;
  callId: string;
  readonly resolve: Resolve;

  readonly timing: Timing;
  readonly ending = new Ending();
  approval: ApprovalState | null = null;
  /** Where the values of the arguments came from, as policies found out. */
  origins: ValueOrigin[] | null = null;
  /** The kept result of {@link infoOf}. */
  info: CallInfo | null = null;
  /** The semaphores and rate limiters of which the call holds a permit. */
  permits: readonly PermitSource[] = [];
  stop: Stop | null = null;

  /** Index of the next hop. */
  hop = 0;
  /** Number of times that the call continued after a wait. A late answer has an older number and is ignored. */
  token = 0;
  /** Whether a hop waits; false while the pipeline runs. */
  waiting = false;
  /** Withdraws the question to a person, or leaves the queue for a permit. */
  withdraw: (() => void) | null = null;
  /** The user of the call, or else its session. Waiting calls of different users take turns. */
  get queuedFor(): string {
    return this.given.userId ?? this.sessionKey ?? "";
  }

  tool: MountedTool | null = null;
  /** The arguments as the schema parsed them, frozen; null before that. */
  arguments: Readonly<Record<string, unknown>> | null = null;
  /** The arguments before a gate changed them; null where none did. */
  unmodified: Call["arguments"] = null;
  /** Warnings for the model, for example of the parse or of a change that cannot be undone; null if there are none. */
  warnings: readonly string[] | null = null;
  /** Whether `tool:pre` was emitted, so that a terminal event must follow. */
  announced = false;

  /** Passes on the tool's progress at a limited pace; null before the first report. */
  pace: ProgressPace | null = null;
  context: { readonly abortSignal: AbortSignal; abort(reason?: DOMException): void } | null = null;
  executing = false;
  /** The result that a gate or the client gave, so that the tool does not run; null otherwise. */
  answered: { readonly value: unknown } | null = null;
  returned: unknown = undefined;
  thrown: { readonly value: unknown } | null = null;

  /** The calls that the tool makes; null before the first. */
  inner: InnerCalls | null = null;
  /** The call's place in the log of the call that made it; null if there is no such log. */
  madeIn: MadeIn | null = null;
  /** The record of a call that waits, or waited, for an approval or for the client. */
  stored: StoredCall | null = null;
  /** The ticket with which the session resumes the call, while it waits. */
  ticket: string | null = null;
  /** The host's own tool that this call runs, which no caller can name. Null for a call of a mounted tool. */
  own: MountedTool | null = null;
  /** Whether the call may run an internal tool. */
  isInternal = false;
  isLarge = false; // the arguments take long to walk, so the host does other work between the hops
  /** The change that the call undoes, and the module of the tool that made the change; null for a call that runs its tool. */
  undo: CalledUndo | null = null;
  /** The state of the session. This reference keeps the host from dropping the state while the call waits. */
  session: object | null = null;
  /** Whether the start of the call is in the audit. */
  audited = false;
  /** Whether the call id is claimed for the session. */
  claimedId = false;
  /** What listeners of the tracing channel see; null when the channel had none at the start. */
  trace: ActiveTrace | null = null;

  /** When the current deadline or grace period ends, in the host's time; 0 while neither runs. */
  due = 0;
  place = -1; // among the host's active calls; -1 when it is not one of them
  /** The calls that follow the same signal of a caller; `signalPlace` is the index of this call. */
  followedSignal: Call[] | null = null;
  signalPlace = 0;
  /** The caller's cancellation token, with all the calls that follow it. */
  followedToken: FollowedToken | null = null;
  /** The id under which the caller's token lists the call as running. */
  trackedAs: string | null = null;

  constructor(
    host: CallHost,
    generation: Generation,
    request: CallRequest,
    given: CallContext,
    resolve: Resolve,
    runId: string,
  ) {
    this.host = host;
    this.request = request;
    this.given = given;
    this.generation = generation;
    this.runId = runId;
    this.callId = request.id ?? runId;
    this.timing = new Timing(host.time.now());
    this.sessionKey = ownSession(given.userId, given.sessionId);
    this.resolve = resolve;
  }
}

/** Whether a gate, a policy, the tool or an approved list asks for an approval of the call. */
export function needsApproval({ approval }: Call): boolean {
  return approval !== null && approval.reasons.length > 0;
}

/** Returns the facts of a call as JSON for other processes. They are made once, and again when the deadline changes. */
export function infoOf(call: Call): CallInfo {
  return (call.info ??= Object.freeze(makeInfo(call)));
}

function makeInfo(call: Call): CallInfo {
  const { given, host, parent, stored, timing } = call;
  const { callId, runId, depth } = call;
  const info: Record<string, unknown> = { callId, runId, tool: call.tool!.name, depth };
  const parentRunId = parent?.runId ?? stored?.record.info.parentRunId;
  const traceparent = traceparentOf(call);
  if (timing.deadlineAt !== 0) info["deadlineAt"] = host.time.at(timing.deadlineAt);
  if (parentRunId !== undefined) info["parentRunId"] = parentRunId;
  if (given.sessionId !== undefined) info["sessionId"] = given.sessionId;
  if (given.conversationId !== undefined) info["conversationId"] = given.conversationId;
  if (given.turnId !== undefined) info["turnId"] = given.turnId;
  if (given.userId !== undefined) info["userId"] = given.userId;
  if (given.mode !== undefined) info["mode"] = given.mode;
  if (given.parallelGroupId !== undefined) info["parallelGroupId"] = given.parallelGroupId;
  if (traceparent !== undefined) info["traceparent"] = traceparent;
  if (given.rehearsal !== undefined) info["rehearsalId"] = given.rehearsal.id;
  if (call.undo !== null) info["undoOf"] = call.undo.request.runId;
  return info as unknown as CallInfo;
}

/** Returns what a policy or an approver learns about a call before its tool runs. */
export function factsOf(call: Call): PendingCall {
  return { info: infoOf(call), tool: call.tool!.info, arguments: call.arguments! };
}

/** Returns the trace context that the tool and nested calls see. */
export function traceparentOf(call: Call): string | undefined {
  return call.trace === null ? call.given.traceparent : call.trace.message.traceparent;
}

/** Returns arguments that no schema accepted, for observers: a copy, so that nothing but JSON reaches them. */
export function givenArguments(call: Call): unknown {
  const given: unknown = call.request.arguments;
  if (given === undefined || typeof given === "string") return given;
  try {
    return frozenCopy(given);
  } catch {
    return undefined; // not JSON, or its getters throw
  }
}

import type { CallInfo, CallRequest, Progress, SessionState, ToolContext } from "../contract/context.ts";
import type { ContextProvider } from "../contract/coordinator.ts";
import type { Logger } from "../contract/logger.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { StagedEffects } from "../contract/preview.ts";
import type { Json } from "../json/json.ts";
import { infoOf, traceparentOf, type Call } from "./call.ts";
import { keepChange, keepIrreversible, keepsChanges } from "./changes.ts";
import { createGuardedController } from "../scheduling/guarded-signal.ts";
import { ProgressPace } from "../scheduling/progress-pace.ts";
import { rehearsalOf } from "./rehearse.ts";
import { logFields } from "./trace.ts";

/** The context that a tool gets for its call. Signal, logger and session are made when the tool first reads them. */
export class ToolCallContext implements ToolContext {
  readonly #call: Call;
  #controller: AbortController | null = null;
  #logger: Logger | null = null;
  #session: SessionState | null = null;

  static callOf(context: ToolContext): Call {
    if (#call in context) return context.#call;
    throw new Error("this is not the context of a call that a host made");
  }

  constructor(call: Call) {
    this.#call = call;
    const { providers } = call.generation;
    if (providers.size > 0) addProvided(this, providers, () => infoOf(call));
  }

  get callId(): string {
    return this.#call.callId;
  }

  get runId(): string {
    return this.#call.runId;
  }

  get tool(): string {
    return this.#call.tool!.name;
  }

  get depth(): number {
    return this.#call.depth;
  }

  get deadlineAt(): number {
    const { host, timing } = this.#call;
    return (timing.deadlineAt === 0 ? undefined : host.time.at(timing.deadlineAt)) as never;
  }

  get parentRunId(): string {
    return this.#call.parent?.runId as never;
  }

  get sessionId(): string {
    return this.#call.given.sessionId as never;
  }

  get conversationId(): string {
    return this.#call.given.conversationId as never;
  }

  get turnId(): string {
    return this.#call.given.turnId as never;
  }

  get userId(): string {
    return this.#call.given.userId as never;
  }

  get mode(): string {
    return this.#call.given.mode as never;
  }

  get parallelGroupId(): string {
    return this.#call.given.parallelGroupId as never;
  }

  get rehearsal(): StagedEffects | undefined {
    return rehearsalOf(this.#call) ?? undefined;
  }

  get rehearsalId(): string {
    return this.#call.given.rehearsal?.id as never;
  }

  get undoOf(): string {
    return this.#call.undo?.request.runId as never;
  }

  get traceparent(): string {
    return traceparentOf(this.#call) as never;
  }

  get rawArguments(): string | undefined {
    const given: unknown = this.#call.request.arguments;
    return typeof given === "string" ? given : undefined;
  }

  get abortSignal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = createGuardedController((err) =>
        this.logger.error({ err }, "an abort listener of a tool failed"),
      );
      if (this.#call.stop !== null) this.abort();
    }
    return this.#controller.signal;
  }

  get logger(): Logger {
    return (this.#logger ??= this.#call.host.logger.child(logFields(this.#call)));
  }

  get session(): SessionState {
    const { given, host, sessionKey } = this.#call;
    if (this.#session !== null) return this.#session;
    const state = host.states.of(sessionKey);
    return (this.#session =
      given.rehearsal === undefined ? state : rehearsalOf(this.#call)!.stateOver(state, sessionKey));
  }

  // These getters return functions, so that a tool can destructure its context.
  get progress(): (progress: Progress) => void {
    return (progress) => reportProgress(this.#call, progress);
  }

  get undoable(): ((data: Json) => Promise<void>) | undefined {
    return keepsChanges(this.#call) ? (data) => keepChange(this.#call, data) : undefined;
  }

  get irreversible(): ((reason: string) => Promise<void>) | undefined {
    return keepsChanges(this.#call) ? (reason) => keepIrreversible(this.#call, reason) : undefined;
  }

  get call(): (request: CallRequest) => Promise<ToolOutcome> {
    if (this.#call.undo !== null) return () => Promise.reject(new Error("an undo makes no calls"));
    return (request) => this.#call.host.callFrom(this.#call, request);
  }

  /** Aborts the signal if the tool has read it. */
  abort(reason = stopError(this.#call)): void {
    this.#controller?.abort(reason);
  }
}

function stopError({ stop, tool }: Call): DOMException {
  return stop!.reason === "deadline"
    ? new DOMException(`the deadline of ${tool!.timeoutMs} ms passed`, "TimeoutError")
    : new DOMException(stop!.message, "AbortError");
}

/** Adds the members that modules provide. Each is made when the tool first reads it, at most once a call. */
export function addProvided(
  context: ToolContext,
  providers: ReadonlyMap<string, ContextProvider>,
  info: () => CallInfo,
): void {
  for (const [name, provide] of providers) {
    let made: { value: unknown } | undefined;
    Object.defineProperty(context, name, {
      get: () => (made ??= { value: provide(info()) }).value,
      enumerable: true,
      configurable: true,
    });
  }
}

/** Longest message of a progress report, in characters; the rest is cut. */
const maxMessage = 1_000;

/** Reports progress to the caller and to observers at a limited pace. A listener that fails does not fail the tool. */
function reportProgress(call: Call, given: Progress): void {
  if (!call.executing) return;
  extendDeadline(call);
  if (call.given.onProgress === undefined && call.generation.observers("tool:progress").length === 0) return;
  const progress = readProgress(given, call.host.secretTexts.maskReturned);
  if (progress === null)
    return call.host.logger.warn(logFields(call), "a tool reported progress that is not a number");
  call.pace ??= new ProgressPace(call.host.clock, (one) => passOn(call, one));
  call.pace.report(progress);
}

/** Restarts the timeout at a report of progress, if the tool has a longer maximum time, which still limits the call. */
function extendDeadline(call: Call): void {
  const { timing, parent, host, stop } = call;
  const { timeoutMs, maxTimeoutMs } = call.tool!;
  if (maxTimeoutMs === 0 || stop !== null || timing.deadlineAt === 0) return;
  const now = host.time.now();
  const inherited = parent?.timing.deadlineAt ?? 0;
  const last = timing.executedAt + Math.max(timeoutMs, maxTimeoutMs);
  const next = Math.min(now + timeoutMs, last, inherited === 0 ? last : inherited);
  if (next <= timing.deadlineAt) return;
  call.info = null; // it states the former deadline
  timing.deadlineAt = next;
  host.deadlines.start(call, next - now, now);
}

function passOn(call: Call, progress: Progress): void {
  if (!call.executing) return;
  const { generation, host } = call;
  const { onProgress } = call.given;
  const observers = generation.observers("tool:progress");
  try {
    onProgress?.(progress);
  } catch (err) {
    host.logger.warn({ err, ...logFields(call) }, "the caller's onProgress failed");
  }
  if (observers.length > 0)
    host.observers.notifyNow(observers, "tool:progress", {
      tool_name: call.tool!.name,
      tool_call_id: call.callId,
      run_id: call.runId,
      ...progress,
    });
}

/** Returns the known members of a progress report; null for an invalid report. */
function readProgress(given: unknown, mask: ((text: string) => string) | null): Progress | null {
  if (typeof given !== "object" || given === null) return null;
  const { progress, total, message } = given as Record<string, unknown>;
  if (typeof progress !== "number" || !Number.isFinite(progress)) return null;
  return Object.freeze({
    progress,
    ...(typeof total === "number" && Number.isFinite(total) ? { total } : {}),
    ...(typeof message === "string" ? { message: (mask?.(message) ?? message).slice(0, maxMessage) } : {}),
  });
}

/** Returns the call of a context, for tools of the host itself. */
export function callOf(context: ToolContext): Call {
  return ToolCallContext.callOf(context);
}

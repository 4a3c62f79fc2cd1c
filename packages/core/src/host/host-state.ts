import { randomBytes } from "node:crypto";
import {
  createCancellation,
  type CancellationState,
  type CancellationToken,
} from "../contract/cancellation.ts";
import { CancellationWatch } from "../call/cancellation.ts";
import { isoTime, type Clock } from "../contract/clock.ts";
import type { CallContext, CallInfo, CallRequest, Progress } from "../contract/context.ts";
import { Desk } from "../pending/desk.ts";
import type { Home, ModuleState } from "../registry/module.ts";
import type { HostLimits, HostOptions } from "../contract/host.ts";
import { errorMessage } from "../contract/errors.ts";
import { isToolInterrupt } from "../contract/interrupt.ts";
import { requireCount, requireRate } from "../scheduling/check-limits.ts";
import { LinkedList } from "../scheduling/linked-list.ts";
import { guardLogger, silentLogger, type Logger } from "../contract/logger.ts";
import { KeptOutputs } from "../result/kept-outputs.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import { Pace } from "../scheduling/rate-limiter.ts";
import type { Approver, Runner } from "../contract/ports.ts";
import type { ObserverEntry } from "../registry/registry.ts";
import { readProgress } from "../call/progress.ts";
import { createRedactor, type Redactor } from "../text/redact.ts";
import { Run } from "../call/call.ts";
import { systemClock } from "../contract/clock.ts";
import { SessionStates } from "../sessions/states.ts";
import type { KeptState } from "../sessions/state.ts";
import { SignalWatch } from "../scheduling/abort-signals.ts";
import { abandon, stop } from "../call/transitions.ts";
import { Slots } from "../scheduling/semaphore.ts";
import { TimerList } from "../scheduling/deadlines.ts";
import { giveTurns } from "../call/permits.ts";
import { beginTrace, callChannel, traceparentOf } from "../call/trace.ts";
import { runFields } from "../call/log-fields.ts";

/** Bounds with their defaults filled in. */
export type ResolvedLimits = {
  readonly [Key in keyof HostLimits]-?: NonNullable<HostLimits[Key]> | undefined;
} & {
  readonly outputBytes: number;
  readonly argumentBytes: number;
  readonly graceMs: number;
  readonly queued: number;
  readonly abandoned: number;
  readonly depth: number;
  readonly keptBytes: number;
  readonly cleanupMs: number;
};

/** What all calls of one host share. Inside of core only; `Host` is its face. */
export class HostState {
  readonly clock: Clock;
  /** When the host's own time began, in milliseconds since the epoch; its first moment is 1. */
  readonly epoch: number;
  readonly logger: Logger;
  readonly limits: ResolvedLimits;
  readonly approver: Approver | null;
  /** What outlives a call. */
  readonly desk: Desk;
  /** Runs every tool, where one was given. */
  readonly runner: Runner | null;
  readonly outputCheck: "off" | "warn" | "strict";
  readonly isInterrupt: (thrown: unknown) => boolean;
  readonly grace: TimerList<Run>;
  readonly signals = new SignalWatch<Run>((run) => stop(run, "caller", "Request was cancelled"));
  readonly cancellations = new CancellationWatch();
  /** Stops the calls of the whole host. */
  readonly cancellation: CancellationToken = createCancellation(() => this.runningCalls());
  /** What it says, for a look that costs nothing. */
  cancelState: CancellationState = "none";
  /** Calls under way. */
  readonly active = new LinkedList<Run>();
  /** Runs that were given up while their tool ran on. */
  readonly abandoned = new Set<Run>();
  readonly turns: Slots | null;
  readonly pace: Pace | null;
  readonly outputs: KeptOutputs;
  /** Masks secrets in what is kept. */
  readonly redact: Redactor;
  /** What observers returned and is not settled; `close` waits for it. */
  readonly observing = new Set<Promise<unknown>>();
  /** What the calls of each session share. */
  readonly states: SessionStates = new SessionStates(this);
  home!: Home;
  /** What whoever made the host registers; it alone may tell of plans and modules. */
  own!: ModuleState;
  closing = false;
  lateResults = 0;
  /** Told when a call ends, while somebody drains. */
  onIdle: (() => void)[] = [];

  readonly #deadlines = new Map<number, TimerList<Run>>();
  readonly #calls = new Map<string, Set<string>>();
  /** Begins the ids of its runs; in a process of many hosts it tells them apart. */
  readonly id = randomBytes(6).toString("hex");
  readonly #runPrefix = `${this.id}-`;
  #runs = 0;
  #lastTime = 1;
  #stampedTime = -1;
  #stampedText = "";
  #order = 0;

  /** Takes a run through its hops; given, so that hops can go on without knowing the path. */
  readonly walk: (run: Run) => void;
  readonly breakDown: (run: Run, thrown: unknown) => void;

  constructor(
    options: HostOptions,
    path: { walk: (run: Run) => void; breakDown: (run: Run, thrown: unknown) => void },
  ) {
    this.walk = path.walk;
    this.breakDown = path.breakDown;
    this.clock = options.clock ?? systemClock;
    this.epoch = this.clock.now() - 1;
    this.logger = guardLogger(options.logger ?? silentLogger);
    this.limits = resolveLimits(options.limits ?? {});
    this.approver =
      typeof options.approver === "function" ? { ask: options.approver } : (options.approver ?? null);
    this.desk = new Desk(this, options);
    this.runner = options.runner ?? null;
    this.outputCheck = options.outputCheck ?? "strict";
    const claimed = options.isInterrupt ?? (() => false);
    this.isInterrupt = (thrown) => isToolInterrupt(thrown) || claimed(thrown);
    this.grace = new TimerList<Run>(this, this.limits.graceMs, abandon);
    this.turns = this.limits.concurrentTotal === undefined ? null : new Slots(this.limits.concurrentTotal);
    this.pace = this.limits.rateTotal === undefined ? null : new Pace(this.limits.rateTotal, this.clock);
    this.redact = createRedactor(options.secrets);
    this.outputs = new KeptOutputs(this.limits.keptBytes);
  }

  /** The host's own time. A clock that fails stands still: no deadline may be lost to it. */
  time(): number {
    try {
      return (this.#lastTime = this.clock.now() - this.epoch);
    } catch (err) {
      this.logger.error({ err }, "the clock failed");
      return this.#lastTime;
    }
  }

  /** ISO 8601 text of a moment of the host's own time, kept for as long as the millisecond lasts. */
  stamp(time: number): string {
    if (time !== this.#stampedTime) {
      this.#stampedText = new Date(this.epoch + time).toISOString();
      this.#stampedTime = time;
    }
    return this.#stampedText;
  }

  /** Ties between handlers of one priority go by this. */
  nextOrder(): number {
    return ++this.#order;
  }

  nextRunId(): string {
    return this.#runPrefix + (++this.#runs).toString(36);
  }

  call(request: CallRequest, context: CallContext, parent: Run | null): Promise<ToolOutcome> {
    const promise = new Promise<ToolOutcome>(keepResolve);
    const resolve = keptResolve;
    try {
      const generation = parent === null ? this.home.generation() : parent.generation;
      this.begin(new Run(this, generation, request, context, parent, resolve));
    } catch (err) {
      resolve(this.#stillborn(request, err));
    }
    return promise;
  }

  /** The outcome of a call that could not even begin: a request that is none, or a clock that failed. */
  #stillborn(request: unknown, err: unknown): ToolOutcome {
    this.logger.error({ err }, "a call could not begin");
    const runId = this.nextRunId();
    const tool = textOf(request, "name") ?? "";
    const fetchedAt = new Date(this.epoch).toISOString();
    return {
      callId: textOf(request, "id") ?? runId,
      runId,
      tool,
      status: "failed",
      result: { tool, fetchedAt, error: errorMessage("INTERNAL", {}), code: "INTERNAL" },
      durationMs: 0,
    };
  }

  /** Sends a run on its way, watched by whoever listens to the tracing channel. */
  begin(run: Run): void {
    if (callChannel.hasSubscribers) beginTrace(run);
    else this.walk(run);
  }

  /** A tool calls a tool: the same session, people and signal; one level deeper. Its progress is its own. */
  callFrom(run: Run, request: CallRequest): Promise<ToolOutcome> {
    const abortSignal = run.context!.abortSignal;
    return this.call(
      request,
      {
        ...run.given,
        abortSignal,
        onProgress: undefined,
        onQuestion: undefined,
        traceparent: traceparentOf(run),
      },
      run,
    );
  }

  /** The timer list of all calls with this timeout. */
  deadlines(timeoutMs: number): TimerList<Run> {
    const known = this.#deadlines.get(timeoutMs);
    if (known !== undefined) return known;
    const list = new TimerList<Run>(this, timeoutMs, (run) => stop(run, "deadline", "the deadline passed"));
    this.#deadlines.set(timeoutMs, list);
    return list;
  }

  /** Notes a caller's id as running; false when the session already runs one of that id. */
  claimCallId(sessionId: string, callId: string): boolean {
    const ids = this.#calls.get(sessionId) ?? new Set();
    if (ids.has(callId)) return false;
    this.#calls.set(sessionId, ids.add(callId));
    return true;
  }

  releaseCallId(sessionId: string, callId: string): void {
    const ids = this.#calls.get(sessionId);
    ids?.delete(callId);
    if (ids?.size === 0) this.#calls.delete(sessionId);
  }

  sessionState(sessionId: string | undefined): KeptState {
    return this.states.of(sessionId);
  }

  forgetSession(sessionId: string): void {
    this.states.forget(sessionId);
  }

  infoOf(run: Run): CallInfo {
    const { given } = run;
    const deadlineAt = run.deadlineAt === 0 ? undefined : this.epoch + run.deadlineAt;
    return {
      callId: run.callId,
      runId: run.runId,
      tool: run.tool!.name,
      depth: run.depth,
      ...optional({ deadlineAt, parentRunId: run.parent?.runId ?? run.case?.record.info.parentRunId }),
      ...optional({ sessionId: given.sessionId, conversationId: given.conversationId, turnId: given.turnId }),
      ...optional({ userId: given.userId, mode: given.mode }),
      ...optional({ parallelGroupId: given.parallelGroupId, traceparent: traceparentOf(run) }),
    };
  }

  /**
   * Tells of a tool's progress. It changes nothing else: no deadline begins anew, what listens cannot harm the tool, and
   * what is over stays over.
   */
  progress(run: Run, given: Progress): void {
    if (!run.executing) return;
    const { onProgress } = run.given;
    const observers = run.generation.observers("tool:progress");
    if (onProgress === undefined && observers.length === 0) return;
    const progress = readProgress(given);
    if (progress === null) return this.logger.warn(runFields(run), "progress that is no number");
    this.#tellCaller(run, progress);
    if (observers.length > 0)
      this.tellNow(observers, "tool:progress", {
        tool_name: run.tool!.name,
        tool_call_id: run.callId,
        run_id: run.runId,
        ...progress,
      });
  }

  /** The caller's own callback must not fail the tool that reports. */
  #tellCaller(run: Run, progress: Progress): void {
    try {
      run.given.onProgress?.(progress);
    } catch (err) {
      this.logger.warn({ err, ...runFields(run) }, "whoever listens to the progress of a call failed");
    }
  }

  /** Stamps an event with the time, freezes it, and tells observers. */
  tellNow(observers: readonly ObserverEntry[], event: string, data: Readonly<Record<string, unknown>>): void {
    this.tell(observers, event, Object.freeze({ ...data, timestamp: isoTime(this.clock.now()) }));
  }

  /** Tells observers of a frozen event. They are not waited for, and their faults are logged. */
  tell(observers: readonly ObserverEntry[], event: string, data: Readonly<Record<string, unknown>>): void {
    for (const observer of observers) {
      try {
        const returned = observer.handler(event, data);
        if (returned instanceof Promise) this.#watch(returned, observer, event);
      } catch (error) {
        this.#blame(error, observer, event);
      }
    }
  }

  #watch(returned: Promise<unknown>, observer: ObserverEntry, event: string): void {
    const settled: Promise<unknown> = returned
      .catch((error: unknown) => this.#blame(error, observer, event))
      .finally(() => this.observing.delete(settled));
    this.observing.add(settled);
  }

  #blame(err: unknown, observer: ObserverEntry, event: string): void {
    this.logger.warn({ err, observer: observer.name, owner: observer.owner, event }, "an observer failed");
  }

  /** Forgets a run that is over. */
  leave(run: Run): void {
    run.timer.leave();
    run.signal?.leave();
    run.cancellation?.leave();
    if (run.trackedAs !== null) run.given.cancellation!.registerToolComplete(run.trackedAs);
    run.active.leave();
    giveTurns(run);
    if (run.claimedId) {
      this.releaseCallId(run.given.sessionId!, run.callId);
      run.claimedId = false;
    }
    if (this.onIdle.length > 0) for (const check of this.onIdle.slice()) check();
  }

  /** Calls whose tool runs now, for the host's own token. */
  *runningCalls(): Iterable<[string, string]> {
    for (const run of this.active.items()) if (run.executing) yield [run.runId, run.tool!.name];
  }

  stopTimers(): void {
    for (const list of this.#deadlines.values()) list.stop();
    this.grace.stop();
    this.signals.forget();
  }
}

/** Takes the `resolve` of every call's promise: a closure for each, with `reject`, takes 160 bytes and 5 % of a call's time. */
let keptResolve: Run["resolve"] = () => {};
const keepResolve = (resolve: Run["resolve"]) => {
  keptResolve = resolve;
};

/** A text member of something that may be anything, getters that throw included. */
function textOf(value: unknown, key: "id" | "name"): string | undefined {
  try {
    const member: unknown = (value as CallRequest | null | undefined)?.[key];
    return typeof member === "string" ? member : undefined;
  } catch {
    return undefined;
  }
}

function resolveLimits(limits: HostLimits): ResolvedLimits {
  requireCount("limits.concurrent", limits.concurrent);
  requireCount("limits.concurrentTotal", limits.concurrentTotal);
  requireRate("limits.rate", limits.rate);
  requireRate("limits.rateTotal", limits.rateTotal);
  return {
    timeoutMs: limits.timeoutMs,
    concurrent: limits.concurrent,
    rate: limits.rate,
    rateTotal: limits.rateTotal,
    concurrentTotal: limits.concurrentTotal,
    outputBytes: limits.outputBytes ?? 262_144,
    argumentBytes: limits.argumentBytes ?? 1_048_576,
    graceMs: limits.graceMs ?? 20,
    queued: limits.queued ?? 10_000,
    abandoned: limits.abandoned ?? 16,
    depth: limits.depth ?? 8,
    keptBytes: limits.keptBytes ?? 67_108_864,
    cleanupMs: limits.cleanupMs ?? 5_000,
  };
}

/** Without the members that are undefined. */
function optional<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  for (const key of Object.keys(fields)) if (fields[key] === undefined) delete fields[key];
  return fields as never;
}

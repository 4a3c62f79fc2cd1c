import type { Call, CallHost } from "../call/call.ts";
import { CallerWatch } from "../call/cancellation.ts";
import { CallIds } from "../call/call-state.ts";
import { failInternally, runPipeline } from "../call/pipeline.ts";
import { abandonCall, stopCall } from "../call/transitions.ts";
import {
  createCancellation,
  type CancellationState,
  type CancellationToken,
} from "../contract/cancellation.ts";
import type { Clock } from "../contract/clock.ts";
import type { CallRequest } from "../contract/context.ts";
import type { ProcessMark } from "../contract/changes.ts";
import type { HostOptions } from "../contract/host.ts";
import { isToolInterrupt } from "../contract/interrupt.ts";
import { guardLogger, silentLogger, type Logger } from "../contract/logger.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { ModeSummary } from "../contract/ports.ts";
import type { Runner } from "../contract/runner.ts";
import { HostStores } from "../pending/stores.ts";
import { ModuleSet, type ModuleState } from "../registry/module.ts";
import type { MountedTool } from "../registry/prepare-tool.ts";
import { foldName } from "../registry/registry.ts";
import { KeptOutputs } from "../result/kept-outputs.ts";
import { Deadlines, HostTime, systemClock, UnorderedList } from "../scheduling/time.ts";
import { resolveLimits, type ResolvedLimits } from "../scheduling/limits.ts";
import { RateLimiter, type ServerShare } from "../scheduling/rate-limiter.ts";
import { Semaphore } from "../scheduling/semaphore.ts";
import { SessionChanges } from "../sessions/changes.ts";
import { SessionResults } from "../sessions/results.ts";
import { SessionStates } from "../sessions/states.ts";
import { createRedactor, returnedMaskOf, type Redactor } from "../text/redact.ts";
import { Observers } from "../registry/gates.ts";

/** Functions that run the calls of tools. They are passed to the host because they need the host themselves. */
interface InnerCallHandlers extends Pick<CallHost, "endQuestions"> {
  readonly callInner: (host: HostState, parent: Call, request: CallRequest) => Promise<ToolOutcome>;
}

/** What all calls of a host share. It is internal to core; `Host` is the public interface. */
export class HostState implements CallHost {
  /** Unique, but not secret: loading `node:crypto` for a secret id would take 6 ms. */
  readonly id = Math.random().toString(16).slice(2, 14).padEnd(12, "0");
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: ResolvedLimits;
  readonly time: HostTime;
  readonly ids = new CallIds(this.id);
  readonly observers: Observers;
  readonly stores: HostStores;
  readonly states: SessionStates;
  readonly results: SessionResults;
  readonly changes: SessionChanges;
  readonly runner: Runner | null;
  readonly process: ProcessMark | null;
  /** Normalized names of the tools to prepare when they are mounted; null for all tools. */
  readonly needs: readonly string[] | null;
  readonly outputCheck: "off" | "warn" | "strict";
  readonly outputs: KeptOutputs;
  readonly redact: Redactor;
  readonly secretTexts: CallHost["secretTexts"];
  readonly isInterrupt: (thrown: unknown) => boolean;
  readonly semaphore: Semaphore | null;
  readonly rateLimiter: RateLimiter | null;
  readonly share: ServerShare = { servers: 1, rank: 0 };
  readonly active = new UnorderedList<Call>();
  readonly abandoned = new Set<Call>();
  readonly deadlines: Deadlines<Call>;
  readonly callers = new CallerWatch();
  readonly cancellation: CancellationToken = createCancellation(() => this.runningCalls());
  cancelState: CancellationState = "none";
  onCallEnd: (() => void)[] = [];
  closing = false;
  /** The modules of the current generation. A reload replaces the set. */
  moduleSet = new ModuleSet();
  /** Modules that a reload replaced while their calls ran. They are undone when these calls have ended. */
  readonly leaving = new Set<ModuleState>();
  /** The modes of the catalog as they were last read; null before that, and if there is no catalog. */
  modes: readonly ModeSummary[] | null = null;
  /** The module of the application's own registrations. Only it may emit `plan:*` and `module:*`. */
  ownModule!: ModuleState;
  /** The host's own tool; null until it is used. */
  listTool: MountedTool | null = null;
  readonly runPipeline = runPipeline;
  readonly failInternally = failInternally;
  readonly endQuestions: (call: Call) => void;

  readonly #inner: InnerCallHandlers;
  #order = 0;

  constructor(options: HostOptions, inner: InnerCallHandlers) {
    this.#inner = inner;
    this.endQuestions = inner.endQuestions;
    this.clock = options.clock ?? systemClock;
    this.logger = guardLogger(options.logger ?? silentLogger);
    this.limits = resolveLimits(options.limits ?? {});
    this.time = new HostTime(this.clock, this.logger);
    this.observers = new Observers(this.clock, this.logger);
    this.stores = new HostStores(this, options);
    this.states = new SessionStates(this);
    this.results = new SessionResults(this);
    this.changes = new SessionChanges(this);
    this.runner = options.runner ?? null;
    this.process = options.process ?? null;
    this.needs = options.needs?.map(foldName) ?? null;
    this.outputCheck = options.outputCheck ?? "strict";
    this.outputs = new KeptOutputs(this.limits.keptBytes);
    this.redact = createRedactor(options.secrets);
    this.secretTexts = returnedMaskOf(options.secrets ?? []);
    const isClaimed = options.isInterrupt ?? (() => false);
    this.isInterrupt = (thrown) => isToolInterrupt(thrown) || isClaimed(thrown);
    const { concurrentTotal, rateTotal } = this.limits;
    this.semaphore = concurrentTotal === undefined ? null : new Semaphore(concurrentTotal);
    this.rateLimiter = rateTotal === undefined ? null : new RateLimiter(rateTotal, this.clock, this.share);
    this.deadlines = new Deadlines(this.time, () => this.active.items(), endTime);
  }

  callFrom(parent: Call, request: CallRequest): Promise<ToolOutcome> {
    return this.#inner.callInner(this, parent, request);
  }

  nextOrder(): number {
    return ++this.#order;
  }

  /** Yields the run id and the tool of each call whose tool runs now. The host's own token lists these calls. */
  *runningCalls(): Iterable<[string, string]> {
    for (const call of this.active.items()) if (call.executing) yield [call.runId, call.tool!.name];
  }

  stopTimers(): void {
    this.deadlines.stop();
    this.callers.forget();
  }
}

/** Ends a call whose time has passed: its deadline or, if it was stopped before, its grace period. */
function endTime(call: Call): void {
  if (call.stop === null) stopCall(call, "deadline", "the deadline passed");
  else abandonCall(call);
}

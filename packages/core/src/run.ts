import type { Case } from "./case.ts";
import type { CallContext, CallRequest } from "./context.ts";
import type { HookResult } from "./hook-types.ts";
import type { HostState } from "./host-state.ts";
import { Link } from "./linked-list.ts";
import type { LiveContext } from "./live-context.ts";
import type { MountedTool } from "./mounted-tool.ts";
import type { CallStatus, Injection, Phase, ToolOutcome } from "./outcome.ts";
import type { ApprovalReason } from "./ports.ts";
import type { Generation } from "./registry.ts";
import type { ToolResult } from "./result.ts";
import type { RunTrace } from "./trace.ts";

/** Why a run was told to stop. */
export type StopReason = "caller" | "cancel" | "deadline" | "close";

/** One call on its way through the hops. Made for each call; every field is set here, so that all runs have one shape. */
export class Run {
  readonly host: HostState;
  readonly request: CallRequest;
  readonly given: CallContext;
  readonly generation: Generation;
  readonly parent: Run | null;
  readonly depth: number;
  readonly runId: string;
  readonly callId: string;
  /** All times of a run are milliseconds of its host's own time: small numbers, which cost no memory. */
  readonly startedAt: number;
  endedAt = 0;
  readonly resolve: (outcome: ToolOutcome) => void;
  readonly reject: (thrown: unknown) => void;

  /** The next hop. */
  hop = 0;
  phase: Phase = "find";
  /** Changes whenever the run goes on; what comes back late finds another one. */
  token = 0;
  tool: MountedTool | null = null;
  /** As the schema parsed them; frozen as soon as somebody else sees them. */
  arguments: Readonly<Record<string, unknown>> | null = null;
  frozen = false;
  warnings: readonly string[] | null = null;
  injections: Injection[] | null = null;
  reasons: ApprovalReason[] | null = null;
  /** The answer of the gate that asked. */
  gateAsk: HookResult | null = null;
  /** Who approved: a person, a remembered approval, or a line of the plan. */
  approvedBy: string | null = null;
  /** What goes on once a second, asynchronous parse is done. */
  afterParse: ((run: Run) => boolean) | null = null;
  /** Whether `tool:pre` was told, so that a terminal event must follow. */
  announced: boolean;
  status: CallStatus = "ok";
  result: ToolResult | null = null;
  resultFrozen = false;
  /** What the tool returned, before it was looked at. */
  returned: unknown = undefined;
  /** What the tool threw. */
  thrown: { readonly value: unknown } | null = null;
  /** Class of the error behind a failure, for `tool:error`. */
  failureType = "ToolmountError";

  context: LiveContext | null = null;
  /** When execute began; deadlines and grace count from here. */
  executedAt = 0;
  /** When the deadline fires; 0 for never. */
  deadlineAt = 0;
  executing = false;
  /** Whether a hop waits; false while `walk` is on the stack. */
  waiting = false;
  /** Which turns it holds, each of its tool and of its host: one of so many at once, one of so many in a time. */
  toolTurn = false;
  toolPace = false;
  hostPace = false;
  /** It waited before its tool ran, so its deadline counts from later. */
  waited = false;
  /** Takes back the question to a person, or the place in a line. */
  withdraw: (() => void) | null = null;
  hostTurn = false;
  stopReason: StopReason | null = null;
  stoppedAt = 0;
  stopMessage = "";
  /** Stopped, and still a success within the grace. */
  cancelled: { reason: string; elapsedMs: number } | null = null;
  ticket: string | null = null;
  /** The call waits, or waited, for somebody: what a store keeps of it. */
  case: Case | null;
  /** A gate gave the result; the tool does not run. */
  answered: { readonly value: unknown } | null = null;
  /** Its start is in the audit. */
  audited = false;
  /** What listeners of the tracing channel see of it; null when it began there was nobody. */
  trace: RunTrace | null = null;
  claimedId = false;
  /** The call ended by an interrupt: `host.call` rejects with this. */
  interrupt: { readonly thrown: unknown } | null = null;

  readonly timer: Link<Run> = new Link<Run>(this);
  signal: Link<Run> | null = null;
  /** Its place among the calls of the caller's cancellation token. */
  cancellation: Link<Run> | null = null;
  /** The id under which that token lists it as running. */
  trackedAs: string | null = null;
  readonly active: Link<Run> = new Link<Run>(this);

  constructor(
    host: HostState,
    generation: Generation,
    request: CallRequest,
    given: CallContext,
    parent: Run | null,
    resolve: (outcome: ToolOutcome) => void,
    reject: (thrown: unknown) => void,
    resumed: Case | null = null,
  ) {
    this.host = host;
    this.request = request;
    this.given = given;
    this.generation = generation;
    this.parent = parent;
    this.case = resumed;
    this.announced = resumed !== null;
    if (resumed === null) {
      this.depth = parent === null ? 0 : parent.depth + 1;
      this.runId = host.nextRunId();
      this.callId = request.id ?? this.runId;
    } else {
      // The same run, of the same depth, goes on.
      this.depth = resumed.record.info.depth;
      this.runId = resumed.record.info.runId;
      this.callId = resumed.record.info.callId;
    }
    this.startedAt = host.time();
    this.resolve = resolve;
    this.reject = reject;
  }
}

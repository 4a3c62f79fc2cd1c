import type { ProcessMark } from "./changes.ts";
import type { Approvals } from "./approvals.ts";
import type { CancellationToken } from "./cancellation.ts";
import type { CallContext, CallRequest } from "./context.ts";
import type { Clock } from "./clock.ts";
import type { OutputPage, OutputPageRequest } from "./output.ts";
import type { Coordinator } from "./coordinator.ts";
import type { ToolDefinition, ToolInfo } from "./tool.ts";
import type { PlanPosition } from "./errors.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { Logger, SecretTexts } from "./logger.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { Approver } from "./ports.ts";
import type { Runner, RunnerModule } from "./runner.ts";
import type { Offer, OfferFilter, Session } from "./session.ts";
import type { StateStore } from "./state-store.ts";

/** Limits of calls. A tool's own and the plan's can only lower them. */
export interface Limits {
  /** Milliseconds that a call may run, for tools without their own timeout. Default 15000; 0 for none. */
  readonly timeoutMs?: number | undefined;
  /** Bytes of JSON that an outcome's data may have; longer text is truncated, and the whole is kept. Default 262144. */
  readonly outputBytes?: number | undefined;
  /** Parallel calls of one tool; further calls wait, and their users take turns. Default: no limit. */
  readonly concurrent?: number | undefined;
  /** How often one tool may start, as `10/s` or `100/15min` (`ms`, `s`, `min`, `h`); further calls wait. Default: no limit. */
  readonly rate?: string | undefined;
}

/** Limits of a whole host. */
export interface HostLimits extends Limits {
  /** Bytes of the arguments of a call, given as text or as an object; they may have 50000 values. Default 1048576. */
  readonly argumentBytes?: number | undefined;
  /** Milliseconds that a tool may take to return after its signal was aborted. Default 20. */
  readonly graceMs?: number | undefined;
  /** Parallel calls of the whole host, without calls made by tools; further calls wait. Default: no limit. */
  readonly concurrentTotal?: number | undefined;
  /** How often tools may start in the whole host; further calls wait, and their users take turns. Default: no limit. */
  readonly rateTotal?: string | undefined;
  /** Calls that may wait in one queue; one more is `UNAVAILABLE`. Default 10000. */
  readonly queued?: number | undefined;
  /** Abandoned calls of one tool that may still run; one more call is then `UNAVAILABLE`. Default 16. */
  readonly abandoned?: number | undefined;
  /** How deep tools may call tools. Default 8. */
  readonly depth?: number | undefined;
  /** Calls that one run of a tool may have in flight; one more is `UNAVAILABLE`, and has no events. Default 256. */
  readonly nested?: number | undefined;
  /** Bytes of JSON that the state of one session may have; `set` beyond it throws `STATE_TOO_LARGE`. Default 16777216. */
  readonly stateBytes?: number | undefined;
  /** Bytes of truncated outputs that are kept for `host.output`. Default 67108864. */
  readonly keptBytes?: number | undefined;
  /** Milliseconds that one cleanup of a module may take; then the host stops waiting and reports it. Default 5000. */
  readonly cleanupMs?: number | undefined;
}

/** Options of `createHost`. */
export interface HostOptions {
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Asks a person. Without one, a call that needs confirmation is denied. */
  readonly approver?: Approver | Approver["ask"] | undefined;
  /** Stores waiting calls, sessions and the audit. Without a store, the answer `later` denies. */
  readonly store?: StateStore | undefined;
  readonly approvals?: ApprovalOptions | undefined;
  /**
   * Secret texts, such as keys of a plan. They are masked in what tools return and describe, in logs, in failures, in the audit and in stored approvals.
   * `createSecretTexts` of `@toolmount/core/text` makes a set to which more can be added.
   */
  readonly secrets?: readonly string[] | SecretTexts | undefined;
  /** Replaces the runners of all tools. For tests of a plan, which run no tool. */
  readonly runner?: Runner | undefined;
  readonly limits?: HostLimits | undefined;
  /** Lets an undo know whether a process that began one before has died, or may only stall. `openHost` gives one. */
  readonly process?: ProcessMark | undefined;
  /**
   * Names of the tools that will be called, for a process that makes one call: the schemas and texts of the others are
   * checked and prepared when they are first used. Default: of all tools, when they are mounted.
   */
  readonly needs?: readonly string[] | undefined;
  /** What happens when data does not fit a declared `outputSchema`. Default `strict`: the call fails. */
  readonly outputCheck?: "off" | "warn" | "strict" | undefined;
  /** Whether a value that a tool threw must reach the caller of `host.call`. */
  readonly isInterrupt?: ((value: unknown) => boolean) | undefined;
}

/** Times of approvals, in milliseconds. */
export interface ApprovalOptions {
  /** How long an approver has to answer while the call waits. Default 300000; a gate may say otherwise. */
  readonly askMs?: number | undefined;
  /** How long a stored question may be answered, and a decision be used. Default 604800000, a week. */
  readonly keepMs?: number | undefined;
  /** Lease of a host on a call that it resumes; a host that does not renew it counts as gone. Default 15000. */
  readonly leaseMs?: number | undefined;
}

/** What a plan changes about one argument of a tool. The tool's own schema still has the last word. */
export interface ArgumentOverride {
  /** What the model reads instead of the schema's description. */
  readonly description?: string | undefined;
  /** Used when the call does not send the argument. */
  readonly default?: Json | undefined;
  /** The model does not see the argument and may not send it. The tool gets the default, else nothing. */
  readonly hidden?: boolean | undefined;
}

/** Overrides by the name of the argument. */
export type ArgumentOverrides = Readonly<Record<string, ArgumentOverride>>;

/** What an entry of a plan changes about a tool that its module mounts. */
export interface ToolShape {
  /** The name under which it is offered; default its own. */
  readonly name?: string | undefined;
  readonly definition?: ToolDefinition | undefined;
  readonly limits?: Limits | undefined;
  /** Where it runs: the name of a mounted runner. Default `inline`. */
  readonly runner?: string | undefined;
  /** Replaces a tool of the same name that another module mounted. */
  readonly override?: boolean | undefined;
  /** The locked digest of the definition; null when the lock file does not list the tool, absent without a lock file. */
  readonly lockedAs?: string | null | undefined;
  /** What a model sees of the arguments, and which values it cannot set. */
  readonly arguments?: ArgumentOverrides | undefined;
  /** For tools that call tools: offered names by declared names. */
  readonly uses?: Readonly<Record<string, string>> | undefined;
}

/** Options of a module that is added to a draft. */
export interface ModuleOptions {
  /** The module's id, in messages, in logs and as the owner of its tools. */
  readonly id: string;
  readonly config?: JsonObject | undefined;
  /** Digest or version of its files, to which approvals of its calls are bound. */
  readonly code?: string | undefined;
  /** Its position in the plan. */
  readonly position?: PlanPosition | undefined;
  /** What other processes import that run its tools. */
  readonly module?: RunnerModule | undefined;
  /** What happens when a text of its tools has hidden characters. Default `refuse`: `TOOL_INVALID`. */
  readonly hiddenText?: "refuse" | "allow" | undefined;
  /** Capabilities that this module alone has. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Called for each tool that it mounts; `null` leaves the tool out. */
  readonly shapeTool?: ((tool: ToolDefinition) => ToolShape | null) | undefined;
}

/** One module inside a host or a draft: its coordinator, and everything it registered. */
export interface MountedModule {
  readonly id: string;
  readonly position: PlanPosition | undefined;
  readonly coordinator: Coordinator;
  /** Names of the tools it has mounted, as offered. */
  readonly toolNames: readonly string[];
  /** Does what its tools put off until all modules of a draft are mounted. Several errors come in an `AggregateError`. */
  link(): void;
}

/** The next generation, which callers of the host do not see before `commit`. Modules that it keeps are shared, not copied. */
export interface Draft {
  /** Adds an empty module whose coordinator registers into this draft. */
  addModule(options: ModuleOptions): MountedModule;
  /** Keeps a module of the current generation unchanged. */
  keepModule(module: MountedModule): void;
  /** Undoes one new module and removes it from the draft. Never rejects; resolves to the errors of its cleanups. */
  dropModule(module: MountedModule): Promise<readonly unknown[]>;
  /**
   * Makes the draft current. Running calls of modules that it did not keep end in their own time; then these modules are
   * undone, in reverse order. Where no such call runs, it resolves when the modules are undone; else at once, with the calls
   * as `draining`. With `drainMs` it waits that long for the calls, and aborts those that still run.
   */
  commit(options?: { drainMs?: number | undefined }): Promise<DrainReport>;
  /** Undoes the draft's new modules in reverse order. Never rejects; resolves to the errors of their cleanups. */
  discard(): Promise<readonly unknown[]>;
}

/** What draining a generation, or closing a host, had to do. */
export interface DrainReport {
  /** Run ids of the calls that still ran in modules that were replaced, and end in their own time. */
  readonly draining: readonly string[];
  /** Run ids of the calls that were aborted. */
  readonly aborted: readonly string[];
  /** Run ids of the calls that did not end even then. */
  readonly abandoned: readonly string[];
  /** Errors of cleanups, and of cleanups that did not end in time. */
  readonly failures: readonly unknown[];
}

/** A tool host: one coordinator, one current generation, one path of a call. */
export interface Host {
  /** The coordinator of the application that created the host. */
  readonly coordinator: Coordinator;
  /** Runs one tool. Never throws; rejects only with an interrupt that the tool threw. */
  call(request: CallRequest, context?: CallContext): Promise<ToolOutcome>;
  /**
   * Resumes a waiting call after its approval or with the client's result, in this process or another. Rejects with
   * `TICKET_INVALID`, `TICKET_USED`, `CLIENT_RESULT_REFUSED` and `STORE_FAILED`, and with an interrupt that the tool
   * threw: then the approval stays valid, and the ticket resumes the call again. Every other failure is in the outcome.
   */
  resume(ticket: string, context?: CallContext, clientResult?: unknown): Promise<ToolOutcome>;
  /** The questions about waiting calls, for approvers. */
  readonly approvals: Approvals;
  /**
   * The mounted tools, sorted by name; with `mode`, the tools that declare that mode. For the tools that a session is
   * offered, see `offer`.
   */
  tools(filter?: {
    mode?: string | undefined;
    includeDeprecated?: boolean | undefined;
    includeInternal?: boolean | undefined;
  }): readonly ToolInfo[];
  /** The tools that a model is offered now. Rejects with `MODE_UNKNOWN`, `MODES_UNAVAILABLE`. */
  offer(filter?: OfferFilter): Promise<Offer>;
  /**
   * What a model must know of the tools of an offer, for a system prompt: each one's usage text, else its description. It is
   * delimited, and the same for the same tools. `offer` has the shorter one for requests with definitions.
   */
  guidance(filter?: OfferFilter): Promise<string>;
  /** A session; the same object for the same id until it ends. */
  session(id: string): Session;
  /** Reads a page of a truncated output. Throws `OUTPUT_NOT_FOUND`. */
  output(ref: string, page?: OutputPageRequest): OutputPage;
  /** Starts a draft of the next generation. */
  draft(): Draft;
  /** The modules of the current generation, in the order of mounting. */
  modules(): readonly MountedModule[];
  /** Stops the calls of the whole host. `reset` allows new calls again, unless the host is closed. */
  readonly cancellation: CancellationToken;
  /**
   * Cancels all calls: no new ones start, and with `immediate` running calls are stopped, too. Resolves when no call is
   * left, to whether the state changed; so a tool must not wait for it. Emits `cancel:requested`, `cancel:completed`.
   */
  requestCancel(options?: { immediate?: boolean | undefined }): Promise<boolean>;
  /** Closes the host: no new calls, running calls get `graceMs` (default 5000), modules are undone in reverse. Idempotent. */
  close(options?: { graceMs?: number | undefined }): Promise<DrainReport>;
}

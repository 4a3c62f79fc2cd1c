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

/** Limits of calls. A limit of a tool, or of a plan's entry, replaces the limit of the host, even if it is higher. */
export interface Limits {
  /** Milliseconds that a call may run, for tools without a timeout. Default 15000; 0 means no timeout. */
  readonly timeoutMs?: number | undefined;
  /** Bytes of JSON that the data of a result may have. Longer text is truncated, and its full text is kept. Default 262144. */
  readonly outputBytes?: number | undefined;
  /** Number of calls of one tool that may run at once. Further calls wait, and their users take turns. Default: no limit. */
  readonly concurrent?: number | undefined;
  /** How often a tool may start, as `10/s` or `100/15min` (`ms`, `s`, `min`, `h`). Further calls wait. Default: no limit. */
  readonly rate?: string | undefined;
}

/** Limits of a whole host. */
export interface HostLimits extends Limits {
  /** Bytes that the arguments of a call may have, as text or as an object; also, 50000 values at most. Default 1048576. */
  readonly argumentBytes?: number | undefined;
  /** Milliseconds that a tool may take to return after its signal was aborted. Default 20. */
  readonly graceMs?: number | undefined;
  /** Number of calls that may run at once in the host, without calls that tools make. Further calls wait. Default: no limit. */
  readonly concurrentTotal?: number | undefined;
  /** How often tools may start in the whole host; further calls wait, and their users take turns. Default: no limit. */
  readonly rateTotal?: string | undefined;
  /** Number of calls that may wait in one queue; further calls end as `UNAVAILABLE`. Default 10000. */
  readonly queued?: number | undefined;
  /** Number of a tool's abandoned calls that may still run; at this number, its calls end as `UNAVAILABLE`. Default 16. */
  readonly abandoned?: number | undefined;
  /** How deep calls of tools by tools may be nested. Default 8. */
  readonly depth?: number | undefined;
  /** Number of calls that one run of a tool may have unfinished; further calls are `UNAVAILABLE`, without events. Default 256. */
  readonly nested?: number | undefined;
  /** Bytes of JSON that the state of one session may have; `set` beyond it throws `STATE_TOO_LARGE`. Default 16777216. */
  readonly stateBytes?: number | undefined;
  /** Bytes of truncated outputs that are kept for `host.output`. Default 67108864. */
  readonly keptBytes?: number | undefined;
  /** Milliseconds that the host waits for a cleanup of a module, before it reports a failure. Default 5000. */
  readonly cleanupMs?: number | undefined;
}

/** Options of `createHost`. */
export interface HostOptions {
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Asks a person. Without an approver, a call that needs confirmation is denied, unless it can wait in a store. */
  readonly approver?: Approver | Approver["ask"] | undefined;
  /** Stores waiting calls, sessions and the audit. Without a store, an approver's answer `later` counts as a denial. */
  readonly store?: StateStore | undefined;
  readonly approvals?: ApprovalOptions | undefined;
  /**
   * Secret texts, such as keys of a plan. They are masked in what tools return and describe, in logs, in failures, in the audit
   * and in stored approvals. `createSecretTexts` of `@toolmount/core/text` makes a set to which more can be added.
   */
  readonly secrets?: readonly string[] | SecretTexts | undefined;
  /** Runs all tools instead of their runners. For tests of a plan, which run no tool. */
  readonly runner?: Runner | undefined;
  readonly limits?: HostLimits | undefined;
  /** Reports whether the process that began an undo earlier has ended. `openHost` supplies it. */
  readonly process?: ProcessMark | undefined;
  /**
   * Names of the tools that will be called, for a process that makes one call. The schemas and texts of all other tools are
   * checked and prepared only at their first use. Default: all tools are prepared when they are mounted.
   */
  readonly needs?: readonly string[] | undefined;
  /** What happens when data does not fit a declared `outputSchema`. Default `strict`: the call ends as `unknown`. */
  readonly outputCheck?: "off" | "warn" | "strict" | undefined;
  /** Returns whether a value that a tool threw must reach the caller of `host.call`. */
  readonly isInterrupt?: ((value: unknown) => boolean) | undefined;
}

/** Time limits of approvals, in milliseconds. */
export interface ApprovalOptions {
  /** How long an approver has to answer while the call waits. Default 300000; a gate may say otherwise. */
  readonly askMs?: number | undefined;
  /**
   * How long a stored question can be answered, unless a gate says otherwise, and after that, how long its decision can be
   * used. Default 604800000, a week.
   */
  readonly keepMs?: number | undefined;
  /** Lease of a host on a call that it resumes. A host that does not renew the lease counts as gone. Default 15000. */
  readonly leaseMs?: number | undefined;
}

/** What a plan changes about an argument of a tool. The tool still checks the value with its own schema. */
export interface ArgumentOverride {
  /** The text that the model reads instead of the schema's description. */
  readonly description?: string | undefined;
  /** Used when the call does not send the argument. */
  readonly default?: Json | undefined;
  /** Hides the argument from the model, which may not send it. The tool gets the default or, without a default, nothing. */
  readonly hidden?: boolean | undefined;
}

/** Overrides by the names of the arguments. */
export type ArgumentOverrides = Readonly<Record<string, ArgumentOverride>>;

/** What an entry of a plan changes about a tool that its module mounts. */
export interface ToolShape {
  /** The name under which the tool is offered; default its own name. */
  readonly name?: string | undefined;
  readonly definition?: ToolDefinition | undefined;
  readonly limits?: Limits | undefined;
  /** The name of the mounted runner that runs the tool. Default `inline`. */
  readonly runner?: string | undefined;
  /** Whether the tool replaces a tool of the same name that another module mounted. */
  readonly override?: boolean | undefined;
  /** The locked digest of the definition; null when the lock file does not list the tool, absent without a lock file. */
  readonly lockedAs?: string | null | undefined;
  /** What a model sees of the arguments, and which of them it cannot set. */
  readonly arguments?: ArgumentOverrides | undefined;
  /** For tools that call tools: maps the declared names of those tools to their offered names. */
  readonly uses?: Readonly<Record<string, string>> | undefined;
}

/** Options of a module that is added to a draft. */
export interface ModuleOptions {
  /** The module's id in messages and logs, and as the owner of its tools. */
  readonly id: string;
  readonly config?: JsonObject | undefined;
  /** A digest or version of the module's files. Approvals of calls of its tools are bound to this text. */
  readonly code?: string | undefined;
  /** The position of the module in the plan. */
  readonly position?: PlanPosition | undefined;
  /** The module that other processes import to run its tools. */
  readonly module?: RunnerModule | undefined;
  /** What happens when a text of the module's tools has hidden characters. Default `refuse`: mounting fails with `TOOL_INVALID`. */
  readonly hiddenText?: "refuse" | "allow" | undefined;
  /** Capabilities that this module alone has. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Called for each tool that the module mounts; `null` leaves the tool out. */
  readonly shapeTool?: ((tool: ToolDefinition) => ToolShape | null) | undefined;
}

/** A module in a host or a draft, with its coordinator and everything that it registered. */
export interface MountedModule {
  readonly id: string;
  readonly position: PlanPosition | undefined;
  readonly coordinator: Coordinator;
  /** Names of the tools that the module has mounted, as they are offered. */
  readonly toolNames: readonly string[];
  /** Does the work that the module's tools postponed until all modules are mounted. Throws several errors as an `AggregateError`. */
  link(): void;
}

/** The next generation, which callers of the host see only after `commit`. Modules that it keeps are shared, not copied. */
export interface Draft {
  /** Adds an empty module, whose coordinator registers things in this draft. */
  addModule(options: ModuleOptions): MountedModule;
  /** Keeps a module of the current generation unchanged. */
  keepModule(module: MountedModule): void;
  /** Undoes one new module and removes it from the draft. Never rejects; resolves to the errors of its cleanups. */
  dropModule(module: MountedModule): Promise<readonly unknown[]>;
  /**
   * Makes the draft current. Running calls of modules that it does not keep can finish; then these modules are undone, in
   * reverse order. Without such calls, it resolves when the modules are undone; otherwise at once, with the calls as
   * `draining`. With `drainMs` it waits that long for the calls, and aborts those that still run.
   */
  commit(options?: { drainMs?: number | undefined }): Promise<DrainReport>;
  /** Undoes the draft's new modules in reverse order. Never rejects; resolves to the errors of their cleanups. */
  discard(): Promise<readonly unknown[]>;
}

/** What happened to running calls when a generation was drained or a host closed. */
export interface DrainReport {
  /** Run ids of the calls that still run in modules that were replaced. They can finish. */
  readonly draining: readonly string[];
  /** Run ids of the calls that were aborted. */
  readonly aborted: readonly string[];
  /** Run ids of the calls that did not end even after they were aborted. */
  readonly abandoned: readonly string[];
  /** Errors of cleanups, including errors for cleanups that did not end in time. */
  readonly failures: readonly unknown[];
}

/** A host of tools: it has one coordinator and one current generation, and every call goes through the same hops. */
export interface Host {
  /** The coordinator of the application that created the host. */
  readonly coordinator: Coordinator;
  /** Runs one tool. Never throws, and rejects only with an interrupt that the tool threw. */
  call(request: CallRequest, context?: CallContext): Promise<ToolOutcome>;
  /**
   * Resumes a waiting call after its approval or with the client's result, in this process or another. Rejects with
   * `HOST_CLOSED`, `TICKET_INVALID`, `TICKET_USED`, `CLIENT_RESULT_REFUSED` and `STORE_FAILED`, and with an interrupt that the
   * tool threw: the approval then stays valid, and the ticket can resume the call again. The outcome states every other
   * failure.
   */
  resume(ticket: string, context?: CallContext, clientResult?: unknown): Promise<ToolOutcome>;
  /** The questions about waiting calls, for approvers. */
  readonly approvals: Approvals;
  /**
   * Returns the mounted tools, sorted by name, by default without deprecated and internal ones; with `mode`, only tools for
   * that mode. `offer` returns the tools that a session is offered.
   */
  tools(filter?: {
    mode?: string | undefined;
    includeDeprecated?: boolean | undefined;
    includeInternal?: boolean | undefined;
  }): readonly ToolInfo[];
  /** Resolves to the tools that a model is offered now. Rejects with `MODE_UNKNOWN` and `MODES_UNAVAILABLE`. */
  offer(filter?: OfferFilter): Promise<Offer>;
  /**
   * Resolves to what a system prompt must say about the tools of an offer: the usage text of each, or else its description. The
   * text is delimited, and the same for the same tools. `offer` has a shorter text for requests with definitions.
   */
  guidance(filter?: OfferFilter): Promise<string>;
  /** Returns the session of an id; the same object until the session ends. Throws `OPTION_INVALID` for an unusable id. */
  session(id: string): Session;
  /** Reads a page of a truncated output. Throws `OUTPUT_NOT_FOUND`, and `OPTION_INVALID` for an invalid page. */
  output(ref: string, page?: OutputPageRequest): OutputPage;
  /** Starts a draft of the next generation. */
  draft(): Draft;
  /** Returns the modules of the current generation, in the order of mounting. */
  modules(): readonly MountedModule[];
  /** Stops the calls of the whole host. `reset` allows new calls again, unless the host is closed. */
  readonly cancellation: CancellationToken;
  /**
   * Cancels all calls: no new calls start, and with `immediate` running calls are stopped, too. Resolves, when no call is left, to
   * whether the state changed; so a tool must not wait for the promise. Emits `cancel:requested` and `cancel:completed`.
   */
  requestCancel(options?: { immediate?: boolean | undefined }): Promise<boolean>;
  /** Closes the host: running calls get `graceMs` (default 5000), then modules are undone in reverse order. Idempotent. */
  close(options?: { graceMs?: number | undefined }): Promise<DrainReport>;
}

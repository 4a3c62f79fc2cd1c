import type { Approvals } from "./approvals.ts";
import type { CancellationToken } from "./cancellation.ts";
import type { CallContext, CallRequest } from "./context.ts";
import type { Clock } from "./clock.ts";
import type { Coordinator } from "./coordinator.ts";
import type { ToolDefinition, ToolInfo } from "./tool.ts";
import type { PlanPosition } from "./errors.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { Logger } from "./logger.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { Approver, Runner } from "./ports.ts";
import type { Offer, OfferFilter, Session } from "./session.ts";
import type { StateStore } from "./stores.ts";

/** At most `calls` begin in any stretch of `perMs` milliseconds. Both are whole numbers from 1. */
export interface Rate {
  readonly calls: number;
  readonly perMs: number;
}

/** Bounds of calls; a tool's own, or the plan's, narrow them. */
export interface Limits {
  /** Milliseconds a call may run, for tools that say nothing themselves. Default 15000; 0 for none. */
  readonly timeoutMs?: number | undefined;
  /** Bytes of JSON that an outcome's data may have; text beyond it is cut and kept. Default 262144. */
  readonly outputBytes?: number | undefined;
  /** Calls of one tool at once; others wait their turn, first come, first served. Default: no bound. */
  readonly concurrent?: number | undefined;
  /** How often one tool may begin; others wait their turn, first come, first served. Default: no bound. */
  readonly rate?: Rate | undefined;
}

/** Limits of a whole host. */
export interface HostLimits extends Limits {
  /** Bytes of raw argument text. Default 1048576. */
  readonly argumentBytes?: number | undefined;
  /** Milliseconds a tool has to answer after its signal was aborted. Default 20. */
  readonly graceMs?: number | undefined;
  /** Calls of the whole host at once, those that tools make not counted; others wait. Default: no bound. */
  readonly concurrentTotal?: number | undefined;
  /** How often tools may begin in the whole host; others wait their turn. Default: no bound. */
  readonly rateTotal?: Rate | undefined;
  /** Calls that wait in one line for a turn; one more is `UNAVAILABLE`. Default 10000. */
  readonly queued?: number | undefined;
  /** Abandoned calls of one tool that may still run; one more call is then `UNAVAILABLE`. Default 16. */
  readonly abandoned?: number | undefined;
  /** How deep tools may call tools. Default 8. */
  readonly depth?: number | undefined;
  /** Bytes of cut outputs that are kept for `host.output`. Default 67108864. */
  readonly keptBytes?: number | undefined;
  /** Milliseconds that one cleanup of a module may take; then it is left behind, and told. Default 5000. */
  readonly cleanupMs?: number | undefined;
}

/** Options of `createHost`. */
export interface HostOptions {
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Asks a person. Without one, a call that needs confirmation is denied. */
  readonly approver?: Approver | Approver["ask"] | undefined;
  /** Keeps calls that wait, sessions and the audit. Without one, an answer of "later" is a denial. */
  readonly store?: StateStore | undefined;
  readonly approvals?: ApprovalOptions | undefined;
  /** Texts that are secret, such as keys of a plan: masked in logs, in the audit and in stored approvals. */
  readonly secrets?: readonly string[] | undefined;
  /** Runs every tool in place of its own runner: for tests of a plan, which run no tool. */
  readonly runner?: Runner | undefined;
  readonly limits?: HostLimits | undefined;
  /** What happens when data does not fit a declared `outputSchema`. Default `strict`: the call fails. */
  readonly outputCheck?: "off" | "warn" | "strict" | undefined;
  /** Claims values that, thrown by a tool, must reach the caller of `host.call`. */
  readonly isInterrupt?: ((value: unknown) => boolean) | undefined;
}

/** Times of approvals, in milliseconds. */
export interface ApprovalOptions {
  /** How long an approver has to answer while the call waits. Default 300000; a gate may say otherwise. */
  readonly askMs?: number | undefined;
  /** How long a kept question may be answered, and a decision be used. Default 604800000, a week. */
  readonly keepMs?: number | undefined;
  /** After how long without a sign of life a host that went on with a call counts as gone. Default 15000. */
  readonly leaseMs?: number | undefined;
}

/** What a plan changes about one argument of a tool. The tool's own schema still has the last word. */
export interface ArgumentOverride {
  /** What the model reads instead of the schema's description. */
  readonly description?: string | undefined;
  /** Used when the call does not send the argument. */
  readonly default?: Json | undefined;
  /** The model does not see the argument and may not send it. The tool gets `value`, else the default, else nothing. */
  readonly hidden?: boolean | undefined;
  readonly value?: Json | undefined;
}

/** Overrides by the name of the argument. */
export type ArgumentOverrides = Readonly<Record<string, ArgumentOverride>>;

/** How one entry of a plan shapes the tools that its module mounts. */
export interface ToolShape {
  /** The name under which it is offered; default its own. */
  readonly name?: string | undefined;
  readonly definition?: ToolDefinition | undefined;
  readonly limits?: Limits | undefined;
  /** Where it runs: the name of a mounted runner. Default `inline`. */
  readonly runner?: string | undefined;
  /** Replaces a tool of the same name that another module mounted. */
  readonly override?: boolean | undefined;
  /** The {@link lockDigest} that was agreed to; null when the lock does not know the tool, absent without a lock. */
  readonly lockedAs?: string | null | undefined;
  /** What a model sees of the arguments, and which values it cannot set. */
  readonly arguments?: ArgumentOverrides | undefined;
  /** For tools that call tools: the offered name that a declared one means. */
  readonly uses?: Readonly<Record<string, string>> | undefined;
}

/** Options of a module that is added to a draft. */
export interface ModuleOptions {
  /** The module's id: in messages, as owner of what it mounts, in logs. */
  readonly id: string;
  readonly config?: JsonObject | undefined;
  /** Where it stands in a plan. */
  readonly position?: PlanPosition | undefined;
  /** What to import where its tools run outside this process. */
  readonly specifier?: string | undefined;
  /** What happens when a text of its tools hides characters from people. Default `refuse`: `TOOL_INVALID`. */
  readonly hiddenText?: "refuse" | "allow" | undefined;
  /** Shapes each tool it mounts; `null` leaves the tool out. */
  readonly shapeTool?: ((tool: ToolDefinition) => ToolShape | null) | undefined;
}

/** One module inside a host or a draft: its coordinator, and everything it registered. */
export interface MountedModule {
  readonly id: string;
  readonly position: PlanPosition | undefined;
  readonly coordinator: Coordinator;
  /** Names of the tools it has mounted, as offered. */
  readonly toolNames: readonly string[];
}

/**
 * A generation in the making. Nothing of it is visible to callers of the host until `commit`, which is one assignment.
 * Modules kept from the current generation are shared, not copied.
 */
export interface Draft {
  /** Makes an empty module whose coordinator registers into this draft. */
  addModule(options: ModuleOptions): MountedModule;
  /** Takes a module of the current generation over, as it is. */
  keepModule(module: MountedModule): void;
  /** Undoes one new module and takes it out of the draft. Failures of its cleanups come back, none is thrown. */
  dropModule(module: MountedModule): Promise<readonly unknown[]>;
  /**
   * Makes the draft current. Modules that it did not keep are drained (calls in flight finish, at most `drainMs`,
   * default 10000, then they are aborted) and undone in reverse; what went wrong there comes back.
   */
  commit(options?: { drainMs?: number | undefined }): Promise<DrainReport>;
  /** Undoes, in reverse, all that the draft's new modules registered. Failures of cleanups come back, none is thrown. */
  discard(): Promise<readonly unknown[]>;
}

/** What leaving a generation, or closing, had to do. */
export interface DrainReport {
  /** Run ids of calls that had to be aborted. */
  readonly aborted: readonly string[];
  /** Runs that did not end even so. */
  readonly abandoned: readonly string[];
  /** What cleanups threw, and which of them did not end in time. */
  readonly failures: readonly unknown[];
}

/** One page of an output that was cut. */
export interface OutputPage {
  readonly text: string;
  /** Where the page begins, in characters. */
  readonly offset: number;
  /** Of the whole, in characters. */
  readonly total: number;
  /** Where the next page begins; absent on the last. */
  readonly nextOffset?: number;
}

/** A tool host: one coordinator, one current generation, one path of a call. */
export interface Host {
  /** The coordinator of whoever made the host. */
  readonly coordinator: Coordinator;
  /** Runs one tool. Never throws; rejects only with an interrupt that the tool threw. */
  call(request: CallRequest, context?: CallContext): Promise<ToolOutcome>;
  /**
   * Goes on with a call that waits, after an answer or with the client's result, in this process or another. Rejects
   * with `TICKET_INVALID`, `TICKET_USED`, `CLIENT_RESULT_REFUSED` and `STORE_FAILED`; everything else is in the outcome.
   */
  resume(ticket: string, context?: CallContext, clientResult?: unknown): Promise<ToolOutcome>;
  /** The approver's side. */
  readonly approvals: Approvals;
  /**
   * What is mounted, sorted by name; with `mode`, what its tools say is for that mode. What a session is offered, by the
   * catalog of modes and by what was activated, is `offer`.
   */
  tools(filter?: { mode?: string | undefined; includeDeprecated?: boolean | undefined }): readonly ToolInfo[];
  /** What a model is offered now. Rejects with `MODE_UNKNOWN`, `MODES_UNAVAILABLE`. */
  offer(filter?: OfferFilter): Promise<Offer>;
  /** The part of an offer that goes into a system prompt: delimited, and the same for the same tools. */
  guidance(filter?: OfferFilter): Promise<string>;
  /** One session: the same object for the same id, until it ends. */
  session(id: string): Session;
  /** Pages through an output that was cut. Throws `OUTPUT_NOT_FOUND`. */
  output(ref: string, page?: { offset?: number | undefined; limit?: number | undefined }): OutputPage;
  /** Begins a new generation. */
  draft(): Draft;
  /** The modules of the current generation, in the order of mounting. */
  modules(): readonly MountedModule[];
  /** Stops the calls of the whole host. `reset` lets new ones in again, unless the host is closed. */
  readonly cancellation: CancellationToken;
  /**
   * Asks for the end of all calls: no new ones, and with `immediate` those that run are stopped, too. Tells whether
   * that was news, once no call is left (so no tool should wait for it). Told as `cancel:requested`, `cancel:completed`.
   */
  requestCancel(options?: { immediate?: boolean | undefined }): Promise<boolean>;
  /** Ends everything: no new calls, running ones get `graceMs` (default 5000), modules are undone in reverse. Idempotent. */
  close(options?: { graceMs?: number | undefined }): Promise<DrainReport>;
}
